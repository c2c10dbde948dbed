//! Calls as JSON: `{"name": …, "arguments": …}`, alone, in a list, in a fence.

use opentool_core::Problem;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::{Calls, MOST, TextCall, cut_off, nothing_lost};
use crate::exact::Look;
use crate::repair::{self, Fault, Tolerance, Written, first_value, next_value};

/// The calls that one value of JSON is. What is wrong with one of a list is that one's problem.
fn calls(text: &str) -> Result<Calls, Problem> {
    let Written { value, mut marks } = written(text)?;
    let mut calls = Calls::default();
    match value {
        Value::Array(items) => {
            for (index, item) in items.into_iter().enumerate() {
                let lost = nothing_lost(&marks.take_item(index));
                calls.push(lost.and_then(|()| call(item)));
            }
        }
        other => calls.push(nothing_lost(&marks).and_then(|()| call(other))),
    }
    Ok(calls)
}

/// The calls with which a text begins, one or more values of JSON; `behind` says what may follow them, and where to go on.
pub(super) fn items<'t>(
    text: &'t str,
    behind: impl Fn(&'t str) -> Option<&'t str>,
) -> Result<(Calls, &'t str), Problem> {
    let mut found = Calls::default();
    let mut rest = text;
    loop {
        let (one, after) = value(rest).ok_or_else(|| fault(rest))?;
        found.all.extend(calls(one)?.all);
        let next = after.trim_start();
        let separated = next.strip_prefix([';', ',']).map(str::trim_start);
        rest = separated.unwrap_or(next);
        if !rest.starts_with("[{") && !rest.starts_with('{') {
            return behind(if rest.is_empty() { rest } else { after }).map(|rest| (found, rest)).ok_or_else(
                || Problem::new("", "json").expected("expected nothing behind the call, but it goes on"),
            );
        }
        if found.all.len() > MOST {
            return Ok((found, rest));
        }
    }
}

/// The arguments of one call, nearly JSON at least. They stay text where reading would lose something, a number's digits
/// or one of two members with the same key: what to do about that is decided, and said, where arguments are taken.
pub(super) fn arguments(text: &str) -> Result<Value, Problem> {
    let written = written(text)?;
    let exact = nothing_lost(&written.marks).is_ok() && written.marks.no_number().is_none();
    Ok(if exact { written.value } else { Value::from(text) })
}

/// The object or list with which a text begins, in a fence or not, and what follows it: what looks like a mark inside is
/// part of a string. `None` where it begins with something else, or with what cannot be read.
pub(super) fn value(text: &str) -> Option<(&str, &str)> {
    let plain = text.trim_start();
    let body = fence(plain);
    let (value, rest) = body.split_at_checked(end(body)?)?;
    let is_fenced = body.len() < plain.len();
    let rest = rest.trim_start().strip_prefix("```").filter(|_| is_fenced).unwrap_or(rest);
    Some((value, rest))
}

/// Where the object or list ends with which a text begins.
fn end(text: &str) -> Option<usize> {
    strict_end(text).or_else(|| first_value(text, Tolerance::Sure).map(|(_, end)| end))
}

/// Where the object or list ends with which a text begins and that is JSON to the letter.
pub(super) fn strict_end(text: &str) -> Option<usize> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

/// Where the object ends with which a text begins, nearly JSON at least, `tail` bytes before the end of which stands the
/// last brace.
pub(super) fn near_end(text: &str, tail: usize) -> Option<usize> {
    let last_brace = text.len().saturating_sub(tail);
    next_value(text, last_brace, Tolerance::Sure).map(|(_, end)| end)
}

/// Why the value cannot be read with which a text begins.
pub(super) fn fault(text: &str) -> Problem {
    let no_json = || Problem::new("", "json").expected("expected a call as JSON");
    match repair::read(fence(text.trim_start()), Tolerance::Sure) {
        Err(Fault::Truncated) => cut_off(),
        Err(_) => no_json(),
        Ok(written) => nothing_lost(&written.marks).err().unwrap_or_else(no_json),
    }
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
    Problem::new("", "json").expected(
        "expected a call: an object with `name` and `arguments`, and no other arguments beside them",
    )
}

