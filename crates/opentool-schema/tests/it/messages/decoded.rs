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

#[test]
fn what_an_envelope_holds_is_decoded() {
    let own = json!({
        "type": "object",
        "properties": {"v": {}, "n": {"enum": [1, "1"]}},
        "additionalProperties": false,
    });
    let renamed = json!({
        "type": "object",
        "properties": {"v": {}, "input": {"type": "object", "properties": {"a b": {"type": "integer"}}}},
        "additionalProperties": false,
    });
    let either = json!({
        "anyOf": [
            {"type": "object", "properties": {"v": {}}, "required": ["v"], "additionalProperties": false},
            {"type": "object", "properties": {"w": {}}, "required": ["w"], "additionalProperties": false},
        ],
    });
    let (gemini, openai) = (Dialect::GeminiOpenApi, Dialect::OpenAiStrict);
    let wanted = json!({"v": {"a": 1}, "n": 1});
    for (schema, dialect, written, expected) in [
        (&own, gemini, r#"{"name":"t","arguments":{"v":"{\"a\":1}","n":"1"}}"#, Some(&wanted)),
        (&own, gemini, r#"{"arguments":{"v":"{\"a\":1}","n":"1"}}"#, Some(&wanted)),
        (&own, gemini, r#"{"arguments":"{\"v\":\"{\\\"a\\\":1}\",\"n\":\"1\"}"}"#, Some(&wanted)),
        (&own, gemini, r#"{"arguments":{"name":"t","input":{"v":"{\"a\":1}","n":"1"}}}"#, Some(&wanted)),
        (&own, gemini, r#"{'name':'t','arguments':{'v':'{"a":1}','n':'1'}}"#, Some(&wanted)),
        (&own, openai, r#"{"name":"t","arguments":{"v":"{\"a\":1}","n":1}}"#, Some(&wanted)),
        // Wrong inside, told of what is inside.
        (&own, gemini, r#"{"name":"t","arguments":{"v":"{\"a\":1}","n":"2"}}"#, None),
        // A key of the tool's own is no envelope.
        (&renamed, Dialect::Anthropic, r#"{"input":{"a_b":1}}"#, Some(&json!({"input": {"a b": 1}}))),
        // The whole stands under `arguments` in the lowered form.
        (&either, openai, r#"{"arguments":{"v":"{\"a\":1}"}}"#, Some(&json!({"v": {"a": 1}}))),
        (&either, openai, r#"{"name":"t","arguments":{"v":"{\"a\":1}"}}"#, Some(&json!({"v": {"a": 1}}))),
        (
            &either,
            openai,
            r#"{"name":"t","input":{"arguments":{"v":"{\"a\":1}"}}}"#,
            Some(&json!({"v": {"a": 1}})),
        ),
    ] {
        let schema = Schema::new(schema.clone());
        let tool = ToolDefinition::new("t", "T.").input_schema(schema.clone());
        let decoder = lower(&tool, dialect).unwrap().decoder;
        for mode in [Repairs::Sure, Repairs::Wide] {
            let examined = Validator::new(&schema).unwrap().examine(&json!(written), &decoder, mode);
            let taken = examined.result.ok().map(|taken| Value::Object(taken.into_map()));
            assert_eq!(taken.as_ref(), expected, "{dialect} {written} {mode:?}");
            let decoded = examined.changes.iter().any(|change| change.stage.as_str() == "decode");
            assert!(decoded || expected.is_none(), "{dialect} {written}: {:?}", examined.changes);
        }
    }
}

#[test]
fn decoding_costs_as_much_as_there_is_and_not_each_key_for_each_property() {
    let properties = |n: usize| (0..n).map(|i| (format!("p {i}"), json!({"type": "integer"}))).collect();
    let schema = |n: usize| {
        let properties: serde_json::Map<String, Value> = properties(n);
        json!({"type": "object", "properties": properties, "additionalProperties": true})
    };
    let keys: serde_json::Map<String, Value> = (0..20_000).map(|i| (format!("q{i}"), json!(1))).collect();
    let keys = Value::Object(keys);
    let time = |n: usize| {
        let tool = ToolDefinition::new("t", "T.").input_schema(Schema::new(schema(n)));
        let decoder = lower(&tool, Dialect::Anthropic).unwrap().decoder;
        let runs = (0..3).map(|_| {
            let start = std::time::Instant::now();
            let decoded = decoder.decode(keys.clone()).unwrap();
            assert_eq!(decoder.encode(&decoded).unwrap(), keys);
            start.elapsed()
        });
        runs.min().unwrap()
    };
    let (few, many) = (time(10), time(8_000));
    assert!(many < few * 6, "{few:?} for 10 properties, {many:?} for 8,000");
}
