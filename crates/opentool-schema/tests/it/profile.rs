//! Profiles over schemas that no Rust type has: of documents, and of people who mean ill.

use opentool_core::{
    Arguments, BoxFuture, Tool, ToolCall, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolSet,
};
use opentool_schema::ToolSetExt;
use opentool_schema::profile::{EnumStyle, Profile, SchemaType, Settings};
use serde_json::{Value, json};

/// A tool that answers with its arguments.
struct Echo(ToolDefinition);

impl Tool for Echo {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn call<'a>(
        &'a self,
        _: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move { Ok(ToolOutput::json(Value::Object(arguments.into_map()))) })
    }
}

fn definition(schema: Value) -> ToolDefinition {
    ToolDefinition::new("echo", "Echoes.").input_schema(schema)
}

fn tools(schema: Value) -> ToolSet {
    ToolSet::from_tools([Echo(definition(schema))]).unwrap()
}

fn by_name(schema: Value) -> ToolSet {
    Profile::new().all(Settings::new().enums(EnumStyle::Names)).apply(&tools(schema)).unwrap()
}

/// What the tool gets.
fn got(tools: &ToolSet, arguments: Value) -> Result<Value, ToolError> {
    let cx = ToolContext::new();
    let call = ToolCall::new("1", "echo", arguments);
    let output = futures_util::FutureExt::now_or_never(tools.call(&cx, &call)).unwrap()?;
    Ok(serde_json::from_str(&output.to_text()).unwrap())
}

/// `properties` of the exact form of one property.
fn exact(property: Value) -> Value {
    let schema = json!({"type": "object", "properties": {"p": property}});
    let written = Profile::new().tool2schema(&definition(schema), Some(SchemaType::OpenAiTune));
    written["parameters"]["properties"]["p"].clone()
}

/// References that double with every level.
fn bomb() -> Value {
    let mut definitions = serde_json::Map::new();
    for level in 0..40 {
        let next = format!("#/$defs/l{}", level + 1);
        definitions.insert(
            format!("l{level}"),
            json!({"anyOf": [{"$ref": next}, {"type": "array", "items": {"$ref": next}}]}),
        );
    }
    definitions.insert("l40".to_owned(), json!({"enum": [1, 2], "x-enum-varnames": ["ONE", "TWO"]}));
    json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/l0", "default": 7}}, "$defs": definitions})
}

#[test]
fn an_optional_type_that_is_required_has_no_default() {
    let schema =
        json!({"type": "object", "properties": {"p": {"type": ["integer", "null"]}}, "required": ["p"]});
    let written = Profile::new().tool2schema(&definition(schema), None);
    assert_eq!(
        written["function"]["parameters"],
        json!({"type": "object", "properties": {"p": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}, "required": ["p"]})
    );
}

#[test]
fn schemas_of_all_kinds_become_the_types_of_the_library() {
    assert_eq!(exact(json!({"type": "array"})), json!({"type": "array"}));
    assert_eq!(exact(json!(true)), json!({"type": "object"}));
    assert_eq!(exact(json!({"type": "string", "format": "uuid"})), json!({"type": "object"}));
    assert_eq!(exact(json!({"const": "v"})), json!({"enum": ["v"], "type": "string"}));
    assert_eq!(exact(json!({"enum": [1, "x", null]})), json!({"enum": [1, "x", null], "type": "integer"}));
    assert_eq!(exact(json!({"enum": []})), json!({"type": "object"}));
    assert_eq!(exact(json!({"$ref": "#/nowhere"})), json!({"type": "object"}));
    assert_eq!(exact(json!({"$ref": "#/properties/p"})), json!({"type": "object"}));
    assert_eq!(
        exact(json!({"anyOf": [{"type": "integer"}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}]})),
        json!({"anyOf": [{"type": "integer"}, {"type": "string"}]})
    );
    assert_eq!(
        exact(json!({"type": "integer", "enum": [0, 1], "x-enum-varnames": ["NO", "YES"], "default": 1})),
        json!({"default": "YES", "enum": ["NO", "YES"], "type": "string"})
    );
}

