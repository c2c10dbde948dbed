//! Whether a JSON text survives as a value.
//!
//! `serde_json::Value` holds integers of 64 bits and doubles. An id of twenty digits, or a price of `0.1000000000000000055`,
//! would come out as another number; then the text is all that is given on.

/// Whether every number of a valid JSON text is the same number after it was read.
pub(super) fn survives(text: &str) -> bool {
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
        if !number_survives(number) {
            return false;
        }
        rest = after;
    }
    true
}

/// What follows the string whose opening quote is already gone.
fn after_string(text: &str) -> &str {
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return text.get(at + 1..).unwrap_or_default(),
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
    ""
}

fn number_survives(number: &str) -> bool {
    if !number.contains(['.', 'e', 'E']) {
        return number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
    }
    let Ok(float) = number.parse::<f64>() else { return false };
    float.is_finite() && normal(number) == normal(&format!("{float:e}"))
}

/// The digits without zeros at either end, and the power of ten of the first one; zero has no digits.
fn normal(number: &str) -> Option<(String, i64)> {
    let number = number.strip_prefix('-').unwrap_or(number);
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (number, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let leading = digits.len() - digits.trim_start_matches('0').len();
    let significant = digits.trim_matches('0');
    if significant.is_empty() {
        return Some((String::new(), 0));
    }
    let power = i64::try_from(whole.len()).ok()? - i64::try_from(leading).ok()?;
    Some((significant.to_owned(), exponent.checked_add(power)?))
}
