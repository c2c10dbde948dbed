//! Arguments while they are being written: what is shown only grows, and never runs.

use futures_util::FutureExt as _;
use opentool_core::{Schema, ToolContext, ToolDefinition};
use opentool_schema::{
    Decoder, Dialect, RepairPolicy, Repairs, ToolSetExt as _, Validator, lower, problem_code,
};
use serde_json::{Value, json};

use crate::tools::{Scripted, call, set};

/// Fifty texts as models write them: JSON of all sorts, and nearly JSON.
fn texts() -> Vec<String> {
    let values = [
        json!({}),
        json!({"city": "Paris"}),
        json!({"city": "Paris", "days": 3}),
        json!({"n": [1, -2.5, 1e300, 0, 12345678901_i64]}),
        json!({"t": true, "f": false, "n": null}),
        json!({"a": {"b": {"c": {"d": [[], {}, [[1]]]}}}}),
        json!({"text": "a \"quoted\" word, a \\ backslash\nand a tab\t."}),
        json!({"text": "北京 – żółć – 👩‍👩‍👧 – \u{1F600}"}),
        json!({"": "", " ": " ", "a/b~c": "x"}),
        json!({"code": "fn main() { println!(\"{}\", [1, 2]); } // done"}),
        json!({"list": ["a", "b,c", "d]", "}"]}),
        json!({"list": [{"key": "a", "value": 1}, {"key": "b", "value": {"x": [true, null]}}]}),
        json!({"url": "https://example.com/a?b=c#d", "time": "12:30:00"}),
        json!({"json": "{\"inner\": [1, 2, {\"x\": \"y\"}]}"}),
    ];
    let mut texts: Vec<String> = Vec::new();
    for value in &values {
        texts.push(value.to_string());
        texts.push(format!("{value:#}"));
    }
    texts.push(r#"{"text": "\u0041\ud83d\ude00\u00e9\/"}"#.to_owned());
    // Nearly JSON, of those that hold no apostrophe of their own.
    for value in &values[..6] {
        texts.push(value.to_string().replace('"', "'"));
        texts.push(
            value.to_string().replace("true", "True").replace("false", "False").replace("null", "None"),
        );
        texts.push(format!("```json\n{value:#}\n```"));
    }
    texts.push("{city: Paris, days: 3}".to_owned());
    texts.push("{\"city\": \"Paris\", /* a comment */ \"days\": 3, // another\n}".to_owned());
    texts.push("Here you are: {\"city\": \"Paris\"}".to_owned());
    texts
}

/// Whether a value is the beginning of another one.
fn grows(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.iter().all(|(key, value)| after.get(key).is_some_and(|after| grows(value, after)))
        }
        (Value::Array(before), Value::Array(after)) => {
            before.len() <= after.len()
                && before.iter().zip(after).all(|(before, after)| grows(before, after))
        }
        (Value::String(before), Value::String(after)) => after.starts_with(before.as_str()),
        // `1`, `12`, `12e3`: digits that are still coming.
        (Value::Number(_), Value::Number(_)) => true,
        (before, after) => before == after,
    }
}

#[test]
fn every_beginning_of_fifty_texts_is_the_beginning_of_the_value() {
    let texts = texts();
    assert!(texts.len() >= 50, "{}", texts.len());
    let validator = Validator::new(&Schema::new(json!({"type": "object"}))).unwrap();
    let sure = |text: &str| validator.take(&text.into(), Repairs::Sure);
    for text in &texts {
        let whole: Value = sure(text).unwrap_or_else(|error| panic!("{text}: {error}")).0.into_map().into();
        let mut before = json!({});
        for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
            let begun = &text[..end];
            let taken = validator.take(&begun.into(), Repairs::Partial);
            let (now, changes) = taken.unwrap_or_else(|error| panic!("{begun}: {error}"));
            let now: Value = now.into_map().into();
            assert!(changes.is_empty(), "{begun}");
            assert!(grows(&before, &now), "{begun}: {before} became {now}");
            before = now;
            // What is shown is no call: until the last bracket the text is cut off.
            let closed = begun.contains('}') && sure(begun).is_ok();
            assert!(
                closed || end == text.len() || begun.trim().is_empty() || sure(begun).is_err(),
                "{begun}"
            );
        }
        assert_eq!(before, whole, "{text}");
    }
}

#[test]
fn a_policy_cannot_make_a_beginning_run() {
    let tools = set(Scripted::echo(json!({"type": "object"})));
    let context = ToolContext::new().fact(RepairPolicy::new(Repairs::Partial));
    for text in texts() {
        let end = text.rfind('}').unwrap();
        let asked = call("echo", &text[..end]);
        let ran = tools.call(&context, &asked).now_or_never().expect("nothing waits");
        assert!(ran.is_err(), "{}", &text[..end]);
    }
}

#[test]
fn a_dialects_form_is_not_shown() {
    let schema = json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "required": ["city"],
        "additionalProperties": false,
    });
    let tool = ToolDefinition::new("t", "T.").input_schema(Schema::new(schema.clone()));
    let validator = Validator::new(&Schema::new(schema)).unwrap();
    let text = r#"{"city": "Paris", "days": null, "labels": [{"key": "a", "value": "x y"}, {"key": "b", "value": ""}]}"#;
    for dialect in [Dialect::OpenAiStrict, Dialect::AnthropicStrict, Dialect::GeminiOpenApi] {
        let decoder: Decoder = lower(&tool, dialect).unwrap().decoder;
        let mut before = json!({});
        for end in 0..=text.len() {
            let examined = validator.examine(&text[..end].into(), &decoder, Repairs::Partial);
            let now: Value =
                examined.result.unwrap_or_else(|error| panic!("{dialect}: {error}")).into_map().into();
            let labels = now.get("labels");
            assert!(
                decoder.is_identity() || labels.is_none_or(Value::is_object),
                "{dialect} {}: {now}",
                &text[..end]
            );
            assert!(decoder.is_identity() || grows(&before, &now), "{dialect}: {before} became {now}");
            before = now;
        }
    }
    let refused = validator.examine(&text[..30].into(), &Decoder::default(), Repairs::Sure);
    assert_eq!(problem_code(&refused.result.unwrap_err().problems[0]), "truncated");
}
