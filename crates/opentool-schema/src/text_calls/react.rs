//! ReAct: `Action: name`, `Action Input: {…}`.

use opentool_core::Problem;
use serde_json::Value;

use super::{Calls, Read, TextCall, Unread, cut_off, is_name, json};

/// What the line of the arguments is called, besides `Action Input:`.
const INPUTS: [&str; 5] = ["Action Input:", "Action_Input:", "Input:", "Arguments:", "Args:"];

/// What a line begins with that goes on with something else.
const LABELS: [&str; 4] = ["Observation", "Thought:", "Action:", "Final Answer:"];

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
    let is_dropped =
        name.contains(char::is_whitespace) || LABELS.iter().any(|label| behind.starts_with(label));
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
    let whole = json::value(input).map_or(0, |(_, rest)| input.len().saturating_sub(rest.len()));
    let behind = input.get(whole..).unwrap_or_default();
    let labels = behind.match_indices('\n').map(|(at, _)| at.saturating_add(1));
    let end = labels.into_iter().find(|at| {
        behind
            .get(*at..)
            .is_some_and(|line| LABELS.iter().any(|label| line.trim_start_matches('*').starts_with(label)))
    });
    let end = end.map_or(input.len(), |at| at.saturating_add(whole));
    let (inside, next) = input.split_at_checked(end).unwrap_or((input, ""));
    let inside = inside.trim();
    if inside.is_empty() && next.is_empty() {
        return Err(cut_off().into());
    }
    let arguments = if is_json { json::arguments(inside)? } else { Value::String(inside.to_owned()) };
    Ok((Calls::one(TextCall::new(name, arguments)), next))
}
