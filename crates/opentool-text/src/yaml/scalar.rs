//! What a YAML scalar means: the core schema of YAML 1.2, with three exceptions in favour of the text as written.
//!
//! * A number with leading zeros (`012`) stays a text: it is 10 in YAML 1.1, 12 in 1.2, and mostly a code whose zeros
//!   count.
//! * `.inf` and `.nan` stay texts: JSON has no such numbers.
//! * A decimal number that overflows stays a text; [`is_beyond`] tells that it does.

use std::borrow::Cow;

use saphyr_parser::ScalarStyle;
use serde_json::{Number, Value};

/// The value of a scalar; `tag` is the suffix of a core tag, if it has one.
pub(super) fn value(text: Cow<'_, str>, style: ScalarStyle, tag: Option<&str>) -> Value {
    match tag {
        Some("str" | "binary" | "timestamp") => Value::String(text.into_owned()),
        // A tag asks for a type: quotes do not matter then.
        Some("null" | "bool" | "int" | "float") => plain(text),
        _ if style == ScalarStyle::Plain => plain(text),
        _ => Value::String(text.into_owned()),
    }
}

/// Whether the scalar is a number that nothing can hold, and stays a text for that reason.
pub(super) fn is_beyond(text: &str, style: ScalarStyle, tag: Option<&str>) -> bool {
    let is_plain = match tag {
        Some("int" | "float") => true,
        tag => tag.is_none() && style == ScalarStyle::Plain,
    };
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    is_plain
        && is_decimal(unsigned)
        && !has_leading_zero(unsigned)
        && unsigned.parse::<f64>().is_ok_and(f64::is_infinite)
}

fn plain(text: Cow<'_, str>) -> Value {
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        other => match number(other) {
            Some(number) => Value::Number(number),
            None => Value::String(text.into_owned()),
        },
    }
}

fn number(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !is_decimal(unsigned) || has_leading_zero(unsigned) {
        return None;
    }
    let text = text.strip_prefix('+').unwrap_or(text);
    if unsigned.bytes().all(|b| b.is_ascii_digit()) {
        if let Ok(integer) = text.parse::<i64>() {
            return Some(integer.into());
        }
        if let Ok(integer) = text.parse::<u64>() {
            return Some(integer.into());
        }
    }
    // Rust reads `.5`, `5.` and `1e3`, which the check above let through.
    text.parse::<f64>().ok().and_then(Number::from_f64)
}

fn radix(digits: &str, radix: u32) -> Option<Number> {
    // `from_str_radix` would take a sign.
    let only_digits = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    only_digits.then(|| u64::from_str_radix(digits, radix).ok().map(Number::from)).flatten()
}

/// `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_decimal(text: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let mantissa = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && digits(fraction),
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => !mantissa.is_empty() && digits(mantissa),
    };
    let exponent = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    mantissa && exponent
}

fn has_leading_zero(unsigned: &str) -> bool {
    let mut bytes = unsigned.bytes();
    bytes.next() == Some(b'0') && bytes.next().is_some_and(|b| b.is_ascii_digit())
}
