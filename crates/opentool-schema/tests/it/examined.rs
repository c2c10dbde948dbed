//! The record of changes is complete, also where the arguments are refused.

use opentool_core::{Schema, ToolDefinition};
use opentool_schema::{Change, Decoder, Dialect, Examined, Repairs, Validator, lower, problem_code};
use proptest::prelude::*;
use serde_json::{Value, json};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "maximum": 9},
            "unit_kind": {"enum": ["celsius", "fahrenheit"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "when": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "nested_arg": {
                "type": "object",
                "properties": {"days": {"type": "integer"}, "fine_grained": {"type": "boolean"}},
                "additionalProperties": false,
            },
            "labels": {"type": "object", "additionalProperties": {"type": "number"}},
        },
        "additionalProperties": false,
    })
}

fn examine(written: &str, decoder: &Decoder, mode: Repairs) -> Examined {
    Validator::new(&Schema::new(schema())).unwrap().examine(&written.into(), decoder, mode)
}

fn stages(changes: &[Change]) -> Vec<&str> {
    changes.iter().map(|change| change.stage.as_str()).collect()
}

#[test]
fn a_refusal_shows_how_far_it_came() {
    let plain = Decoder::default();
    let examined = examine("{'days': '12',}", &plain, Repairs::Sure);
    assert_eq!(stages(&examined.changes), ["repair", "coerce"]);
    let report = Value::from(&examined);
    assert_eq!(report["value"], Value::Null);
    assert_eq!(report["changes"][1]["pointer"], "/days");
    assert_eq!(
        report["errors"],
        json!([{"code": "constraint", "pointer": "/days", "message": "/days: expected at most 9, found 12"}])
    );
    // An attempt that led nowhere is none of them.
    let examined = examine("{\"input\": {\"days\": \"x\"}}", &plain, Repairs::Sure);
    assert_eq!(stages(&examined.changes), [""; 0]);
    let tool = ToolDefinition::new("t", "T.").input_schema(Schema::new(schema()));
    let decoder = lower(&tool, Dialect::OpenAiStrict).unwrap().decoder;
    let written = r#"{'days': 3, 'unit_kind': null, 'labels': [{'key': 'a', 'value': 'x'}]}"#;
    let examined = examine(written, &decoder, Repairs::Sure);
    assert_eq!(stages(&examined.changes), ["repair", "decode"]);
    assert_eq!(problem_code(&examined.result.unwrap_err().problems[0]), "type_mismatch");
}

/// The pointers of what is not the same in two values.
fn differences(at: &str, before: &Value, after: &Value, found: &mut Vec<String>) {
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys()) {
                let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                match (a.get(key), b.get(key)) {
                    (Some(before), Some(after)) => differences(&at, before, after, found),
                    _ => found.push(at),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (before, after)) in a.iter().zip(b).enumerate() {
                differences(&format!("{at}/{i}"), before, after, found);
            }
        }
        (before, after) if before == after => {}
        _ => found.push(at.to_owned()),
    }
}

fn written() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        json!("3"),
        json!(3),
        json!(3.0),
        json!("true"),
        json!(null),
        json!("null"),
        json!("Celsius "),
        json!("x"),
        json!(["3"]),
        json!([3, "x"]),
        json!({"days": "4"}),
        json!("{\"days\": 4}"),
        json!("{'fineGrained': 'true'}"),
        json!([{"days": 1}]),
        json!({"fine-grained": "False", "days": null}),
        json!({"a": "1.5"}),
        json!(""),
        json!([]),
    ]);
    let key = prop::sample::select(vec![
        "city",
        "City",
        "days",
        "DAYS",
        "unit_kind",
        "unitKind",
        "tags",
        "when",
        "nested_arg",
        "nestedArg",
        "nested-arg",
        "labels",
        "other",
        "arguments",
        "input",
    ]);
    prop::collection::vec((key, word), 0..4)
        .prop_map(|members| members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_changes_off_the_record(written in written(), mode in prop::sample::select(vec![Repairs::Sure, Repairs::Wide])) {
        let examined = examine(&written.to_string(), &Decoder::default(), mode);
        let Ok(arguments) = examined.result else { return Ok(()) };
        let mut different = Vec::new();
        differences("", &written, &Value::Object(arguments.into_map()), &mut different);
        // A key that was written otherwise is gone from where it stood; the change names both.
        let told = |pointer: &String| examined.changes.iter().any(|change| {
            pointer.starts_with(&change.pointer)
                || change.before.as_ref().and_then(Value::as_str).is_some_and(|key| pointer.ends_with(key))
        });
        prop_assert!(different.iter().all(told), "{written}: {different:?} {:?}", examined.changes);
        prop_assert!(!different.is_empty() || examined.changes.is_empty(), "{written}: {:?}", examined.changes);
    }
}
