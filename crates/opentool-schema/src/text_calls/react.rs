//! ReAct: `Action: name`, `Action Input: {…}`.

use serde_json::Value;

use super::{TextCall, TextCalls, json};

pub(super) fn read(text: &str) -> Option<TextCalls> {
    let mut found = TextCalls::default();
    let mut rest = text;
    while let Some((name, after)) = labelled(rest, "Action:").filter(|_| !found.full()) {
        let Some((_, input)) = after.split_once("Action Input:") else { break };
        // What the model makes up to have observed is not its call.
        let end =
            ["\nObservation", "\nThought:", "\nAction:"].iter().filter_map(|label| input.find(label)).min();
        let (inside, next) = input.split_at_checked(end.unwrap_or(input.len())).unwrap_or((input, ""));
        let inside = inside.trim();
        let arguments = if inside.starts_with(['{', '[', '`', '"']) {
            json::arguments(inside)
        } else {
            Ok(Value::String(inside.to_owned()))
        };
        found.add(arguments.map(|arguments| vec![TextCall::new(name, arguments)]));
        if next.starts_with("\nObservation") {
            break;
        }
        rest = next;
    }
    Some(found).filter(|found| !found.is_empty())
}

/// The rest of the first line that starts with the label, and what follows.
fn labelled<'t>(text: &'t str, label: &str) -> Option<(&'t str, &'t str)> {
    let start = match text.find(&format!("\n{label}")) {
        _ if text.starts_with(label) => label.len(),
        Some(at) => at.saturating_add(1).saturating_add(label.len()),
        None => return None,
    };
    let after = text.get(start..)?;
    let (line, rest) = after.split_once('\n')?;
    let name = line.trim().trim_matches('`');
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some((name, rest))
}
