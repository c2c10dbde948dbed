//! Whether numbers, and all members, survive being read.
//!
//! `serde_json::Value` holds integers of 64 bits and doubles. An id of twenty digits, or a price of
//! `0.1000000000000000055`, would come out as another number; whoever reads text asks here first. So would one of two
//! members with the same key be gone. It reads no values: all it looks at is how the text is written.

use serde_json::Value;

/// Digits that every number may have: so many survive in a double, and in 64 bits.
const SAFE: usize = 15;

/// The first number of a JSON text that a [`serde_json::Value`] cannot hold: an integer beyond 64 bits, or a decimal
/// number that would be rounded. `1.10` and `1.1` are the same number; digits in strings are text.
///
/// Ordinary texts cost one look at each byte.
///
/// ```
/// # use opentool_schema::inexact_number;
/// assert_eq!(inexact_number("{\"id\": 9007199254740993, \"price\": 1.10}"), None);
/// assert_eq!(inexact_number("{\"id\": 99999999999999999999}"), Some("99999999999999999999"));
/// ```
pub fn inexact_number(text: &str) -> Option<&str> {
    if !Look::at(text).may_round() {
        return None;
    }
    numbers(text).map(|(_, number)| number).find(|number| !survives(number))
}

/// The text with 0 for every number that is too large to be even rounded; `None` where there is none.
pub fn with_zeros(text: &str) -> Option<String> {
    let mut done = String::new();
    let mut copied = 0_usize;
    for (at, number) in numbers(text) {
        if number.parse::<f64>().is_ok_and(f64::is_infinite) {
            done.push_str(text.get(copied..at)?);
            done.push('0');
            copied = at.saturating_add(number.len());
        }
    }
    done.push_str(text.get(copied..)?);
    (copied > 0).then_some(done)
}

/// The numbers of a JSON text, and where they stand.
fn numbers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while let Some(at) = rest.find(['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
            let from = rest.get(at..).unwrap_or_default();
            if let Some(string) = from.strip_prefix('"') {
                rest = string.get(string_length(string.as_bytes())..).unwrap_or_default();
                continue;
            }
            let end = from
                .find(|c: char| !(c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E')))
                .unwrap_or(from.len());
            let (number, after) = from.split_at_checked(end).unwrap_or((from, ""));
            rest = after;
            return Some((text.len().saturating_sub(from.len()), number));
        }
        None
    })
}

/// Whether a value that was read from a JSON text holds all that was written there: every number as it was, and every
/// member. What it does not hold, [`parse_calls`](crate::parse_calls) and the stages of arguments take from the text.
///
/// ```
/// # use opentool_schema::holds_all;
/// # use serde_json::json;
/// assert!(holds_all("{\"days\": 1.0}", &json!({"days": 1.0})));
/// assert!(!holds_all("{\"days\": 1, \"days\": 2}", &json!({"days": 2})));
/// ```
pub fn holds_all(text: &str, value: &Value) -> bool {
    Look::at(text).tells_all(text, value)
}

/// What one look at each byte of a JSON text tells about what its value may not: how many members were written, and how
/// the numbers were.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    members: usize,
    numbers: Spelling,
}

/// How the numbers of a text are written, at worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spelling {
    /// Short integers: printing them gives the same digits.
    Plain,
    /// Decimal numbers that survive, perhaps in another spelling.
    Decimal,
    /// With more digits than are safe, or an exponent.
    Long,
}

