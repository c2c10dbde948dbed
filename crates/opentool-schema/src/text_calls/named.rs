//! GLM-4: the name on a line of its own, then the arguments as JSON, and nothing else in the text.

use serde_json::Value;

use super::{Calls, TextCall, is_name, json};

/// Words that stand before JSON and are no names of tools.
const LABELS: [&str; 12] = [
    "json",
    "output",
    "result",
    "results",
    "answer",
    "response",
    "example",
    "arguments",
    "parameters",
    "input",
    "data",
    "schema",
];

pub(super) fn read(text: &str) -> Option<Calls> {
    let body = text.trim();
    let body = body.strip_prefix("<|assistant|>").unwrap_or(body).trim_start();
    let (name, arguments) = body.split_once('\n')?;
    let (name, arguments) = (name.trim(), arguments.trim());
    // A word that a person would put there is none: names are written small, or in several parts.
    let small = !name.contains(char::is_uppercase) || name.contains(['_', '.', '-']);
    if !is_name(name) || !small || LABELS.contains(&name) {
        return None;
    }
    // Only what is JSON to the letter: there is no marker that says that this is a call.
    let Ok(Value::Object(_)) = serde_json::from_str(arguments) else { return None };
    let call = json::arguments(arguments).and_then(|arguments| TextCall::new(name, arguments));
    Some(Calls::one(call))
}
