//! Keys that stand twice in one object: the last one counts, and is never chosen in silence.

use futures_util::FutureExt as _;
use opentool_core::{Schema, ToolCall, ToolContext, ToolError};
use opentool_schema::{Dialect, RepairPolicy, Repairs, ToolSetExt as _, Validator, lower, problem_code};
use serde_json::{Value, json};

use crate::tools::{Scripted, call, set};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "where": {"type": "object", "properties": {"x": {"type": "integer"}}},
        },
    })
}

/// The value, and the changes as `pointer: before → after`.
fn take(written: &str, mode: Repairs) -> Result<(Value, Vec<String>), String> {
    let taken = Validator::new(&Schema::new(schema())).unwrap().take(&written.into(), mode);
    let (arguments, changes) = taken.map_err(|error| error.to_string())?;
    let words = changes.iter().map(|change| {
        let value = |value: &Option<Value>| value.as_ref().unwrap_or(&Value::Null).to_string();
        format!("{}: {} → {}", change.pointer, value(&change.before), value(&change.after))
    });
    Ok((arguments.into_map().into(), words.collect()))
}

#[test]
fn the_last_one_counts_and_is_on_the_record() {
    for mode in [Repairs::Sure, Repairs::Wide] {
        for (written, value, changes) in [
            (
                r#"{"city": "Paris", "days": 1, "city": "Rome"}"#,
                json!({"city": "Rome", "days": 1}),
                vec![r#"/city: "Paris" → "Rome""#],
            ),
            (
                r#"{"where": {"x": 1, "x": 2}, "days": 7, "days": 8}"#,
                json!({"where": {"x": 2}, "days": 8}),
                vec!["/days: 7 → 8", "/where/x: 1 → 2"],
            ),
            // The same twice is harmless, and told like the others.
            (r#"{"days": 1, "days": 1}"#, json!({"days": 1}), vec!["/days: 1 → 1"]),
            // Escapes do not hide it.
            (r#"{"days": 1, "d\u0061ys": 2}"#, json!({"days": 2}), vec!["/days: 1 → 2"]),
            // What came before need not fit; nobody gets it.
            (r#"{"days": "x", "days": 2}"#, json!({"days": 2}), vec![r#"/days: "x" → 2"#]),
            (r#"{"days": 99999999999999999999, "days": 2}"#, json!({"days": 2}), vec!["/days: 1e+20 → 2"]),
            // In an object that is itself the text of a value.
            (
                r#"{"where": "{\"x\": 1, \"x\": 2}"}"#,
                json!({"where": {"x": 2}}),
                vec![r#"/where: "{\"x\": 1, \"x\": 2}" → {"x":2}"#, "/where/x: 1 → 2"],
            ),
        ] {
            let expected = Ok((value, changes.into_iter().map(str::to_owned).collect()));
            assert_eq!(take(written, mode), expected, "{written} {mode:?}");
        }
    }
    // Beside other mending.
    let (value, changes) = take("{'days': 1, 'days': '2',}", Repairs::Sure).unwrap();
    assert_eq!(value, json!({"days": 2}));
    assert_eq!(changes[1..], ["/days: 1 → \"2\"", "/days: \"2\" → 2"]);
}

#[test]
fn strict_refuses_and_says_both_values() {
    let error = take(r#"{"city": "Paris", "days": 1, "city": "Rome", "x": {"y": 1, "y": 1}}"#, Repairs::Off);
    let error = error.unwrap_err();
    assert!(
        error.contains("/city: expected the key once, found it twice, with \"Paris\" and \"Rome\""),
        "{error}"
    );
    assert!(error.contains("/x/y: expected the key once"), "{error}");
    let validator = Validator::new(&Schema::new(schema())).unwrap();
    // All else that is wrong is said as well.
    let error = validator.take(&r#"{"days": 1, "days": "x"}"#.into(), Repairs::Off).unwrap_err();
    assert_eq!(
        error.problems.iter().map(problem_code).collect::<Vec<_>>(),
        ["invalid_json", "type_mismatch"]
    );
}

#[test]
fn colons_that_are_no_members_are_none() {
    for written in [r#"{"city": "a: b, \"c\": d"}"#, r#"{"where": {}, "city": "\\"}"#, r#"{"a:b": ":"}"#] {
        let (_, changes) = take(written, Repairs::Sure).unwrap();
        assert_eq!(changes, Vec::<String>::new(), "{written}");
    }
}

#[test]
fn a_call_says_it_too() {
    let tools = set(Scripted::echo(schema()));
    let asked = call("echo", r#"{"days": 1, "days": 2}"#);
    let run = |context: &ToolContext, asked: &ToolCall| {
        tools.call(context, asked).now_or_never().expect("nothing waits")
    };
    let output = run(&ToolContext::new(), &asked).unwrap();
    assert_eq!(output.structured, Some(json!({"days": 2})));
    assert_eq!(output.metadata["arguments.changes"][0]["pointer"], "/days");
    let strict = ToolContext::new().fact(RepairPolicy::new(Repairs::Off));
    assert!(matches!(run(&strict, &asked), Err(ToolError::InvalidArguments(_))));
}

#[test]
fn so_it_is_for_the_schema_of_a_dialect() {
    let tool = opentool_core::ToolDefinition::new("t", "T.").input_schema(Schema::new(schema()));
    let decoder = lower(&tool, Dialect::OpenAiStrict).unwrap().decoder;
    let validator = Validator::new(&Schema::new(schema())).unwrap();
    let written = r#"{"city": null, "days": 1, "days": 2, "where": null}"#;
    let (arguments, changes) = validator.take_decoded(&written.into(), &decoder, Repairs::Sure).unwrap();
    assert_eq!(Value::Object(arguments.into_map()), json!({"days": 2}));
    assert_eq!(changes[0].pointer, "/days");
    assert!(validator.take_decoded(&written.into(), &decoder, Repairs::Off).is_err());
}
