//! How much of an answer is taken: a short text can stand for a large value, and a stream need not end.
//!
//! A number and its comma are two bytes on the wire and about a hundred in memory, and every answer is there several
//! times while it is read. So values are counted before a text is parsed, and what a stream leaves behind is weighed.

use opentool_core::ModelError;
use serde_json::Value;

use super::failure::Unclean;

/// The most values that an answer, or an event of a stream, may hold.
const VALUES: usize = 1_000_000;
/// How heavy what is kept of a stream may get, in bytes of memory, roughly.
const KEPT: usize = 64 * 1024 * 1024;
/// What a value weighs beside its text, in bytes.
const VALUE: usize = 96;

/// Checks that a text of JSON does not hold too many values. One that is no JSON is counted as if it were.
pub(super) fn check(text: &[u8]) -> Result<(), ModelError> {
    // Every value takes a byte at least.
    if text.len() <= VALUES || count(text) <= VALUES {
        return Ok(());
    }
    Err(ModelError::Protocol(format!("the answer holds more than the limit of {VALUES} values").into()))
}

/// How many values there are at most: one at the start, one behind each bracket and each comma.
fn count(text: &[u8]) -> usize {
    let (mut count, mut in_text, mut is_escaped) = (1_usize, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' if !in_text => count = count.saturating_add(1),
            _ => {}
        }
    }
    count
}

/// What is kept of a stream, weighed.
#[derive(Debug, Default)]
pub(super) struct Kept(usize);

impl Kept {
    /// Takes a text.
    pub(super) fn text(&mut self, text: &str) -> Result<(), Unclean> {
        self.add(text.len())
    }

    /// Takes a value.
    pub(super) fn value(&mut self, value: &Value) -> Result<(), Unclean> {
        self.add(weight(value))
    }

    fn add(&mut self, bytes: usize) -> Result<(), Unclean> {
        self.0 = self.0.saturating_add(bytes);
        if self.0 > KEPT {
            let why = format!("the answer is larger than the limit of {KEPT} bytes in memory");
            return Err(ModelError::Protocol(why.into()).into());
        }
        Ok(())
    }
}

fn weight(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| name.len().saturating_add(weight(value))).sum()
        }
        _ => 0,
    };
    inside.saturating_add(VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_texts() {
        for (text, expected) in
            [("1", 1), ("[1,2,3]", 4), (r#"{"a": [1, 2], "b": "x,[{\",\\"}"#, 5), (r#"["\\", "\"", 1]"#, 4)]
        {
            assert_eq!(count(text.as_bytes()), expected, "{text}");
        }
    }
}
