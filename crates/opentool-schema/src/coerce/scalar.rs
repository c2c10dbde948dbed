//! Single values: numbers, truth and nothing in words, values of an enumeration spelt otherwise.

use serde_json::{Number, Value};

use super::Coercer;
use super::view::View;
use crate::exact::survives;
use crate::explain::{Path, same};
use crate::repair::{Mark, Marks};

/// A whole decimal number; `3.0` is one, `3.5`, `1,000` and what 64 bits cannot hold are not.
pub(super) fn whole_number(text: &str) -> Option<Number> {
    let text = decimal(text)?;
    if let Some(number) = integer(text) {
        return Some(number);
    }
    let float = text.parse::<f64>().ok().filter(|float| float.fract() == 0.0 && float.abs() < 9e15)?;
    if !survives(text) {
        return None;
    }
    // `0.99999999999999999` reads as 1.0, but is not written as a whole number.
    let written = text.split(['e', 'E']).next().unwrap_or_default();
    let fraction = written.split_once('.').map_or("", |(_, fraction)| fraction);
    if !text.contains(['e', 'E']) && fraction.bytes().any(|b| b != b'0') {
        return None;
    }
    // The bounds make the conversion exact.
    #[allow(clippy::cast_possible_truncation)]
    Some((float as i64).into())
}

/// A decimal number that a float or 64 bits can hold.
pub(super) fn number(text: &str) -> Option<Number> {
    let text = decimal(text)?;
    if let Some(number) = integer(text) {
        return Some(number);
    }
    // Nothing is rounded.
    survives(text).then(|| text.parse().ok())?.and_then(Number::from_f64)
}

fn integer(text: &str) -> Option<Number> {
    text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok()
}

/// The text if it is a decimal number: sign, digits, fraction, exponent.
fn decimal(text: &str) -> Option<&str> {
    let text = text.trim();
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let some = (!whole.is_empty() || !fraction.is_empty()) && !exponent.is_empty();
    (some && digits(whole) && digits(fraction) && digits(exponent)).then_some(text)
}

/// `true`, `False`; wide: `yes`, `off`, `1`.
pub(super) fn boolean(text: &str, wide: bool) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        "yes" | "y" | "on" | "1" if wide => Some(true),
        "no" | "n" | "off" | "0" if wide => Some(false),
        _ => None,
    }
}

/// `null` in words; wide: also those of other languages, and none at all.
pub(super) fn is_nothing(text: &str, wide: bool) -> bool {
    match text.trim() {
        "null" => true,
        "" | "None" | "none" | "NULL" | "Null" | "nil" | "undefined" => wide,
        _ => false,
    }
}

impl<'s> Coercer<'_, 's> {
    /// The value of `enum` or `const` that is the same but for case and white space, or for being text.
    pub(super) fn allowed(
        &mut self,
        views: &[View<'s>],
        value: &mut Value,
        marks: &mut Marks,
        at: &Path<'_>,
    ) {
        for view in views {
            let Some(allowed) = view.words.only.map(std::slice::from_ref).or(view.words.allowed) else {
                continue;
            };
            if allowed.iter().any(|one| same(one, value)) {
                continue;
            }
            if !self.steps(allowed.len() / 16) {
                return;
            }
            let Some(given) = spelt(value, marks) else { return };
            let plain = folded(&given);
            let mut meant = allowed.iter().filter(|one| match one {
                Value::String(text) => folded(text) == plain,
                Value::Number(_) | Value::Bool(_) => {
                    value.is_string() && one.to_string().as_str() == given.trim()
                }
                _ => false,
            });
            if let (Some(one), None) = (meant.next(), meant.next()) {
                self.note("one of the allowed values", at, (value, marks), one);
                *value = one.clone();
                *marks = Marks::default();
            }
        }
    }
}

/// A single value as it was written.
fn spelt(value: &Value, marks: &Marks) -> Option<String> {
    match (value, marks.own()) {
        (Value::String(_), Some(Mark::NoNumber)) => None,
        (Value::String(text), _) => Some(text.clone()),
        (Value::Number(_), Some(Mark::Digits(digits))) => Some(digits.to_string()),
        (Value::Number(_) | Value::Bool(_), _) => Some(value.to_string()),
        _ => None,
    }
}

/// Without case, and with single spaces.
fn folded(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (i, word) in text.split_whitespace().enumerate() {
        if i > 0 {
            plain.push(' ');
        }
        match word.is_ascii() {
            true => plain.extend(word.bytes().map(|byte| char::from(byte.to_ascii_lowercase()))),
            false => plain.extend(word.chars().flat_map(char::to_lowercase)),
        }
    }
    plain
}
