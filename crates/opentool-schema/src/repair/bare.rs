//! Values without quotes: numbers in all spellings, the constants of several languages, words.

use serde_json::{Number, Value};

use super::scan::{Scan, closes_list, closes_object, comment, is_comma, is_quote};
use super::{Fault, Mark, Marks, Tolerance, Written};

/// A value without quotes.
pub(super) enum Bare {
    /// This value.
    Value(Written),
    /// `undefined`: as if nothing had been written.
    Absent,
    /// The text ends in it, so that it may be the beginning of another: nothing to go by.
    Open,
}

/// Reads up to the next comma, bracket, line end or quote. `listed`: in a list, where numbers side by side are
/// several.
pub(super) fn bare(scan: &mut Scan<'_>, listed: bool, tolerance: Tolerance) -> Result<Bare, Fault> {
    let rest = scan.rest();
    const PLACEHOLDER: &str = "a placeholder stands for the value";
    if let Some(word) = ordinary(rest) {
        if is_placeholder(word) {
            return Err(Fault::NotJson { at: scan.at, why: PLACEHOLDER });
        }
        scan.skip(word.len());
        return Ok(classify(word));
    }
    let refused = |at: usize, why| Err(Fault::NotJson { at: scan.at.saturating_add(at), why });
    let (mut end, mut spaced, mut colon) = (rest.len(), false, false);
    let mut open = true;
    for (at, c) in rest.char_indices() {
        let here = rest.get(at..).unwrap_or_default();
        let over = is_comma(c)
            || closes_object(c)
            || closes_list(c)
            || matches!(c, '\n' | '\r')
            || ["\\n", "\\r"].iter().any(|escaped| here.starts_with(escaped));
        let before = rest.get(..at).unwrap_or_default();
        let blank_before = before.ends_with(char::is_whitespace);
        if over || (blank_before && (is_quote(c) || comment(here) > 0)) {
            (end, open) = (at, false);
            break;
        }
        if listed
            && blank_before
            && !spaced
            && (c.is_ascii_digit() || c == '-')
            && number(before.trim_end()).is_some()
        {
            (end, open) = (at, false);
            break;
        }
        if is_quote(c) && c != '\'' && c != '’' {
            return refused(at, "a quote in the middle of a word");
        }
        if matches!(c, '{' | '[') {
            return refused(at, "a bracket in the middle of a word");
        }
        spaced |= blank_before;
        colon |= c == ':';
    }
    let word = rest.get(..end).unwrap_or_default().trim_end();
    if word.is_empty() {
        return refused(0, "a value is missing");
    }
    if !open && is_placeholder(word) {
        return refused(0, PLACEHOLDER);
    }
    if colon && spaced {
        return refused(0, "text without quotes that could hold another key");
    }
    scan.skip(end);
    if !open {
        return Ok(classify(word));
    }
    match tolerance {
        Tolerance::Prefix => Ok(unfinished(word)),
        // The whole of a constant is whole, also at the end of the text.
        Tolerance::Wide if constant(word).is_some() => Ok(classify(word)),
        _ => Ok(Bare::Open),
    }
}

/// Whether a word stands for a value that was left out: `...`, `<path>`, `?`.
pub(super) fn is_placeholder(word: &str) -> bool {
    let dots = ["...", "…"];
    let is_cut = dots.iter().any(|dots| word.starts_with(dots) || word.ends_with(dots));
    is_cut || (word.starts_with('<') && word.ends_with('>')) || !word.contains(char::is_alphanumeric)
}

/// A word of the usual letters with its end right behind it.
fn ordinary(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let end =
        bytes.iter().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+' | b'_')))?;
    let ends = matches!(bytes.get(end)?, b',' | b'}' | b']' | b'\n' | b'\r') && end > 0;
    ends.then(|| text.get(..end)).flatten()
}

/// What a whole word stands for.
pub(super) fn classify(word: &str) -> Bare {
    if word == "undefined" {
        return Bare::Absent;
    }
    if let Some(value) = constant(word) {
        return plain(value);
    }
    if let Some(written) = number(word) {
        return Bare::Value(written);
    }
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    let marks = if matches!(unsigned, "NaN" | "nan" | "Infinity" | "inf" | "Inf") || is_number(word) {
        Marks::of(Mark::NoNumber)
    } else {
        Marks::default()
    };
    Bare::Value(Written { value: Value::String(word.to_owned()), marks })
}

