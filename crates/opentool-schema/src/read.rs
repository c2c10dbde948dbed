//! The first stage of a call: what the model wrote becomes one JSON object.
//!
//! Text is parsed as it stands; repairing near-JSON is a stage of its own and not done here.

use std::borrow::Cow;

use opentool_core::{InvalidArguments, Problem};
use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::exact::inexact_number;
use crate::intake::rounded;
use crate::text::found;

/// Levels that `serde_json` reads.
const LEVELS: usize = 127;

/// The arguments as an object: borrowed where they are one, parsed where they are text, empty where there are
/// none (`null`, no text).
///
/// # Errors
/// One problem with the rule `json` (not JSON, with line and column), `depth`, `type` (not an object) or `number` (one
/// that would be rounded; where it stands, only [`crate::intake`] finds out).
pub(crate) fn read(arguments: &Value) -> Result<Cow<'_, Value>, InvalidArguments> {
    let problem = match arguments {
        Value::Object(_) => return Ok(Cow::Borrowed(arguments)),
        Value::Null => return Ok(none()),
        Value::String(text) if text.trim().is_empty() => return Ok(none()),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(parsed @ Value::Object(_)) => match inexact_number(text) {
                None => return Ok(Cow::Owned(parsed)),
                Some(digits) => rounded("", digits, false),
            },
            Ok(Value::Null) => return Ok(none()),
            Ok(other) => not_an_object(&other),
            Err(error) => not_json(text, &error),
        },
        other => not_an_object(other),
    };
    Err(InvalidArguments::new(vec![problem]))
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
            .found(format!("one more at {place}"));
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
fn levels(text: &str) -> usize {
    let (mut level, mut deepest) = (0_usize, 0_usize);
    let (mut quoted, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                level = level.saturating_add(1);
                deepest = deepest.max(level);
            }
            b']' | b'}' if !quoted => level = level.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
