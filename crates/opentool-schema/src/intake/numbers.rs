//! Numbers that no value can hold: refused where they were written, never rounded.
//!
//! The value that was read is another number then. How it was written travels beside it ([`Marks`]); text that the
//! schema wants was made of that before. What is left here is a problem, also where the schema accepts the rounded
//! number.

use opentool_core::{InvalidArguments, Problem};
use serde_json::Value;

use super::repeated;
use crate::Validator;
use crate::exact::inexact_number;
use crate::read::Unread;
use crate::repair::{self, Marks, Tolerance, Written};
use crate::text::shorten;

/// Problems that are reported one by one.
const MOST: usize = 20;
/// Digits that are shown.
const SHOWN: usize = 40;

/// The verdict `checked`, and that every number is the one that was written.
pub(super) fn settle(
    validator: &Validator,
    value: &Value,
    marks: &Marks,
    checked: Result<(), InvalidArguments>,
) -> Result<(), InvalidArguments> {
    if marks.none() {
        return checked;
    }
    // A value that something else was made of, or that was taken out, is not lost.
    let is_there = |pointer: &str| value.pointer(pointer).is_some_and(Value::is_number);
    let lost: Vec<(String, &str)> =
        marks.lost().into_iter().filter(|(pointer, _)| is_there(pointer)).collect();
    if lost.is_empty() {
        return checked;
    }
    let others = checked.err().map(|error| error.problems).unwrap_or_default();
    let takes_text = |pointer: &str, digits: &str| {
        let mut other = value.clone();
        if let Some(place) = other.pointer_mut(pointer) {
            *place = digits.into();
        }
        let left = validator.check(&other).err().map(|error| error.problems).unwrap_or_default();
        left.iter().all(|problem| others.contains(problem))
    };
    let mut problems: Vec<Problem> = lost
        .iter()
        .take(MOST)
        .map(|(pointer, digits)| problem(pointer, digits, takes_text(pointer, digits)))
        .collect();
    if lost.len() > MOST {
        problems.push(Problem::new("", "more").expected("there are more such numbers; these are the first"));
    }
    let told = |problem: &Problem| lost.iter().any(|(pointer, _)| *pointer == problem.pointer);
    problems.extend(others.iter().filter(|problem| !told(problem)).cloned());
    Err(InvalidArguments::new(problems))
}

/// Why a text that is JSON is refused where nothing is mended: where the number or the key stands for which it was not
/// read as it stands, besides all else that is wrong. A number that only stood where another of the same key came
/// after it is not lost.
pub(super) fn reread(
    validator: &Validator,
    written: &Value,
    unread: Unread<'_>,
) -> Result<Value, InvalidArguments> {
    let Value::String(text) = written else { return Err(unread.into()) };
    let reread = |value: &Value| beside(text, value.clone(), repair::read(text, Tolerance::Sure).ok());
    match &unread {
        Unread::Rounded(value, _) => {
            let written = reread(value)?;
            let checked = validator.check(&written.value);
            settle(validator, &written.value, &written.marks, checked)?;
            Ok(written.value)
        }
        Unread::Repeated(value) => {
            let written = reread(value)?;
            let mut problems = repeated::problems(&written);
            if problems.is_empty() {
                return Err(unread.into());
            }
            let checked = validator.check(&written.value);
            let checked = settle(validator, &written.value, &written.marks, checked);
            problems.extend(checked.err().into_iter().flat_map(|error| error.problems));
            Err(InvalidArguments::new(problems))
        }
        _ => Err(unread.into()),
    }
}

/// The value of a text that is JSON, with how its numbers were written as the own reader saw it.
pub(super) fn beside(text: &str, value: Value, read: Option<Written>) -> Result<Written, InvalidArguments> {
    match read {
        Some(written) if written.value == value => Ok(written),
        // Where the own reader gave up or disagrees, JSON is JSON, and nobody knows where the number stands.
        _ => match inexact_number(text) {
            Some(digits) => Err(InvalidArguments::new(vec![problem("", digits, false)])),
            None => Ok(Written::plain(value)),
        },
    }
}

/// The problem of a number that would be rounded.
pub(crate) fn problem(pointer: &str, digits: &str, takes_text: bool) -> Problem {
    let plain = digits.replace('_', "");
    let whole = !plain.contains(['.', 'e', 'E']);
    let what = if whole {
        "an integer of at most 64 bits"
    } else {
        "a number that 64 bits hold as it is written (any of 15 digits)"
    };
    let instead = if takes_text { ", or its digits as a string" } else { "" };
    let problem = Problem::new(pointer, "number")
        .expected(format!("expected {what}{instead}; nothing is rounded"))
        .found(format!("the number {}", shorten(digits, SHOWN)));
    let nearest = plain.parse::<f64>().ok().filter(|float| float.is_normal() && !whole && !takes_text);
    match nearest.and_then(serde_json::Number::from_f64) {
        Some(nearest) => problem.did_you_mean(nearest.to_string()),
        None => problem,
    }
}
