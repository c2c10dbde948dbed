//! Calls after the special tokens of chat templates: Mistral, Llama, Kimi, DeepSeek, Granite, Cohere, Harmony, and the
//! like.

use opentool_core::Problem;

use super::{TextCall, TextCalls, between, cut_off, is_name, is_quoted, json, python};

/// Marks that calls follow, as JSON or as Python; and the marks behind them, where there are any.
const BEFORE: [(&str, &str); 8] = [
    ("[TOOL_CALLS]", "[/TOOL_CALLS]"),
    ("<|python_tag|>", "<|eom_id|>"),
    ("<|tool_call|>", "<|/tool_call|>"),
    ("<|tool_calls|>", "<|/tool_calls|>"),
    ("<|START_ACTION|>", "<|END_ACTION|>"),
    ("<|tool_call_start|>", "<|tool_call_end|>"),
    ("<|action_start|><|plugin|>", "<|action_end|>"),
    ("functools", "\0"),
];

/// Marks of one call each: before the name, between name and arguments, after the arguments.
const PARTS: [(&str, &str, &str); 2] = [
    ("<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"),
    ("<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"),
];

pub(super) fn read(text: &str) -> Option<TextCalls> {
    let mut found = TextCalls::default();
    if let Some((begin, middle, end)) = PARTS.iter().find(|(begin, ..)| text.contains(begin)) {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once(begin).filter(|_| !found.full()) {
            let (inside, next) = between(after, end);
            found.add(if next.is_some() { parts(inside, middle) } else { Err(cut_off()) });
            rest = next.unwrap_or_default();
        }
        return Some(found);
    }
    if text.contains(" to=") && text.contains("<|message|>") {
        harmony(text, &mut found);
        return Some(found).filter(|found| !found.is_empty());
    }
    let (mark, end, after) = BEFORE.iter().find_map(|(mark, end)| {
        let (before, after) = text.split_once(mark)?;
        let meant = match *mark {
            "functools" => before.trim().is_empty() && after.starts_with('['),
            "[TOOL_CALLS]" => begins_call(after),
            _ => true,
        };
        (meant && !is_quoted(before, after)).then_some((*mark, *end, after))
    })?;
    let is_list = after.trim_start().starts_with(['[', '{']) && !after.trim_start().starts_with("[ARGS]");
    if mark == "[TOOL_CALLS]" && !is_list {
        for piece in text.split(mark).skip(1) {
            if found.full() {
                break;
            }
            found.add(mistral(piece.split("[TOOL_").next().unwrap_or(piece)));
        }
        return Some(found);
    }
    let body = after.split(end).next().unwrap_or(after).trim();
    match python::read(body) {
        Some(calls) if !body.starts_with('{') => found = llama(calls),
        _ => found.add(several(body)),
    }
    Some(found)
}

/// Whether what follows Mistral's mark can be a call: a list of them, or a name and what stands behind it.
fn begins_call(after: &str) -> bool {
    let after = after.trim_start();
    let name = after.split(['[', '{']).next().unwrap_or_default();
    after.is_empty() || after.starts_with(['[', '{']) || is_name(name.trim_end())
}

/// Llama's own tools: `brave_search.call(query="…")`.
fn llama(mut found: TextCalls) -> TextCalls {
    for call in &mut found.calls {
        if let Some(name) = call.name.strip_suffix(".call") {
            call.name = name.to_owned();
        }
    }
    found
}

/// JSON calls, separated by `;` where a template does that.
fn several(text: &str) -> Result<Vec<TextCall>, Problem> {
    let body = text.trim();
    if serde_json::from_str::<serde_json::Value>(body).is_err() && body.contains("};") {
        let pieces: Vec<&str> = body.split_inclusive("};").map(|piece| piece.trim_end_matches(';')).collect();
        let calls: Result<Vec<Vec<TextCall>>, Problem> = pieces.into_iter().map(json::calls).collect();
        return calls.map(|calls| calls.into_iter().flatten().collect());
    }
    json::calls(body)
}

/// Mistral's since version 11, one mark a call: `name[CALL_ID]id[ARGS]{…}`, `name[ARGS]{…}`, `name{…}`.
fn mistral(piece: &str) -> Result<Vec<TextCall>, Problem> {
    let (head, arguments) = match piece.split_once("[ARGS]") {
        Some(parts) => parts,
        None => piece.find('{').and_then(|at| piece.split_at_checked(at)).ok_or_else(cut_off)?,
    };
    let (name, id) = match head.split_once("[CALL_ID]") {
        Some((name, id)) => (name, Some(id.trim().to_owned()).filter(|id| !id.is_empty())),
        None => (head, None),
    };
    call(name, arguments).map(|call| vec![TextCall { id, ..call }])
}

fn parts(inside: &str, middle: &str) -> Result<Vec<TextCall>, Problem> {
    let (name, arguments) = inside.split_once(middle).ok_or_else(cut_off)?;
    // Kimi's: `functions.name:0`, which as a whole is the id.
    if let Some((function, number)) = name.trim().rsplit_once(':')
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
    {
        let id = Some(name.trim().to_owned());
        let name = function.strip_prefix("functions.").unwrap_or(function);
        return call(name, arguments).map(|call| vec![TextCall { id, ..call }]);
    }
    // DeepSeek's older form: `function<sep>name`, a line end, and a fence.
    let (name, arguments) = match (name.trim(), arguments.split_once('\n')) {
        ("function", Some((name, fenced))) => (name, fenced),
        _ => (name, arguments),
    };
    call(name, arguments).map(|call| vec![call])
}

fn call(name: &str, arguments: &str) -> Result<TextCall, Problem> {
    let name = name.trim();
    if name.is_empty() {
        return Err(Problem::new("", "json").expected("expected the name of a tool"));
    }
    let arguments = json::arguments(arguments)?;
    Ok(TextCall::new(name, arguments))
}

/// `<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>`
fn harmony(text: &str, found: &mut TextCalls) {
    let mut rest = text;
    while let Some((head, after)) = rest.split_once("<|message|>").filter(|_| !found.full()) {
        let head = ["<|end|>", "<|call|>", "<|return|>"]
            .iter()
            .fold(head, |head, end| head.rsplit(end).next().unwrap_or(head));
        // Who speaks stands behind the last start: a result of a tool is none of the model's calls.
        let author = head.rsplit_once("<|start|>").map_or("assistant", |(_, author)| author);
        // A message ends with the next special token.
        let (inside, next) =
            after.split_at_checked(after.find("<|").unwrap_or(after.len())).unwrap_or((after, ""));
        if let Some((_, to)) = head.rsplit_once(" to=").filter(|_| author.starts_with("assistant")) {
            let name = to.split(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default();
            let name = name.strip_prefix("functions.").unwrap_or(name);
            if !matches!(name, "assistant" | "user") {
                found.add(call(name, inside).map(|call| vec![call]));
            }
        }
        // All else is prose of another channel.
        rest = next;
    }
}
