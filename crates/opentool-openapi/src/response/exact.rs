//! Numbers that a value cannot hold.
//!
//! `serde_json::Value` holds integers of 64 bits and doubles. An id of twenty digits, or a price of `0.1000000000000000055`,
//! would come out as another number; then the text is all that is given on. Where such a text has to be taken apart, its
//! numbers travel as marked strings, so that what is left of it has every digit.

use opentool_schema::inexact_number;
use serde_json::Value;

/// How many values and names of members an answer has at most that is read as a value: some 100 MB of memory.
const MOST_VALUES: usize = 400_000;

/// Characters for private use, around the digits. A text that has them already is not taken apart.
const BEGIN: char = '\u{f8f0}';
const END: char = '\u{f8f1}';

/// Whether a JSON text has so many values that reading it costs many times its size. What it is about is the memory of the
/// host: a few kilobytes on the wire can unpack to millions of empty objects.
pub(super) fn is_too_many(text: &str) -> bool {
    // A value and what separates it are two bytes at least.
    if text.len() / 2 <= MOST_VALUES {
        return false;
    }
    opentool_text::count_values(text) > MOST_VALUES
}

/// Whether every number of a valid JSON text is the same number after it was read.
pub(super) fn survives(text: &str) -> bool {
    inexact_number(text).is_none()
}

/// A valid JSON text as a value in which the numbers that it cannot hold are marked strings.
pub(super) fn marked(text: &str) -> Option<Value> {
    if text.contains([BEGIN, END]) || is_too_many(text) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        let (before, from) = rest.split_at_checked(at)?;
        out.push_str(before);
        let length = if from.starts_with('"') { string(from) } else { number(from) };
        let (token, after) = from.split_at_checked(length)?;
        if token.starts_with('"') || survives(token) {
            out.push_str(token);
        } else {
            out.extend(['"', BEGIN]);
            out.push_str(token);
            out.extend([END, '"']);
        }
        rest = after;
    }
    out.push_str(rest);
    serde_json::from_str(&out).ok()
}

/// The text of such a value, with its numbers.
pub(super) fn restored(text: &str) -> String {
    text.replace(&format!("\"{BEGIN}"), "").replace(&format!("{END}\""), "")
}

/// How long the string is with its quotes.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let inner = text.get(1..).unwrap_or_default();
    let end = inner.find(|c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

fn number(text: &str) -> usize {
    let digit = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    text.find(|c: char| !digit(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::{marked, restored};

    #[test]
    fn numbers_keep_their_digits() {
        let text = r#"{"a\"1":[123456789012345678901234567890,-1.5,1e400],"s":"99999999999999999999 \\","n":0.1000000000000000055511}"#;
        assert_eq!(restored(&marked(text).unwrap().to_string()), text);
        assert_eq!(marked("[\"\u{f8f0}\"]"), None);
        assert_eq!(marked("[1"), None);
    }
}