/// What the parts of a call are called.
const IDS: [&str; 3] = ["id", "tool_call_id", "call_id"];
const NAMES: [&str; 4] = ["name", "tool_name", "function", "tool"];
const ARGUMENTS: [&str; 5] = ["arguments", "parameters", "args", "input", "tool_input"];
/// What else a call may say of itself.
const OTHERS: [&str; 7] = ["type", "index", "status", "thought", "thoughts", "reasoning", "object"];

fn is_known(key: &str) -> bool {
    NAMES.iter().chain(&IDS).chain(&OTHERS).any(|known| *known == key)
}

/// Whether the object says what arguments a tool takes, and gives none: `{"name", "parameters": {"type": "object", …}}`.
fn is_definition(members: &Map<String, Value>) -> bool {
    members.get("parameters").is_some_and(|schema| {
        schema.get("type").is_some_and(|of| of == "object")
            && schema.get("properties").is_some_and(Value::is_object)
    })
}

/// `{"name", "arguments"}` in its spellings.
fn call(value: Value) -> Result<TextCall, Problem> {
    let Value::Object(mut members) = value else { return Err(not_a_call()) };
    let id = IDS.iter().find_map(|key| members.get(*key)?.as_str()).map(str::to_owned);
    // OpenAI's: `{"type": "function", "function": {…}}`.
    if let Some(Value::Object(inner)) = members.get_mut("function") {
        let inner = std::mem::take(inner);
        let mut others = NAMES.iter().filter(|key| **key != "function").chain(&ARGUMENTS);
        if others.any(|key| members.contains_key(*key)) {
            return Err(not_a_call());
        }
        if !members.keys().all(|key| is_known(key)) {
            return Err(not_a_call());
        }
        members = inner;
    }
    if is_definition(&members) {
        return Err(not_a_call());
    }
    let mut names = NAMES.iter().filter_map(|key| members.get(*key)?.as_str());
    let name = names.next().ok_or_else(not_a_call)?.to_owned();
    let is_clear = names.next().is_none();
    let mut given = ARGUMENTS.iter().filter_map(|key| members.shift_remove(*key));
    let arguments = given.next();
    // Which of two, or what else is meant to be an argument, nobody can say; to leave it out would be another call.
    if given.next().is_some() || !is_clear {
        return Err(not_a_call());
    }
    drop(given);
    if !members.keys().all(|key| is_known(key)) {
        return Err(not_a_call());
    }
    let id = id.filter(|id| !id.is_empty());
    let call = TextCall::new(&name, object(arguments.unwrap_or(Value::Null)))?;
    Ok(TextCall { id, ..call })
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
pub(super) fn whole(text: &str) -> Option<Calls> {
    let body = text.trim();
    let body = match body.strip_prefix("```") {
        Some(_) => fence(body.strip_suffix("```")?).trim(),
        None => body,
    };
    if !body.starts_with('{') && !body.starts_with("[{") {
        return None;
    }
    let mut found = Calls::default();
    let mut rest = body;
    while !rest.is_empty() && found.all.len() <= MOST {
        let (one, after) = value(rest)?;
        if !is_meant(one) {
            return None;
        }
        found.all.extend(calls(one).ok()?.all);
        let after = after.trim_start();
        rest = after.strip_prefix(';').unwrap_or(after).trim_start();
    }
    Some(found)
}

/// Whether a value of JSON can be nothing but calls.
pub(super) fn is_meant(text: &str) -> bool {
    let Ok(Written { value, .. }) = written(text) else { return false };
    let items = value.as_array().map_or(std::slice::from_ref(&value), Vec::as_slice);
    !items.is_empty() && items.iter().all(is_call)
}

/// Whether a value can be nothing but a call.
fn is_call(item: &Value) -> bool {
    let inner = item.get("function").filter(|inner| inner.is_object()).unwrap_or(item);
    let named = ["name", "tool_name"].iter().any(|key| inner.get(*key).is_some_and(Value::is_string));
    named
        && ["arguments", "parameters"].iter().any(|key| inner.get(*key).is_some())
        && !inner.as_object().is_some_and(is_definition)
}
