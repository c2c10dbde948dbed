//! ReAct: `Action: name`, `Action Input: {…}`.

use opentool_core::Problem;
use serde_json::Value;

use super::{Calls, Read, TextCall, Unread, cut_off, is_name, json, marks, without_tokens};

/// What the line of the arguments is called, besides `Action Input:`.
const INPUTS: [&str; 5] = ["Action Input:", "Action_Input:", "Input:", "Arguments:", "Args:"];

/// The call with which the text begins. An action without an input of its own was thought better of.
pub(super) fn read(text: &str) -> Read<'_> {
    let after = text.strip_prefix("Action:").unwrap_or(text);
    let (line, next) = after.split_once('\n').unwrap_or((after, ""));
    let name = line.trim().trim_matches(['`', '*']).trim();
    // Some write the labels in bold.
    let behind = next.trim_start().trim_start_matches('*');
    if let Some(input) = INPUTS.iter().find_map(|label| behind.strip_prefix(label)) {
        if name.contains(char::is_whitespace) {
            return Err(without_input().into());
        }
        return call(name, input.trim_start_matches('*'));
    }
    if line.contains(['<', '[', '(', '{', '"']) {
        return Err(without_input().into());
    }
    let is_dropped = name.contains(char::is_whitespace) || marks::begins_with_label(behind);
    if is_dropped {
        return Ok((Calls::default(), next));
    }
    if behind.is_empty() && is_name(name) {
        return Err(cut_off().into());
    }
    Err(Unread::Talk(without_input()))
}

fn without_input() -> Problem {
    Problem::new("", "call").expected(
        "expected the name of one tool behind `Action:`, and a line `Action Input:` with its arguments",
    )
}

fn call<'t>(name: &str, input: &'t str) -> Read<'t> {
    let body = input.trim_start();
    let is_json = body.starts_with(['{', '[', '`', '"']);
    if (body.starts_with('{') || body.starts_with("```")) && json::value(body).is_none() {
        return Err(json::fault(body).into());
    }
    if body.starts_with(['{', '[', '`'])
        && let Some((value, rest)) = json::value(body)
    {
        return with_value(name, value, rest);
    }
    let end = marks::next_label(input, 0).unwrap_or(input.len());
    let (inside, next) = input.split_at_checked(end).unwrap_or((input, ""));
    let inside = inside.trim();
    if inside.is_empty() && next.is_empty() {
        return Err(cut_off().into());
    }
    let arguments = if is_json { json::arguments(inside)? } else { Value::String(inside.to_owned()) };
    Ok((Calls::one(TextCall::new(name, arguments)), next))
}

/// A call whose arguments end themselves: what follows in other lines, a result perhaps, is none of them.
fn with_value<'t>(name: &str, value: &'t str, rest: &'t str) -> Read<'t> {
    let line = rest.split('\n').next().unwrap_or_default();
    let next = rest.get(line.len()..).unwrap_or_default();
    // Brackets too many say nothing.
    let is_more = |c: char| matches!(c, '}' | ']' | '`' | '*' | '.') || c.is_whitespace();
    let more = without_tokens(line.trim_matches(is_more));
    if !more.is_empty() || next.trim_start().starts_with(['{', '[', '"', ',', ':']) {
        return Err(Problem::new("", "call")
            .expected("expected nothing behind the arguments of a call, but there is something")
            .into());
    }
    let call = json::arguments(value).and_then(|arguments| TextCall::new(name, arguments));
    Ok((Calls::one(call), next))
}
