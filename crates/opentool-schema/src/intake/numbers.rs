//! Numbers that no value can hold: refused where they were written, never rounded.
//!
//! The value that was read is another number then. How it was written travels beside it ([`Marks`]); text that the
//! schema wants was made of that before. What is left here is a problem, also where the schema accepts the rounded
//! number.

use std::borrow::Cow;

use opentool_core::{InvalidArguments, Problem};
use serde_json::Value;

use crate::Validator;
use crate::exact::inexact_number;
use crate::repair::{self, Marks, Tolerance, Written};
use crate::text::shorten;

/// Problems that are reported one by one.
const MOST: usize = 20;
/// Digits that are shown.
const SHOWN: usize = 40;

/// [`Validator::check`], and that every number is the one that was written.
pub(super) fn check(validator: &Validator, value: &Value, marks: &Marks) -> Result<(), InvalidArguments> {
    let checked = validator.check(value);
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

/// The value of a text that is JSON but was refused for its numbers: those that only stood where another of the same
/// key came after them are not lost. `error` is the refusal of all else.
pub(super) fn reread<'v>(
    validator: &Validator,
    written: &Value,
    error: InvalidArguments,
) -> Result<Cow<'v, Value>, InvalidArguments> {
    let Value::String(text) = written else { return Err(error) };
    let Ok(value @ Value::Object(_)) = serde_json::from_str::<Value>(text) else { return Err(error) };
    let written = beside(text, value, repair::read(text, Tolerance::Sure).ok())?;
    check(validator, &written.value, &written.marks)?;
    Ok(Cow::Owned(written.value))
}

/// The value of a text that is JSON, with how its numbers were written as the own reader saw it.
pub(super) fn beside(text: &str, value: Value, read: Option<Written>) -> Result<Written, InvalidArguments> {
    match read {
        Some(written) if written.value == value => Ok(written),
        // Where the own reader gave up or disagrees, JSON is JSON, and nobody knows where the number stands.
        _ => match inexact_number(text) {
            Some(digits) => Err(InvalidArguments::new(vec![problem("", digits, false)])),
            None => Ok(Written { value, marks: Marks::default() }),
        },
    }
}

/// The problem of a number that would be rounded.
pub(crate) fn problem(pointer: &str, digits: &str, takes_text: bool) -> Problem {
    let plain = digits.replace('_', "");
    let whole = !plain.contains(['.', 'e', 'E']);
    let what = if whole { "an integer of at most 64 bits" } else { "a number of at most 15 digits" };
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
