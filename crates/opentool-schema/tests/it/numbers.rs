//! No number is rounded: what a value cannot hold is refused, wherever it came from.

use futures_util::FutureExt as _;
use opentool_core::{Schema, ToolContext, ToolError};
use opentool_schema::{Repairs, ToolSetExt as _, Validator, parse_text_calls};
use serde_json::{Value, json};

use crate::tools::{Scripted, call, set};

const LONG: &str = "99999999999999999999";

fn of(property: Value) -> Value {
    json!({"type": "object", "properties": {"n": property}})
}

/// The value of `n`, or the problems as the model reads them.
fn n(schema: &Value, written: impl Into<Value>, mode: Repairs) -> Result<Value, String> {
    let taken = Validator::new(&Schema::new(schema.clone())).unwrap().take(&written.into(), mode);
    taken.map(|(arguments, _)| arguments["n"].clone()).map_err(|error| error.to_string())
}

#[test]
fn a_number_that_does_not_fit_is_refused_where_it_stands() {
    for kind in [json!({"type": "integer"}), json!({"type": "number"}), json!({})] {
        for mode in [Repairs::Off, Repairs::Sure, Repairs::Wide] {
            for digits in [LONG, "-9223372036854775809", "0.1000000000000000055", "9007199254740993.0"] {
                let error = n(&of(kind.clone()), format!("{{\"n\": {digits}}}"), mode).unwrap_err();
                assert!(error.contains("/n: ") && error.contains(digits), "{kind} {mode:?}: {error}");
            }
        }
        // Nearly JSON, too, and JSON in text.
        for written in [format!("{{n: {LONG},}}"), json!(format!("{{\"n\":{LONG}}}")).to_string()] {
            let error = n(&of(kind.clone()), written, Repairs::Sure).unwrap_err();
            assert!(error.contains("/n: ") && error.contains(LONG), "{error}");
        }
    }
}

#[test]
fn every_such_number_is_named_beside_the_other_problems() {
    let schema = json!({
        "type": "object",
        "properties": {"ids": {"type": "array", "items": {"type": "integer"}}, "a/b": {}, "x": {"type": "boolean"}},
    });
    let text = format!("{{\"ids\": [1, {LONG}, \"{LONG}\"], \"a/b\": {{\"deep\": [{LONG}]}}, \"x\": 7}}");
    for mode in [Repairs::Off, Repairs::Sure] {
        let validator = Validator::new(&Schema::new(schema.clone())).unwrap();
        let error = validator.take(&text.as_str().into(), mode).unwrap_err();
        let found: Vec<_> = error.problems.iter().map(|p| (p.pointer.as_str(), p.rule.as_str())).collect();
        let expected = [("/a~1b/deep/0", "number"), ("/ids/1", "number"), ("/ids/2", "type"), ("/x", "type")];
        assert_eq!(found, expected, "{mode:?}");
    }
}

#[test]
fn the_words_say_what_would_be_taken() {
    for (kind, digits, words) in [
        (json!({"type": "integer"}), LONG, "an integer of at most 64 bits; nothing is rounded"),
        (json!({}), LONG, "an integer of at most 64 bits, or its digits as a string; nothing is rounded"),
        (json!({"type": ["string", "number"]}), "0.1000000000000000055", "or its digits as a string"),
        (json!({"type": "number"}), "0.1000000000000000055", "did you mean `0.1`?"),
    ] {
        for mode in [Repairs::Off, Repairs::Sure] {
            let error = n(&of(kind.clone()), format!("{{\"n\": {digits}}}"), mode).unwrap_err();
            assert!(error.contains(words), "{kind}: {error}");
        }
    }
    let endless = n(&of(json!({})), format!("{{\"n\": {}}}", "9".repeat(300)), Repairs::Sure).unwrap_err();
    assert!(endless.len() < 300, "{endless}");
}

#[test]
fn what_fits_is_what_was_written() {
    for number in ["0.1", "1.10", "1e3", "9007199254740993", "18446744073709551615", "-0.30000000000000004"] {
        let written = format!("{{\"n\": {number}}}");
        let value: Value = serde_json::from_str(number).unwrap();
        for mode in [Repairs::Off, Repairs::Sure] {
            assert_eq!(n(&of(json!({"type": "number"})), written.as_str(), mode), Ok(value.clone()));
        }
    }
    // Digits in text are text, the last one of a key counts, and a key that is taken out takes its number along.
    let text = of(json!({"type": "string"}));
    assert_eq!(n(&text, format!("{{\"n\": \"{LONG}\"}}"), Repairs::Off), Ok(json!(LONG)));
    assert_eq!(n(&text, format!("{{\"n\": {LONG}}}"), Repairs::Sure), Ok(json!(LONG)));
    assert_eq!(n(&of(json!({})), format!("{{\"n\": {LONG}, \"n\": 1}}"), Repairs::Sure), Ok(json!(1)));
    let closed = json!({"type": "object", "properties": {"n": {}}, "additionalProperties": false});
    assert_eq!(n(&closed, format!("{{\"n\": 1, \"m\": {LONG}}}"), Repairs::Wide), Ok(json!(1)));
}