impl Look {
    /// Looks at a text that is JSON; what it says about others means nothing.
    pub(crate) fn at(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut members, mut numbers, mut digits) = (0_usize, Spelling::Plain, 0_usize);
        let mut before = 0_u8;
        let mut at = 0_usize;
        while let Some(&byte) = bytes.get(at) {
            at = at.saturating_add(1);
            match byte {
                b'"' => {
                    digits = 0;
                    at = at.saturating_add(string_length(bytes.get(at..).unwrap_or_default()));
                }
                b'0'..=b'9' => {
                    // `-0` is read as a decimal number.
                    if byte == b'0' && before == b'-' {
                        numbers = numbers.max(Spelling::Decimal);
                    }
                    digits = digits.saturating_add(1);
                    if digits > SAFE {
                        numbers = Spelling::Long;
                    }
                }
                b'.' => numbers = numbers.max(Spelling::Decimal),
                b'e' | b'E' if digits > 0 => numbers = Spelling::Long,
                _ => {
                    members = members.saturating_add(usize::from(byte == b':'));
                    digits = 0;
                }
            }
            before = byte;
        }
        Self { members, numbers }
    }

    /// Whether a number may be another one in the value.
    pub(crate) fn may_round(self) -> bool {
        self.numbers == Spelling::Long
    }

    /// Whether the value says how every number was written.
    pub(crate) fn is_plain(self) -> bool {
        self.numbers == Spelling::Plain
    }

    /// Whether the value, which was read from the text, holds all that was written there.
    pub(crate) fn tells_all(self, text: &str, value: &Value) -> bool {
        !self.repeats_keys(value) && (!self.may_round() || inexact_number(text).is_none())
    }

    /// Whether the value, which was read from the text, has fewer members than were written.
    pub(crate) fn repeats_keys(self, value: &Value) -> bool {
        self.members != members(value)
    }
}

/// Members of all objects in a value. No deeper than a text that was read.
fn members(value: &Value) -> usize {
    match value {
        Value::Object(inner) => inner.values().map(members).fold(inner.len(), usize::saturating_add),
        Value::Array(items) => items.iter().map(members).fold(0, usize::saturating_add),
        _ => 0,
    }
}

/// The bytes of a string behind its opening quote, the closing one included.
fn string_length(bytes: &[u8]) -> usize {
    let mut at = 0_usize;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(end) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) else { return bytes.len() };
        let is_quote = rest.get(end) == Some(&b'"');
        // What follows a backslash is no quote that counts.
        at = at.saturating_add(end).saturating_add(if is_quote { 1 } else { 2 });
        if is_quote {
            return at;
        }
    }
}

/// Whether a number is the same one after it was read; also in the spellings `+1`, `.5` and `5.`.
pub(crate) fn survives(number: &str) -> bool {
    if !number.contains(['.', 'e', 'E']) {
        return number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
    }
    let Ok(float) = number.parse::<f64>() else { return false };
    float.is_finite() && normal(number) == normal(&format!("{float:e}"))
}

/// The digits without zeros at either end, and the power of ten of the first one; zero has no digits.
fn normal(number: &str) -> Option<(String, i64)> {
    let number = number.strip_prefix(['-', '+']).unwrap_or(number);
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (number, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let leading = digits.len().saturating_sub(digits.trim_start_matches('0').len());
    let significant = digits.trim_matches('0');
    if significant.is_empty() {
        return Some((String::new(), 0));
    }
    let power = i64::try_from(whole.len()).ok()?.checked_sub(i64::try_from(leading).ok()?)?;
    Some((significant.to_owned(), exponent.checked_add(power)?))
}

#[cfg(test)]
mod tests {
    use super::inexact_number;

    #[test]
    fn numbers_that_are_held_exactly_are_found_to_be() {
        for number in [
            "0",
            "-0",
            "0.1",
            "1.10",
            "1e3",
            "1E+3",
            "100000000000000000000e-20",
            "1e300",
            "0.30000000000000004",
            "9007199254740993",
            "-9223372036854775808",
            "18446744073709551615",
            "5e-324",
            "0e0",
            "0.00000000000000000001",
        ] {
            assert_eq!(inexact_number(&format!("[{number}]")), None, "{number}");
            let read: serde_json::Value = serde_json::from_str(number).unwrap();
            assert_eq!(read.as_f64(), number.parse().ok(), "{number}");
        }
        for number in [
            "18446744073709551616",
            "-9223372036854775809",
            "99999999999999999999",
            "0.1000000000000000055",
            "9007199254740993.0",
            "9007199254740993e0",
            "1e999",
            "1e-999",
            "1.00000000000000000001e3",
        ] {
            assert_eq!(inexact_number(&format!("{{\"a\\\"\": [1, {number}]}}")), Some(number));
            assert_eq!(inexact_number(&format!("{{\"{number}\": \"\\\"{number}\"}}")), None, "text is text");
        }
    }
}
