//! The first stage of a call: what the model wrote becomes one JSON object.
//!
//! Text is parsed as it stands; repairing near-JSON is a stage of its own and not done here. What a value cannot
//! hold is not lost in silence: a number that would be rounded, and a key that stands twice, are told apart from an
//! object that says all that was written. Words are made only when somebody asks for them.

use std::borrow::Cow;

use opentool_core::{InvalidArguments, Problem};
use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::exact::{Look, inexact_number};
use crate::intake::{deepest, rounded};
use crate::repair::LEVELS;
use crate::text::found;

/// Arguments that are no object as they stand, or not surely the one that was written.
#[derive(Debug)]
pub(crate) enum Unread<'a> {
    /// JSON, but no object.
    NoObject(Cow<'a, Value>),
    /// The text of an object with these digits, which no value holds.
    Rounded(Value, &'a str),
    /// The text of an object in which a key stands twice.
    Repeated(Value),
    /// Text that is no JSON.
    NotJson(&'a str, serde_json::Error),
}

impl<'a> Unread<'a> {
    /// The value of a text that is JSON.
    pub(crate) fn into_json(self) -> Option<Cow<'a, Value>> {
        match self {
            Self::NoObject(value) => Some(value),
            Self::Rounded(value, _) | Self::Repeated(value) => Some(Cow::Owned(value)),
            Self::NotJson(..) => None,
        }
    }
}

/// One problem with the rule `json` (not JSON, with line and column), `depth`, `type` (not an object), `number` (one
/// that would be rounded) or `repeated` (a key that stands twice); where the last two stand, only [`crate::intake`]
/// finds out.
impl From<Unread<'_>> for InvalidArguments {
    fn from(unread: Unread<'_>) -> Self {
        Self::new(vec![match unread {
            Unread::NoObject(value) => not_an_object(&value),
            Unread::Rounded(_, digits) => rounded("", digits, false),
            Unread::Repeated(_) => {
                Problem::new("", "repeated").expected("expected every key once, but one stands twice")
            }
            Unread::NotJson(text, error) => not_json(text, &error),
        }])
    }
}

/// The arguments as an object: borrowed where they are one, parsed where they are text, empty where there are
/// none (`null`, no text).
pub(crate) fn read(arguments: &Value) -> Result<Cow<'_, Value>, Unread<'_>> {
    match arguments {
        Value::Object(_) => Ok(Cow::Borrowed(arguments)),
        Value::Null => Ok(none()),
        Value::String(text) if text.trim().is_empty() => Ok(none()),
        Value::String(text) => match serde_json::from_str(text).or_else(|error| deepest(text).ok_or(error)) {
            Ok(object @ Value::Object(_)) => {
                let look = Look::at(text);
                if look.repeats_keys(&object) {
                    return Err(Unread::Repeated(object));
                }
                match look.may_round().then(|| inexact_number(text)).flatten() {
                    None => Ok(Cow::Owned(object)),
                    Some(digits) => Err(Unread::Rounded(object, digits)),
                }
            }
            Ok(Value::Null) => Ok(none()),
            Ok(other) => Err(Unread::NoObject(Cow::Owned(other))),
            Err(error) => Err(Unread::NotJson(text, error)),
        },
        other => Err(Unread::NoObject(Cow::Borrowed(other))),
    }
}

fn none() -> Cow<'static, Value> {
    Cow::Owned(Value::Object(Map::new()))
}

pub(crate) fn not_an_object(value: &Value) -> Problem {
    Problem::new("", "type").expected("expected a JSON object").found(found(value))
}

fn not_json(text: &str, error: &serde_json::Error) -> Problem {
    let place = format!("line {}, column {}", error.line(), error.column());
    if levels(text) > LEVELS {
        return Problem::new("", "depth")
            .expected(format!("expected at most {LEVELS} levels of nested arrays and objects"))
            .found("more");
    }
    if error.is_syntax() && levels(text) == LEVELS {
        // `serde_json` gave up before it came to what is wrong.
        return Problem::new("", "json")
            .expected(format!("expected JSON, which these {LEVELS} levels are not"));
    }
    let told = error.to_string();
    // serde_json repeats the place at the end of its text.
    let reason = told.rsplit_once(" at line ").map_or(told.as_str(), |(reason, _)| reason);
    let expected = match error.classify() {
        Category::Eof => format!("expected a whole JSON object, but the text ends too early, at {place}"),
        _ => format!("expected JSON, but at {place}: {reason}"),
    };
    Problem::new("", "json").expected(expected)
}

/// How deep the brackets of a text nest, strings left out.
pub(crate) fn levels(text: &str) -> usize {
    let (mut level, mut deepest) = (0_usize, 0_usize);
    for (_, bracket) in brackets(text) {
        match bracket {
            Bracket::Opens => level = level.saturating_add(1),
            Bracket::Closes => level = level.saturating_sub(1),
        }
        deepest = deepest.max(level);
    }
    deepest
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bracket {
    Opens,
    Closes,
}

/// The brackets of arrays and objects in a text, strings left out, and where they stand.
pub(crate) fn brackets(text: &str) -> impl Iterator<Item = (usize, Bracket)> {
    let (mut quoted, mut escaped) = (false, false);
    text.bytes().enumerate().filter_map(move |(at, byte)| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => return Some((at, Bracket::Opens)),
            b']' | b'}' if !quoted => return Some((at, Bracket::Closes)),
            _ => {}
        }
        None
    })
}