#[test]
fn text_that_becomes_a_number_is_not_rounded_either() {
    for digits in [LONG, "0.1000000000000000055", "1.00000000000000000001e3"] {
        for kind in ["number", "integer"] {
            let error = n(&of(json!({"type": kind})), json!({"n": digits}), Repairs::Wide).unwrap_err();
            assert!(error.contains("the string"), "{error}");
        }
    }
    assert_eq!(n(&of(json!({"type": "number"})), json!({"n": "1.10"}), Repairs::Sure), Ok(json!(1.1)));
}

#[test]
fn parsed_integers_have_at_most_64_bits() {
    let list = json!({"type": "array", "items": {"type": "integer"}});
    for (kind, value) in [
        (json!({"type": "integer"}), json!(1e20)),
        (json!({"type": "integer"}), json!(-1e19)),
        (json!({"type": "integer", "minimum": 0}), json!(1e20)),
        (json!({"type": ["integer", "null"]}), json!(1e20)),
        (json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}), json!(1e20)),
        (json!({"$ref": "#/$defs/id"}), json!(1e20)),
        (list, json!([1, 1e20])),
    ] {
        let mut schema = of(kind);
        schema["$defs"] = json!({"id": {"type": "integer"}});
        for written in [json!({"n": value}), Value::String(json!({"n": value}).to_string())] {
            for mode in [Repairs::Off, Repairs::Sure] {
                let error = n(&schema, written.clone(), mode).unwrap_err();
                assert!(error.contains("/n") && error.contains("an integer"), "{schema}: {error}");
                assert!(error.contains("64 bits") || schema.to_string().contains("anyOf"), "{error}");
            }
        }
    }
    for (kind, value) in [
        (json!({"type": "number"}), json!(1e20)),
        (json!({"anyOf": [{"type": "integer"}, {"type": "number"}]}), json!(1e300)),
        (json!({"type": "integer"}), json!(3.0)),
        (json!({"type": "integer"}), json!(u64::MAX)),
        (json!({"type": "integer"}), json!(1e18)),
    ] {
        assert_eq!(n(&of(kind), json!({"n": value}), Repairs::Sure), Ok(value));
    }
}

#[test]
fn nothing_runs_on_a_rounded_number() {
    let tools = set(Scripted::new("t", of(json!({"type": "integer"})), |_, _| panic!("ran")));
    for arguments in [Value::String(format!("{{\"n\": {LONG}}}")), json!({"n": 1e20})] {
        let cx = ToolContext::new();
        let result = tools.call(&cx, call("t", arguments)).now_or_never().unwrap();
        assert!(matches!(result, Err(ToolError::InvalidArguments(_))), "{result:?}");
    }
}

#[test]
fn a_decimal_number_is_passed_on_as_it_was_written() {
    // A reader that is off by one in the last place gives 83552104478267.13 for the first.
    for text in
        ["83552104478267.12", "0.30000000000000004", "1.7976931348623157e308", "5e-324", "51.24817837550540"]
    {
        let read: Value = serde_json::from_str(text).unwrap();
        assert_eq!(read.as_f64(), text.parse().ok(), "{text}");
    }
    assert_eq!(serde_json::from_str::<Value>("83552104478267.12").unwrap().to_string(), "83552104478267.12");
}

#[test]
fn calls_written_as_text_round_nothing() {
    let found = parse_text_calls(&format!(
        "<|tool_call_begin|>t<|tool_call_argument_begin|>{{\"n\": {LONG}}}<|tool_call_end|>"
    ));
    // The schema decides: as text it is taken, as a number refused.
    assert_eq!(found.calls.len(), 1, "{found:?}");
    let arguments = found.calls[0].arguments.clone();
    assert_eq!(n(&of(json!({"type": "string"})), arguments.clone(), Repairs::Sure), Ok(json!(LONG)));
    assert!(n(&of(json!({"type": "integer"})), arguments, Repairs::Sure).is_err());
    for text in [
        format!("<tool_call>{{\"name\": \"t\", \"arguments\": {{\"n\": {LONG}}}}}</tool_call>"),
        format!("[{{\"name\": \"t\", \"arguments\": {{\"n\": {LONG}}}}}]"),
        format!("[t(n={LONG})]"),
        format!("[t(n=[1, {LONG}])]"),
    ] {
        let found = parse_text_calls(&text);
        assert!(found.calls.is_empty(), "{text}: {found:?}");
        assert_eq!(found.problems[0].rule, "number", "{text}");
    }
}
