//! Arguments as text: what is valid is untouched, what comes out is JSON, and the way back is the same value.

use opentool_core::{Problem, Schema};
use opentool_schema::{
    Repairs, Validator, inexact_number, parse_text_calls, parse_text_calls_of, problem_code,
};
use serde_json::{Value, json};

const MODES: [Repairs; 4] = [Repairs::Off, Repairs::Sure, Repairs::Wide, Repairs::Partial];

pub(crate) fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let any = Validator::new(&Schema::new(json!({"type": "object"}))).expect("a plain schema");
    let written = Value::from(text);
    // That there are no arguments may be written as nothing or `null`; that it became an object is always on the record.
    let nothing =
        text.trim().is_empty() || serde_json::from_str::<Value>(text).is_ok_and(|read| read.is_null());
    let mut known = None;
    // A key that stands twice: strict refuses it, the others take the last one and say so.
    let mut repeats = false;
    for mode in MODES {
        match any.take(&written, mode) {
            Ok((arguments, changes)) => {
                let value = Value::Object(arguments.into_map());
                settled(&any, &value, mode);
                if mode == Repairs::Off {
                    assert_eq!(changes.len(), usize::from(nothing));
                    known = Some(value);
                } else if let (Some(known), Repairs::Sure | Repairs::Wide) = (&known, mode) {
                    assert_eq!(value, *known, "{mode:?}: what is valid is untouched");
                    assert_eq!(changes.is_empty(), !nothing, "{mode:?}: nothing is said to be changed");
                } else if let (true, Repairs::Sure | Repairs::Wide) = (repeats, mode) {
                    assert!(!changes.is_empty(), "{mode:?}: what was left out is on the record");
                }
            }
            Err(error) => {
                assert!(known.is_none() || mode == Repairs::Partial, "{mode:?} refuses what is valid");
                assert!(!error.problems.is_empty());
                error.problems.iter().for_each(told);
                repeats |= mode == Repairs::Off && error.problems[0].rule == "repeated";
            }
        }
    }
    if let Ok(value @ Value::Object(_)) = serde_json::from_str::<Value>(text)
        && inexact_number(text).is_none()
        && !repeats
    {
        assert_eq!(known.as_ref(), Some(&value), "JSON is read as everybody reads it");
    }
    prefixes(&any, text);
    let found = parse_text_calls(text);
    found.problems.iter().for_each(told);
    assert!(found.calls.len() <= 128);
    // Who knows the tools finds more; or nothing, where a text without any mark names none of them.
    let more = parse_text_calls_of(text, ["a", "add", "get_weather"]);
    assert!(found.is_empty() || more == found || more.is_empty());
    more.problems.iter().for_each(told);
}

/// The value can be written, and is then valid as it stands.
fn settled(any: &Validator, value: &Value, mode: Repairs) {
    let text = serde_json::to_string(value).expect("a value can be written");
    let (again, changes) = any.take(&text.clone().into(), Repairs::Sure).unwrap_or_else(|error| {
        panic!("{mode:?}: what was made is refused: {text}: {error:?}");
    });
    assert_eq!(Value::Object(again.into_map()), *value, "{mode:?}");
    assert!(changes.is_empty(), "{mode:?}: what was made needs no more repair: {changes:?}");
}

/// What is still being written has a best value at every point, or a problem.
fn prefixes(any: &Validator, text: &str) {
    let length = text.len();
    for at in [1, length / 4, length / 2, length.saturating_sub(1)] {
        if let Some(prefix) = text.get(..at) {
            match any.take(&prefix.into(), Repairs::Partial) {
                Ok((arguments, _)) => settled(any, &Value::Object(arguments.into_map()), Repairs::Partial),
                Err(error) => error.problems.iter().for_each(told),
            }
        }
    }
}

/// A problem is short enough for a model, and has a code.
pub(crate) fn told(problem: &Problem) {
    assert!(!problem_code(problem).is_empty());
    let shown = problem.to_string();
    assert!(shown.chars().count() < 3_000, "a problem of {} characters", shown.chars().count());
}
