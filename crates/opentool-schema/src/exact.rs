//! Whether numbers survive being read.
//!
//! `serde_json::Value` holds integers of 64 bits and doubles. An id of twenty digits, or a price of
//! `0.1000000000000000055`, would come out as another number; whoever reads text asks here first. It reads no
//! values: all it looks at is how numbers are written.

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
    if !suspicious(text) {
        return None;
    }
    let mut rest = text;
    while let Some(at) = rest.find(['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
        let from = rest.get(at..).unwrap_or_default();
        if let Some(string) = from.strip_prefix('"') {
            rest = after_string(string);
            continue;
        }
        let end = from
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E')))
            .unwrap_or(from.len());
        let (number, after) = from.split_at_checked(end).unwrap_or((from, ""));
        if !survives(number) {
            return Some(number);
        }
        rest = after;
    }
    None
}

/// Whether there are more digits in a row than are safe, or an exponent, in strings or not.
fn suspicious(text: &str) -> bool {
    let mut digits = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' if digits >= SAFE => return true,
            b'0'..=b'9' => digits = digits.saturating_add(1),
            b'.' => {}
            b'e' | b'E' if digits > 0 => return true,
            _ => digits = 0,
        }
    }
    false
}

/// What follows the string whose opening quote is already gone.
fn after_string(text: &str) -> &str {
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return text.get(at.saturating_add(1)..).unwrap_or_default(),
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
    ""
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
