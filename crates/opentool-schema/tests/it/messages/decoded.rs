//! Arguments that a model wrote for a lowered schema, on their way to the tool.

use opentool_core::{Schema, ToolDefinition};
use opentool_schema::{Decoder, Dialect, Repairs, Validator, lower, problem_code};
use serde_json::{Value, json};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "labels": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
        "required": ["city"],
        "additionalProperties": false,
    })
}

fn decoder() -> Decoder {
    let tool = ToolDefinition::new("weather", "The weather.").input_schema(Schema::new(schema()));
    let decoder = lower(&tool, Dialect::OpenAiStrict).unwrap().decoder;
    assert!(!decoder.is_identity());
    decoder
}

fn take(written: &str, repairs: Repairs) -> Result<(Value, Vec<&'static str>), String> {
    let validator = Validator::new(&Schema::new(schema())).unwrap();
    let taken = validator.take_decoded(&written.into(), &decoder(), repairs);
    let (arguments, changes) =
        taken.map_err(|error| problem_code(&error.problems[0]).to_owned() + ": " + &error.to_string())?;
    let stages = changes.iter().map(|change| change.stage.as_str()).collect();
    Ok((Value::Object(arguments.into_map()), stages))
}

#[test]
fn a_null_that_stands_for_absent_is_absent_and_entries_are_a_map() {
    let written = r#"{"city": "Paris", "days": null, "labels": [{"key": "a", "value": 1}]}"#;
    let expected = json!({"city": "Paris", "labels": {"a": 1}});
    for mode in [Repairs::Off, Repairs::Sure, Repairs::Wide] {
        assert_eq!(take(written, mode).unwrap(), (expected.clone(), vec!["decode"]));
    }
}

#[test]
fn the_stages_come_in_their_order() {
    let written = r#"{'city': 'Paris', 'days': '3', 'labels': null,}"#;
    let (value, stages) = take(written, Repairs::Sure).unwrap();
    assert_eq!(value, json!({"city": "Paris", "days": 3}));
    assert_eq!(stages, ["repair", "decode", "coerce"]);
    assert!(take(written, Repairs::Off).unwrap_err().starts_with("invalid_json"));
}

#[test]
fn what_is_refused_without_a_dialect_is_refused_with_one() {
    assert!(
        take(r#"{"city": "Paris", "days": 123456789012345678901, "labels": null}"#, Repairs::Sure).is_err()
    );
    assert!(take(r#"{"city": "Paris", "days": 1"#, Repairs::Sure).unwrap_err().starts_with("truncated"));
    assert!(take(r#"{"days": null}"#, Repairs::Sure).unwrap_err().starts_with("missing_required"));
    assert!(take("[1]", Repairs::Sure).unwrap_err().starts_with("type_mismatch"));
}

#[test]
fn a_prefix_is_decoded_as_far_as_it_goes() {
    let (value, _) =
        take(r#"{"city": "Paris", "days": null, "labels": [{"key": "a", "val"#, Repairs::Partial).unwrap();
    assert_eq!(value["city"], "Paris");
    assert_eq!(value.get("days"), None);
}

#[test]
fn digits_survive_the_way_back() {
    let text = json!({"type": "string"});
    let schema = json!({
        "type": "object",
        "properties": {
            "price": text,
            "days": {"type": "integer"},
            "labels": {"type": "object", "additionalProperties": text},
            "pair": {"type": "array", "prefixItems": [text, {"type": "integer"}], "items": false, "minItems": 2},
            "list": {"type": "array", "items": {"type": "object", "properties": {"a b": text}}},
        },
        "additionalProperties": false,
    });
    let tool = ToolDefinition::new("t", "").input_schema(Schema::new(schema.clone()));
    let decoder = lower(&tool, Dialect::OpenAiStrict).unwrap().decoder;
    let validator = Validator::new(&Schema::new(schema)).unwrap();
    let whole = json!({
        "price": "P", "days": 3, "labels": {"x": "L"}, "pair": ["A", 1], "list": [{"a b": "B"}],
    });
    let digits =
        [("P", "1.10"), ("L", "12345678901234567890123"), ("A", "1e3"), ("B", "0.1000000000000000055")];
    let mut encoded = decoder.encode(&whole).unwrap().to_string();
    let mut expected = whole.to_string();
    for (mark, digits) in digits {
        encoded = encoded.replace(&format!("\"{mark}\""), digits);
        expected = expected.replace(&format!("\"{mark}\""), &format!("\"{digits}\""));
    }
    for mode in [Repairs::Sure, Repairs::Wide] {
        for written in [encoded.clone(), encoded.replacen('{', "{,", 1)] {
            let (arguments, changes) = validator.take_decoded(&json!(written), &decoder, mode).unwrap();
            assert_eq!(Value::Object(arguments.into_map()).to_string(), expected, "{written}");
            let before: Vec<_> = changes
                .iter()
                .filter(|change| change.stage.as_str() == "coerce")
                .map(|c| &c.before)
                .collect();
            assert_eq!(before.len(), 4, "{changes:?}");
            assert!(before.contains(&&Some(json!("1.10"))), "{before:?}");
        }
    }
    // What is no text is not rounded, and told by the place where it is in the tool's own form.
    let refused = validator.take_decoded(
        &json!(encoded.replace(":3,", ":3e99,").replace("3e99", "99999999999999999999")),
        &decoder,
        Repairs::Sure,
    );
    assert_eq!(refused.unwrap_err().problems[0].pointer, "/days");
}
