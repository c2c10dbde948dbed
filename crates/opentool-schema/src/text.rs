//! Words about values, short enough for a model's context.

use serde_json::Value;

/// The longest text of a problem, in characters.
pub(crate) const LONGEST: usize = 500;
/// The longest picture of a value, in characters.
const VALUE: usize = 60;

/// The text, cut to `longest` characters.
pub(crate) fn shorten(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
    }
}

/// A value as a model would write it, shortened.
pub(crate) fn literal(value: &Value) -> String {
    match value {
        // A long string is cut before it is escaped, so that the cost is that of the picture.
        Value::String(text) => {
            let short = shorten(text, VALUE);
            Value::String(short).to_string()
        }
        Value::Array(_) | Value::Object(_) if weight(value, 64) == 0 => "…".to_owned(),
        other => shorten(&other.to_string(), VALUE),
    }
}

/// What is left of `budget` after counting the value's parts: 0 means "too large to print".
fn weight(value: &Value, budget: usize) -> usize {
    let left = budget.saturating_sub(1);
    match value {
        Value::Array(items) => {
            items.iter().fold(left, |left, item| if left == 0 { 0 } else { weight(item, left) })
        }
        Value::Object(members) => {
            members.values().fold(left, |left, member| if left == 0 { 0 } else { weight(member, left) })
        }
        Value::String(text) => left.saturating_sub(text.len() / VALUE),
        _ => left,
    }
}

/// What was found, with its type: `the string "5"`, `an array of 3 items`.
pub(crate) fn found(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => format!("the boolean {value}"),
        Value::Number(_) => format!("the number {}", literal(value)),
        Value::String(text) => {
            let more = if text.chars().nth(VALUE).is_some() {
                format!(" ({} characters)", text.chars().count())
            } else {
                String::new()
            };
            format!("the string {}{more}", literal(value))
        }
        Value::Array(items) => match items.len() {
            0 => "an empty array".to_owned(),
            1 => "an array of 1 item".to_owned(),
            count => format!("an array of {count} items"),
        },
        Value::Object(members) if members.is_empty() => "an empty object".to_owned(),
        Value::Object(members) => {
            format!("an object with {}", listed(members.keys().map(|key| name(key)), 5, "and"))
        }
    }
}

/// A JSON type in words.
pub(crate) fn type_in_words(name: &str) -> &str {
    match name {
        "string" => "a string",
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "an array",
        "object" => "an object",
        other => other,
    }
}

/// A key or name in backticks, shortened.
pub(crate) fn name(name: &str) -> String {
    format!("`{}`", shorten(name, VALUE))
}

/// `a, b or c`; at most `most` of them, and how many there are beyond.
pub(crate) fn listed(words: impl ExactSizeIterator<Item = String>, most: usize, last: &str) -> String {
    let count = words.len();
    let mut text = String::new();
    for (i, word) in words.take(most).enumerate() {
        if i > 0 {
            let joint = if i.saturating_add(1) == count { format!(" {last} ") } else { ", ".to_owned() };
            text.push_str(&joint);
        }
        text.push_str(&word);
    }
    match count.saturating_sub(most) {
        0 => text,
        more => format!("{text} … ({more} more)"),
    }
}