#[test]
fn references_that_multiply_are_cut_off() {
    let written = Profile::new().tool2schema(&definition(bomb()), None).to_string();
    assert!(written.len() < 1_000_000, "{}", written.len());
    let shown = by_name(bomb());
    assert!(shown.by_name("echo").unwrap().definition().input_schema.to_string().contains("\"TWO\""));
}

#[test]
fn names_of_a_document_are_shown_and_read() {
    let tools = by_name(json!({
        "type": "object",
        "properties": {"level": {
            "type": "integer", "format": "int32", "minimum": 0, "description": "How loud.",
            "enum": [0, 1], "x-enum-varnames": ["QUIET", "LOUD"], "default": 1
        }}
    }));
    let shown =
        tools.by_name("echo").unwrap().definition().input_schema.as_value()["properties"]["level"].clone();
    assert_eq!(
        shown,
        json!({"type": "string", "description": "How loud.", "enum": ["QUIET", "LOUD"], "default": "LOUD"})
    );
    assert_eq!(got(&tools, json!({"level": "LOUD"})).unwrap(), json!({"level": 1}));
    assert!(got(&tools, json!({"level": 7})).is_err());
}

#[test]
fn a_value_is_not_read_as_a_name_once_more() {
    let swapped = json!({"enum": ["A", "B"], "x-enum-varnames": ["B", "A"]});
    let tools = by_name(json!({
        "type": "object",
        "properties": {"p": {"allOf": [{"$ref": "#/$defs/swapped"}, {"$ref": "#/$defs/swapped"}]}},
        "allOf": [{"properties": {"p": {"$ref": "#/$defs/swapped"}}}],
        "$defs": {"swapped": swapped}
    }));
    assert_eq!(got(&tools, json!({"p": "A"})).unwrap(), json!({"p": "B"}));
}

#[test]
fn a_union_is_read_by_the_branch_that_accepts() {
    let unit = json!({"enum": ["c", "f"], "x-enum-varnames": ["Celsius", "Fahrenheit"]});
    let tools = by_name(json!({
        "type": "object",
        "properties": {"p": {"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "unit"}, "v": {"$ref": "#/$defs/unit"}}, "required": ["kind"]},
            {"type": "object", "properties": {"kind": {"const": "text"}, "v": {"type": "string"}}, "required": ["kind"]}
        ]}},
        "$defs": {"unit": unit}
    }));
    let p = |kind: &str, v: &str| json!({"p": {"kind": kind, "v": v}});
    assert_eq!(got(&tools, p("unit", "Celsius")).unwrap(), p("unit", "c"));
    assert_eq!(got(&tools, p("text", "Celsius")).unwrap(), p("text", "Celsius"));
}

#[test]
fn names_that_do_not_fit_their_values_are_passed_over() {
    for names in [json!(["A"]), json!(["A", "A"]), json!(["A", 1]), json!("A")] {
        let tools = by_name(json!({
            "type": "object",
            "properties": {"p": {"enum": [0, 1], "x-enum-varnames": names}}
        }));
        assert_eq!(got(&tools, json!({"p": 1})).unwrap(), json!({"p": 1}));
    }
}

#[test]
fn what_is_hidden_never_reaches_a_tool_that_takes_anything() {
    let open = tools(json!({"type": "object", "properties": {"a": {}, "b": {}}}));
    let shown = Profile::new().all(Settings::new().ignore_parameters(["b"])).apply(&open).unwrap();
    assert_eq!(got(&shown, json!({"a": 1, "b": 2, "c": 3})).unwrap(), json!({"a": 1, "c": 3}));
}

#[test]
fn schemas_that_are_none_are_left_alone() {
    for schema in [
        json!(true),
        json!(false),
        json!([]),
        json!("x"),
        json!({"properties": 1}),
        json!({"properties": {"p": 1}}),
    ] {
        let profile = Profile::new().all(Settings::new().enums(EnumStyle::Names).ignore_parameters(["p"]));
        let shown = profile.apply(&tools(schema.clone())).unwrap();
        assert_eq!(shown.len(), 1);
        assert_eq!(profile.tool2schema(&definition(schema), None)["function"]["name"], "echo");
    }
}
