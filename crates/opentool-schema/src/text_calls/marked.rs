//! Calls after the special tokens of chat templates: Mistral, Llama, Kimi, DeepSeek, Granite, Cohere, Harmony, and the
//! like.

use opentool_core::Problem;

use super::opening::Run;
use super::{MOST, TextCall, TextCalls, between, between_past, cut_off, json, python};

/// Bytes of the head of a message.
const HEAD: usize = 1024;

/// One call: `begin` name `middle` arguments `end`.
pub(super) fn parted<'t>(text: &'t str, begin: &str, middle: &str, end: &str) -> Run<'t> {
    let after = text.get(begin.len()..).unwrap_or_default();
    // Where the arguments begin; behind a name only, not in the next call.
    let name = after.find(middle).filter(|at| after.get(..*at).is_some_and(|name| !name.contains(end)));
    let start = name.map_or(0, |at| at.saturating_add(middle.len()));
    let (arguments, broken) = after.get(start..).map_or((0, false), arguments_end);
    let (inside, next) = between_past(after, start.saturating_add(arguments), end);
    let mut found = TextCalls::default();
    found.add(if next.is_some() { parts(inside, middle) } else { Err(cut_off()) });
    // What follows JSON that cannot be read may be a part of it.
    Run { found, rest: next.filter(|_| !broken) }
}

/// Calls as JSON or Python behind a mark.
pub(super) fn before<'t>(text: &'t str, mark: &str, end: &str) -> Run<'t> {
    let after = text.get(mark.len()..).unwrap_or_default();
    let (body, rest) = between(after, end);
    let body = body.trim();
    let mut found = TextCalls::default();
    match python::read(body) {
        Some(calls) if !body.starts_with('{') => found = llama(calls),
        _ => found.add(several(body)),
    }
    Run { rest: rest.filter(|_| found.problems.is_empty()), found }
}

/// Mistral's: a list of calls, or since version 11 one mark a call.
pub(super) fn mistral<'t>(text: &'t str, mark: &str) -> Run<'t> {
    let after = text.get(mark.len()..).unwrap_or_default();
    let body = after.trim_start();
    if body.starts_with(['[', '{']) && !body.starts_with("[ARGS]") {
        return before(text, mark, "[/TOOL_CALLS]");
    }
    // Up to the next call, or what a server puts behind the last one.
    let start = after.find('{').unwrap_or(0);
    let arguments = after.get(start..).unwrap_or_default();
    let from = start.saturating_add(json::end(arguments).unwrap_or(0));
    let (inside, _) = between_past(after, from, "[TOOL_");
    let mut found = TextCalls::default();
    found.add(one_of_mistral(inside));
    let broken = json::is_broken(arguments);
    Run { found, rest: after.get(inside.len()..).filter(|_| !broken) }
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
    let mut calls = Vec::new();
    let mut rest = text.trim();
    while let Some((one, after)) =
        json::end(rest).and_then(|end| rest.split_at_checked(end)).filter(|_| calls.len() <= MOST)
    {
        let Some(next) = after.trim_start().strip_prefix(';') else { break };
        calls.extend(json::calls(one)?);
        rest = next.trim_start();
        if rest.is_empty() {
            return Ok(calls);
        }
    }
    calls.extend(json::calls(rest)?);
    Ok(calls)
}

/// Mistral's since version 11, one mark a call: `name[CALL_ID]id[ARGS]{…}`, `name[ARGS]{…}`, `name{…}`.
fn one_of_mistral(piece: &str) -> Result<Vec<TextCall>, Problem> {
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

/// Where the arguments end that a text begins with, DeepSeek's name before them; and whether they are JSON that cannot
/// be read.
fn arguments_end(text: &str) -> (usize, bool) {
    let start = match text.find('\n') {
        Some(line) if !text.trim_start().starts_with(['{', '[', '`']) => line,
        _ => 0,
    };
    let arguments = text.get(start..).unwrap_or_default();
    (start.saturating_add(json::end(arguments).unwrap_or(0)), json::is_broken(arguments))
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

/// `<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>`: the message whose content begins
/// at a place of the text.
pub(super) fn harmony(text: &str, at: usize) -> Run<'_> {
    let mut found = TextCalls::default();
    let after = text.get(at..).unwrap_or_default();
    // The head of a message is short, and starts behind the one before.
    let head = (at.saturating_sub(HEAD)..=at).find_map(|from| text.get(from..at)).unwrap_or_default();
    let after = after.strip_prefix("<|message|>").unwrap_or(after);
    let head = ["<|end|>", "<|call|>", "<|return|>", "<|message|>"]
        .iter()
        .fold(head, |head, end| head.rsplit(end).next().unwrap_or(head));
    // Who speaks stands behind the last start: a result of a tool is none of the model's calls.
    let author = head.rsplit_once("<|start|>").map_or("assistant", |(_, author)| author);
    // A message ends with the next special token; those in the strings of JSON end nothing.
    let (inside, _) = between(after, "<|");
    let rest = after.get(inside.len()..).unwrap_or_default();
    if let Some((_, to)) = head.rsplit_once(" to=").filter(|_| author.starts_with("assistant")) {
        let name = to.split(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default();
        let name = name.strip_prefix("functions.").unwrap_or(name);
        if !matches!(name, "assistant" | "user") {
            found.add(call(name, inside).map(|call| vec![call]));
        }
    }
    // All else is prose of another channel; what follows JSON that cannot be read may be a part of it.
    Run { found, rest: Some(rest).filter(|_| !json::is_broken(after)) }
}
