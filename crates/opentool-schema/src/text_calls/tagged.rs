//! Calls in tags: Hermes and Qwen (`<tool_call>`), GLM, `<function=…>`, `<invoke name="…">`.

use opentool_core::Problem;
use serde_json::{Map, Value};

use super::{MOST, TextCall, TextCalls, between, cut_off, json};

/// Tags around calls of any inner form.
const WRAPPERS: [(&str, &str); 3] = [
    ("<tool_call>", "</tool_call>"),
    ("<tool_calls>", "</tool_calls>"),
    ("<function_call>", "</function_call>"),
];

pub(super) fn read(text: &str) -> Option<TextCalls> {
    let wrapper = WRAPPERS
        .iter()
        .filter_map(|(open, close)| text.find(open).map(|at| (at, *open, *close)))
        .min_by_key(|(at, ..)| *at);
    let mut found = TextCalls::default();
    let Some((_, open, close)) = wrapper else {
        if !text.contains("<function=") && !text.contains("<invoke name=") && !text.contains(":invoke name=")
        {
            return None;
        }
        found.add(elements(text));
        return Some(found);
    };
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(open) {
        let (inside, next) = between(after, close);
        // The last closing tag is left out by some templates; whole JSON is whole without it.
        found.add(if next.is_some() || inside.trim_end().ends_with(['}', ']']) {
            block(inside)
        } else {
            Err(cut_off())
        });
        match next {
            Some(next) if !found.full() => rest = next,
            _ => break,
        }
    }
    Some(found)
}

/// What stands in a wrapper.
fn block(inside: &str) -> Result<Vec<TextCall>, Problem> {
    let body = inside.trim();
    if body.starts_with(['{', '[', '`']) {
        json::calls(body)
    } else if body.contains("<arg_key>") || !body.contains('<') {
        glm(body)
    } else {
        elements(body)
    }
}

/// `name`, then `<arg_key>k</arg_key><arg_value>v</arg_value>` …
fn glm(body: &str) -> Result<Vec<TextCall>, Problem> {
    let (name, mut rest) =
        body.split_once("<arg_key>").map_or((body, None), |(name, rest)| (name, Some(rest)));
    let mut members = Map::new();
    while let Some(pair) = rest {
        let (key, value) = pair.split_once("</arg_key>").ok_or_else(cut_off)?;
        let value = value.trim_start().strip_prefix("<arg_value>").ok_or_else(cut_off)?;
        let (value, after) = value.split_once("</arg_value>").ok_or_else(cut_off)?;
        members.insert(key.trim().to_owned(), value.into());
        rest = after.split_once("<arg_key>").map(|(_, next)| next);
    }
    named(name, members.into()).map(|call| vec![call])
}

/// How an element starts and ends.
type Tag = (&'static str, &'static str);

const CALLS: [Tag; 2] = [("<function=", "</function>"), ("invoke name=", "invoke>")];
const PARAMETERS: [Tag; 2] = [("<parameter=", "</parameter>"), ("parameter name=", "parameter>")];

/// `<function=name>…</function>` and `<invoke name="name">…</invoke>`, one after the other.
fn elements(text: &str) -> Result<Vec<TextCall>, Problem> {
    let tag = first(text, &CALLS).ok_or_else(cut_off)?;
    let mut calls = Vec::new();
    let mut rest = text;
    while let Some((name, inside, next)) = element(rest, tag)? {
        let body = inside.trim();
        let arguments = if body.starts_with('{') { json::arguments(body)? } else { parameters(inside)? };
        calls.push(named(name, arguments)?);
        rest = next;
        if calls.len() > MOST {
            break;
        }
    }
    Ok(calls)
}

/// `<parameter=key>value</parameter>`, `<parameter name="key">value</parameter>`. Values are text; which of them
/// are numbers or lists, the schema knows.
fn parameters(text: &str) -> Result<Value, Problem> {
    let mut members = Map::new();
    let Some(tag) = first(text, &PARAMETERS) else { return Ok(Value::Object(members)) };
    let mut rest = text;
    while let Some((key, value, next)) = element(rest, tag)? {
        // The line ends next to the tags belong to the template.
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        members.insert(key.to_owned(), value.into());
        rest = next;
    }
    Ok(Value::Object(members))
}

/// The tag that comes first.
fn first(text: &str, tags: &[Tag; 2]) -> Option<Tag> {
    let found = tags.iter().filter_map(|tag| text.find(tag.0).map(|at| (at, *tag)));
    found.min_by_key(|(at, _)| *at).map(|(_, tag)| tag)
}

/// The next element: the name in its opening tag, what is inside, what follows.
fn element(text: &str, (open, close): Tag) -> Result<Option<(&str, &str, &str)>, Problem> {
    let Some((_, after)) = text.split_once(open) else { return Ok(None) };
    let (name, after) = after.split_once('>').ok_or_else(cut_off)?;
    let (inside, next) = after.split_once(close).ok_or_else(cut_off)?;
    // `</ns:invoke>`: the start of the closing tag is no part of what is inside.
    let inside =
        if close.starts_with('<') { inside } else { inside.rsplit_once("</").ok_or_else(cut_off)?.0 };
    Ok(Some((name.trim().trim_matches(['"', '\'']), inside, next)))
}

fn named(name: &str, arguments: Value) -> Result<TextCall, Problem> {
    let name = name.trim();
    if name.is_empty() || name.contains(char::is_whitespace) || name.contains('<') {
        return Err(Problem::new("", "json").expected("expected the name of a tool"));
    }
    Ok(TextCall::new(name, arguments))
}
