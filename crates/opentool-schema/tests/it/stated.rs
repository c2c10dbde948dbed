//! What is refused, listed or named with its reason: lowered schemas, unknown keys, formats.

use std::time::{Duration, Instant};

use opentool_core::{Schema, Strict, ToolDefinition};
use opentool_schema::{Dialect, LowerOptions, Lowered, Repairs, Validator, lower, parse_definitions};
use serde_json::{Map, Value, json};

fn tool(schema: Value) -> ToolDefinition {
    ToolDefinition::new("t", "d").input_schema(Schema::new(schema))
}

fn losses(lowered: &Lowered) -> Vec<(String, String)> {
    lowered.losses().map(|loss| (loss.pointer.clone(), loss.keyword.clone())).collect()
}

fn problems(schema: Value, arguments: &Value) -> Vec<String> {
    let validator = Validator::new(&Schema::new(schema)).unwrap();
    match validator.take(arguments, Repairs::Sure) {
        Ok(_) => Vec::new(),
        Err(error) => error.problems.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn a_root_that_takes_no_object_is_refused_everywhere() {
    for schema in [
        json!({"type": "array", "items": {"type": "integer"}}),
        json!({"type": ["string", "null"]}),
        json!({"$ref": "#/$defs/x", "$defs": {"x": {"type": "array"}}}),
        json!({"allOf": [{"type": "string"}]}),
        json!({"enum": ["a", 1]}),
    ] {
        for dialect in Dialect::all() {
            let refused = lower(&tool(schema.clone()), *dialect).err();
            let words = refused.map(|error| error.to_string()).unwrap_or_default();
            assert!(words.contains("object"), "{dialect} {schema}: {words:?}");
        }
    }
    assert!(lower(&tool(json!({"type": ["object", "null"]})), Dialect::OpenAi).is_ok());
}

#[test]
fn circles_and_patterns_that_are_none_do_not_get_out() {
    let circle = json!({"type": "object", "properties": {
        "a": {"allOf": [{"$ref": "#/properties/b"}]},
        "b": {"anyOf": [{"$ref": "#/properties/a"}]},
    }});
    for dialect in [Dialect::OpenAi, Dialect::OpenAiStrict, Dialect::GeminiOpenApi] {
        assert!(lower(&tool(circle.clone()), dialect).is_err(), "{dialect}");
    }
    let broken = json!({"type": "object", "properties": {"p": {"type": "string", "pattern": "["}}});
    let lowered = lower(&tool(broken), Dialect::OpenAiStrict).unwrap();
    assert!(losses(&lowered).contains(&("/properties/p".to_owned(), "pattern".to_owned())));
    assert!(!lowered.definition.to_string().contains("\"pattern\":\"["), "{}", lowered.definition);
}

#[test]
fn a_reason_names_the_place_of_the_schema_that_says_nothing() {
    let schema = json!({
        "type": "object",
        "properties": {"meta": {"type": "object", "additionalProperties": true}},
        "required": ["meta"],
        "additionalProperties": false,
    });
    let lowered = lower(&tool(schema), LowerOptions::new(Dialect::OpenAi).strict(Strict::Auto)).unwrap();
    assert!(lowered.strict.reason.contains("`/properties/meta"), "{}", lowered.strict.reason);
}

#[test]
fn names_that_are_no_longer_refused_are_a_loss() {
    let schema = |names: Value| {
        json!({
            "type": "object",
            "properties": {"a": {"type": "integer"}, "long": {"type": "integer"}},
            "propertyNames": names,
            "additionalProperties": false,
        })
    };
    for dialect in [Dialect::OpenAiStrict, Dialect::AnthropicStrict, Dialect::DeepSeekStrict] {
        let listed = |names: Value| {
            losses(&lower(&tool(schema(names)), dialect).unwrap())
                .iter()
                .any(|(_, word)| word == "propertyNames")
        };
        assert!(listed(json!({"maxLength": 1})), "{dialect}");
        assert!(!listed(json!({"maxLength": 10})), "{dialect}");
    }
}

#[test]
fn keys_by_pattern_are_known_and_coerced() {
    let schema = || {
        json!({"type": "object", "properties": {"h": {
            "type": "object",
            "patternProperties": {"^x-": {"type": "integer"}},
            "additionalProperties": false,
        }}})
    };
    let told = problems(schema(), &json!({"h": {"y": 1}})).join("\n");
    assert!(told.contains("^x-") && !told.contains("no keys"), "{told}");
    let open = json!({"type": "object", "properties": {"h": {
        "type": "object",
        "patternProperties": {"^x-": {"type": "integer"}},
        "additionalProperties": {"type": "boolean"},
    }}});
    let validator = Validator::new(&Schema::new(open)).unwrap();
    let (taken, changes) = validator.take(&json!({"h": {"x-a": "1", "b": "true"}}), Repairs::Sure).unwrap();
    assert_eq!((&taken["h"], changes.len()), (&json!({"x-a": 1, "b": true}), 2));
}

#[test]
fn the_alternative_is_meant_that_knows_the_given_keys() {
    let schema = json!({"properties": {"v": {"oneOf": [
        {"type": "object", "properties": {"a": {"type": "integer", "maximum": 5}, "b": {"type": "integer"}}, "required": ["a", "b"]},
        {"type": "object", "properties": {"c": {"type": "string"}}, "required": ["c"]},
    ]}}});
    let told = problems(schema, &json!({"v": {"a": "word"}})).join("\n");
    assert!(told.contains("/v/a") && !told.contains("/v/c"), "{told}");
}

#[test]
fn a_definition_says_why_it_cannot_be_called() {
    let said = |schema: Value| {
        let parsed = parse_definitions(&json!([{"name": "t", "inputSchema": schema}])).unwrap();
        parsed.diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let array = said(json!({"type": "array"}));
    assert!(array.contains("schema-no-object"), "{array}");
    let pattern = said(json!({"type": "object", "properties": {"a": {"pattern": "["}}}));
    assert!(pattern.contains("no regular expression") && pattern.matches("(at ").count() == 1, "{pattern}");
}

#[test]
fn formats_are_asserted() {
    for (format, wrong, right) in [
        ("regex", "[", "^[a-z]+$"),
        ("json-pointer", "a/b", "/a/b"),
        ("relative-json-pointer", "/a", "1/a"),
        ("uri-template", "/{id", "/{id}"),
        ("uri-reference", "a b", "a#b"),
        ("iri", "/a", "https://exämple.org/ä"),
        ("uri", "a", "https://example.org"),
    ] {
        let schema = json!({"properties": {"v": {"type": "string", "format": format}}});
        assert_eq!(problems(schema.clone(), &json!({"v": wrong})).len(), 1, "{format}");
        assert!(problems(schema, &json!({"v": right})).is_empty(), "{format}");
    }
    // Values that are meant and break the rules of their name.
    for (format, usual) in [("time", "14:30"), ("duration", "1h30m")] {
        let schema = json!({"properties": {"v": {"type": "string", "format": format}}});
        assert!(problems(schema, &json!({"v": usual})).is_empty(), "{format}");
    }
}

#[test]
fn a_key_without_a_value_is_no_part_of_another() {
    let schema = json!({"type": "object"});
    for text in [r#"{"path":"/tmp","force","dry_run":"yes"}"#, r#"{"path":"/tmp","force"}"#] {
        assert_eq!(problems(schema.clone(), &json!(text)).len(), 1, "{text}");
    }
}

#[test]
fn suggestions_have_a_budget() {
    let names: Map<String, Value> = (0..300).map(|i| (format!("property_number_{i}"), json!({}))).collect();
    let closed = json!({"type": "object", "properties": names, "additionalProperties": false});
    let strange: Map<String, Value> =
        (0..2_000).map(|i| (format!("propertynumbr_{i}_{i}"), json!(1))).collect();
    let values: Vec<String> = (0..20_000).map(|i| format!("value number {i}")).collect();
    let listed = json!({"properties": {"l": {"type": "array", "items": {"enum": values}}}});
    let start = Instant::now();
    let told = problems(closed, &strange.into());
    assert!(told.last().is_some_and(|last| last.contains("more")), "{told:?}");
    assert!(!problems(listed, &json!({"l": vec!["no such value"; 1_000]})).is_empty());
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn a_tool_that_no_request_can_hold_is_refused_alone() {
    let with = |count: usize| {
        let properties: serde_json::Map<String, Value> =
            (0..count).map(|i| (format!("p{i}"), json!({"type": "string"}))).collect();
        lower(
            &tool(json!({"type": "object", "properties": properties, "additionalProperties": false})),
            Dialect::AnthropicStrict,
        )
    };
    assert!(with(24).is_ok());
    let refused = with(25).unwrap_err().to_string();
    assert!(refused.contains("has 25 optional parameters, the provider takes 24"), "{refused}");
}