fn plain(value: Value) -> Bare {
    Bare::Value(Written::plain(value))
}

/// `true`, `None`, … of JSON, Python, JavaScript, Ruby.
fn constant(word: &str) -> Option<Value> {
    Some(match word {
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        "null" | "None" | "Null" | "NULL" | "nil" => Value::Null,
        _ => return None,
    })
}

/// The beginning of a word, for a value that is still being written.
fn unfinished(word: &str) -> Bare {
    let whole = ["true", "false", "null", "True", "False", "None"].iter().find(|w| w.starts_with(word));
    if let Some(value) = whole.and_then(|whole| constant(whole)) {
        return plain(value);
    }
    // `1.`, `1e`, `-`: the number so far.
    let digits = word.trim_end_matches(['.', 'e', 'E', '+', '-']);
    if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return number(digits).map_or(Bare::Open, Bare::Value);
    }
    if "undefined".starts_with(word) { Bare::Open } else { plain(Value::String(word.to_owned())) }
}

/// A number, in the spellings that programming languages agree on. `None` for all else, also for numbers that
/// JSON cannot hold.
pub(super) fn number(word: &str) -> Option<Written> {
    if !word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
        return None;
    }
    if let Some(integer) = plain_integer(word) {
        return Some(Written::plain(integer));
    }
    if let Ok(number) = serde_json::from_str::<Number>(word) {
        let same = number.to_string() == word;
        let marks = if same { Marks::default() } else { Marks::of(Mark::Digits(word.into())) };
        return Some(Written { value: Value::Number(number), marks });
    }
    let digits = Marks::of(Mark::Digits(word.into()));
    if let Some(hex) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        let value = u64::from_str_radix(hex, 16).ok().filter(|_| !hex.starts_with('+'))?;
        return Some(Written { value: value.into(), marks: digits });
    }
    let ordinary =
        word.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E' | b'_'));
    if !ordinary {
        return None;
    }
    if grouped(word) {
        let value = serde_json::from_str::<Number>(&word.replace('_', "")).ok()?;
        return Some(Written { value: Value::Number(value), marks: digits });
    }
    // `.5`, `-.5`, `5.`
    let (sign, rest) = word.strip_prefix('-').map_or(("", word), |rest| ("-", rest));
    let mended = match (rest.strip_prefix('.'), rest.strip_suffix('.')) {
        (Some(fraction), None) => format!("{sign}0.{fraction}"),
        (None, Some(whole)) => format!("{sign}{whole}.0"),
        // `007`, `+33`: a number or a name, which only a schema can tell. The text keeps both.
        _ if is_number(word) => return finite(word).then(|| text(word)),
        _ => return None,
    };
    let value = serde_json::from_str::<Number>(&mended).ok()?;
    Some(Written { value: Value::Number(value), marks: digits })
}

/// An integer in the one spelling that printing it gives, and short enough for 64 bits.
fn plain_integer(word: &str) -> Option<i64> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let ordinary = digits.len() <= 18
        && digits.starts_with(|c| matches!(c, '1'..='9'))
        && digits.bytes().all(|b| b.is_ascii_digit());
    if ordinary || word == "0" { word.parse().ok() } else { None }
}

fn text(word: &str) -> Written {
    Written::plain(word)
}

fn finite(word: &str) -> bool {
    word.parse::<f64>().is_ok_and(f64::is_finite)
}

/// `1_000`: underscores between digits only.
fn grouped(word: &str) -> bool {
    let pieces = || word.split('_');
    pieces().count() > 1
        && pieces().all(|piece| piece.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
        && pieces().all(|piece| piece.ends_with(|c: char| c.is_ascii_digit()))
}

/// Whether a word is a decimal number: sign, digits, fraction, exponent.
pub(super) fn is_number(word: &str) -> bool {
    let word = word.strip_prefix(['-', '+']).unwrap_or(word);
    let (mantissa, exponent) = word.split_once(['e', 'E']).unwrap_or((word, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits(whole) && digits(fraction) && digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))
}
