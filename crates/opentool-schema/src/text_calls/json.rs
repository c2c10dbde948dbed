//! Calls as JSON: `{"name": …, "arguments": …}`, alone, in a list, in a fence.

use opentool_core::Problem;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::{TextCall, TextCalls, cut_off, nothing_lost};
use crate::exact::Look;
use crate::repair::{self, Fault, Tolerance, Written, first_value};

/// The calls that a JSON text is.
pub(super) fn calls(text: &str) -> Result<Vec<TextCall>, Problem> {
    let written = written(text)?;
    nothing_lost(&written.marks)?;
    let items = match written.value {
        Value::Array(items) => items,
        other => vec![other],
    };
    items.into_iter().map(|item| call(item).ok_or_else(not_a_call)).collect()
}

/// The arguments of one call, nearly JSON at least. They stay text where reading would lose something, a number's digits
/// or one of two members with the same key: what to do about that is decided, and said, where arguments are taken.
pub(super) fn arguments(text: &str) -> Result<Value, Problem> {
    let written = written(text)?;
    let exact = nothing_lost(&written.marks).is_ok() && written.marks.no_number().is_none();
    Ok(if exact { written.value } else { Value::from(text) })
}

/// Where the object or list ends with which a text begins, in a fence or not: what looks like a mark inside is part of a
/// string. `None` where it begins with something else, or with what cannot be read.
pub(super) fn end(text: &str) -> Option<usize> {
    let body = fence(text.trim_start()).trim_start();
    if !body.starts_with(['{', '[']) {
        return None;
    }
    let before = text.len().saturating_sub(body.len());
    let mut values = serde_json::Deserializer::from_str(body).into_iter::<IgnoredAny>();
    let end = match values.next() {
        Some(Ok(_)) => values.byte_offset(),
        _ => first_value(body, Tolerance::Sure)?.1,
    };
    Some(before.saturating_add(end))
}

/// Whether a text begins as JSON does, and cannot be read as such: nobody knows where it ends.
pub(super) fn is_broken(text: &str) -> bool {
    fence(text.trim_start()).starts_with('{') && end(text).is_none()
}

/// A text without the start of the fence around it.
fn fence(text: &str) -> &str {
    let inside = text.strip_prefix("```").map(|inside| {
        inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').trim_start()
    });
    inside.unwrap_or(text)
}

/// An object or list, nearly JSON at least.
fn written(text: &str) -> Result<Written, Problem> {
    match repair::read(text, Tolerance::Sure) {
        Ok(written) => Ok(written),
        Err(Fault::Truncated) => Err(cut_off()),
        Err(_) => Err(Problem::new("", "json").expected("expected a call as JSON")),
    }
}

fn not_a_call() -> Problem {
    Problem::new("", "json").expected("expected a call: an object with `name` and `arguments`")
}

/// What the parts of a call are called.
const IDS: [&str; 2] = ["id", "tool_call_id"];
const NAMES: [&str; 4] = ["name", "tool_name", "function", "tool"];
const ARGUMENTS: [&str; 5] = ["arguments", "parameters", "args", "input", "tool_input"];

/// `{"name", "arguments"}` in its spellings.
fn call(value: Value) -> Option<TextCall> {
    let Value::Object(mut members) = value else { return None };
    let id = IDS.iter().find_map(|key| members.get(*key)?.as_str()).map(str::to_owned);
    // OpenAI's: `{"type": "function", "function": {…}}`.
    if let Some(Value::Object(inner)) = members.get_mut("function") {
        let inner = std::mem::take(inner);
        if ARGUMENTS.iter().any(|key| members.contains_key(*key)) {
            return None;
        }
        members = inner;
    }
    let name = NAMES.iter().find_map(|key| members.get(*key)?.as_str())?.to_owned();
    let mut given = ARGUMENTS.iter().filter_map(|key| members.shift_remove(*key));
    let arguments = given.next();
    // Which of two, or what else is meant to be an argument, nobody can say; to leave it out would be another call.
    if given.next().is_some() {
        return None;
    }
    drop(given);
    let is_known =
        |key: &String| NAMES.iter().chain(&IDS).chain(&["type", "index"]).any(|known| key == known);
    if arguments.is_none() && !members.keys().all(is_known) {
        return None;
    }
    let id = id.filter(|id| !id.is_empty());
    Some(TextCall { id, ..TextCall::new(&name, object(arguments.unwrap_or(Value::Null))) })
}

/// Arguments that are the text of an object become the object; other things stay for validation to refuse.
pub(crate) fn object(arguments: Value) -> Value {
    match arguments {
        Value::Null => Value::Object(Map::new()),
        Value::String(text) => match serde_json::from_str::<Value>(&text) {
            Ok(parsed @ Value::Object(_)) if Look::at(&text).tells_all(&text, &parsed) => parsed,
            _ => Value::String(text),
        },
        other => other,
    }
}

/// A text that is calls as JSON and nothing else, in a fence or not.
pub(super) fn whole(text: &str) -> Option<TextCalls> {
    let body = text.trim();
    let body = match body.strip_prefix("```") {
        Some(fenced) => {
            let inside = fenced.strip_suffix("```")?;
            inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').trim()
        }
        None => body,
    };
    if !body.starts_with('{') && !body.starts_with("[{") {
        return None;
    }
    let mut found = TextCalls::default();
    let mut rest = body;
    while !rest.is_empty() && !found.full() {
        let (one, after) = rest.split_at_checked(end(rest)?)?;
        let value = written(one).ok()?.value;
        let items = value.as_array().map_or(std::slice::from_ref(&value), Vec::as_slice);
        if items.is_empty() || !items.iter().all(is_meant) {
            return None;
        }
        found.add(calls(one));
        let after = after.trim_start();
        rest = after.strip_prefix(';').unwrap_or(after).trim_start();
    }
    Some(found)
}

/// Whether a value can be nothing but a call.
fn is_meant(item: &Value) -> bool {
    let inner = item.get("function").filter(|inner| inner.is_object()).unwrap_or(item);
    let named = ["name", "tool_name"].iter().any(|key| inner.get(*key).is_some_and(Value::is_string));
    named && ["arguments", "parameters"].iter().any(|key| inner.get(*key).is_some())
}
