//! ReAct: `Action: name`, `Action Input: {…}`.

use serde_json::Value;

use super::opening::Run;
use super::{TextCall, json};

/// The call with which the text begins. An action without an input of its own was thought better of.
pub(super) fn read(text: &str) -> Run<'_> {
    let after = text.strip_prefix("Action:").unwrap_or(text);
    let mut run = Run { rest: Some(after), ..Run::default() };
    let Some((line, next)) = after.split_once('\n') else { return run };
    let name = line.trim().trim_matches('`');
    let Some(input) = next.trim_start().strip_prefix("Action Input:") else { return run };
    if name.is_empty() || name.contains(char::is_whitespace) {
        return run;
    }
    let whole = json::end(input).unwrap_or(0);
    let behind = input.get(whole..).unwrap_or_default();
    let labels = ["\nObservation", "\nThought:", "\nAction:", "\nFinal Answer:"];
    let end = labels.iter().filter_map(|label| behind.find(label)).min();
    let end = end.map_or(input.len(), |at| at.saturating_add(whole));
    let (inside, next) = input.split_at_checked(end).unwrap_or((input, ""));
    let inside = inside.trim();
    let arguments = if inside.starts_with(['{', '[', '`', '"']) {
        json::arguments(inside)
    } else {
        Ok(Value::String(inside.to_owned()))
    };
    run.found.add(arguments.map(|arguments| vec![TextCall::new(name, arguments)]));
    // What the model makes up to have observed, and all behind it, is not its call.
    let known = !next.starts_with("\nObservation") && !json::is_broken(input);
    run.rest = Some(next).filter(|_| known);
    run
}
