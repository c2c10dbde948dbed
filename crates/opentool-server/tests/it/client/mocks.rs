//! Mocks answer with what their schemas accept.

use opentool_core::{Schema, ToolContext, ToolDefinition, ToolSet, tool_fn};
use opentool_doc::Document;
use opentool_schema::Validator;
use opentool_server::mock;
use serde_json::{Value, json};

use super::streams::{Parts, streaming_document};

async fn answers(tools: &ToolSet) -> Vec<Value> {
    let mut answers = Vec::new();
    for tool in tools {
        let output = tool.call(&ToolContext::new(), Default::default()).await.unwrap();
        answers.push(output.structured.clone().unwrap_or_else(|| Value::from(output.to_text())));
    }
    answers
}

/// The answer of a mock of a tool with this output schema.
async fn example(schema: Value) -> Value {
    let mut original = ToolDefinition::new("tool", "A tool.");
    original.output_schema = Some(Schema::new(schema));
    struct Bare(ToolDefinition);
    impl opentool_core::Tool for Bare {
        fn definition(&self) -> &ToolDefinition {
            &self.0
        }
        fn call<'a>(
            &'a self,
            _: &'a ToolContext,
            _: opentool_core::Arguments,
        ) -> opentool_core::BoxFuture<'a, Result<opentool_core::ToolOutput, opentool_core::ToolError>>
        {
            panic!("a mock runs nothing")
        }
    }
    let tools = mock::mock(&ToolSet::from_tools([Bare(original)]).unwrap());
    answers(&tools).await.remove(0)
}

#[tokio::test]
async fn examples_look_like_data() {
    let document = json!({
        "opentool": "1.0.0", "info": {"title": "Shop", "version": "1.0.0"},
        "functions": [
            {"name": "order", "description": "An order.", "parameters": [],
             "return": {"name": "order", "schema": {"$ref": "#/schemas/Order"}}},
            {"name": "now", "description": "The time.", "parameters": [],
             "return": {"name": "time", "schema": {"type": "string"}}},
            {"name": "close", "description": "Closes.", "parameters": []}
        ],
        "schemas": {"Order": {"type": "object", "required": ["id", "status"], "properties": {
            "id": {"type": "integer"},
            "status": {"type": "string", "enum": ["open", "paid"]},
            "customerEmail": {"type": "string"},
            "price": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "parent": {"$ref": "#/schemas/Order"}
        }}}
    });
    let document = Document::read(&document).unwrap().document;
    let tools = mock::tools(&document);
    assert_eq!(
        answers(&tools).await,
        [
            json!({"id": 7, "status": "open", "customerEmail": "anna@example.com", "price": 9.5,
                   "tags": ["example tag"],
                   // What contains itself does so once.
                   "parent": {"id": 7, "status": "open", "customerEmail": "anna@example.com", "price": 9.5,
                              "tags": ["example tag"]}}),
            json!({"time": "12:30:00"}),
            json!("Done."),
        ]
    );
    assert_eq!(answers(&tools).await, answers(&mock::tools(&document)).await, "always the same");
}

#[tokio::test]
async fn every_example_is_accepted_by_its_schema() {
    for schema in [
        json!({"type": "integer", "minimum": 5, "maximum": 6}),
        json!({"type": "integer", "exclusiveMinimum": 5, "multipleOf": 7}),
        json!({"type": "integer", "maximum": -3}),
        json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}),
        json!({"type": "number", "minimum": 1000.25}),
        json!({"type": "string", "minLength": 30}),
        json!({"type": "string", "maxLength": 2}),
        json!({"type": "string", "format": "date-time"}),
        json!({"type": ["null", "string"]}),
        json!({"type": "null"}),
        json!({"type": "array", "items": {"type": "string"}, "minItems": 3, "uniqueItems": true}),
        json!({"type": "array", "items": {"type": "integer"}, "maxItems": 0}),
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false}),
        json!({"type": "array", "items": {"enum": [1, 2, 3]}, "minItems": 3, "uniqueItems": true}),
        json!({"enum": [null, "a"]}),
        json!({"enum": ["a", "b"], "default": "b"}),
        json!({"const": {"a": 1}}),
        json!({"type": "object", "required": ["x", "y"], "properties": {"x": {"type": "boolean"}},
               "additionalProperties": {"type": "integer"}}),
        json!({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2}),
        json!({"anyOf": [{"type": "null"}, {"type": "integer"}]}),
        json!({"oneOf": [{"type": "string", "minLength": 50}, {"type": "integer"}], "description": "x"}),
        json!({"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"],
               "oneOf": [{"properties": {"kind": {"const": "cat"}, "lives": {"const": 9}}, "required": ["lives"]}]}),
        json!({"allOf": [{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
                         {"$ref": "#/$defs/B"}],
               "$defs": {"B": {"properties": {"b": {"type": "string"}}, "required": ["b"]}}}),
        json!({"$ref": "#/$defs/a%20b~1c", "$defs": {"a b/c": {"type": "integer"}}}),
        // A list, a tree and a choice that contain themselves have an end.
        json!({"$ref": "#/$defs/L", "$defs": {"L": {"type": "object", "required": ["next"], "properties":
            {"next": {"anyOf": [{"$ref": "#/$defs/L"}, {"type": "null"}]}}}}}),
        json!({"$ref": "#/$defs/T", "$defs": {"T": {"type": "object", "required": ["children"], "properties":
            {"children": {"type": "array", "items": {"$ref": "#/$defs/T"}}}}}}),
        json!({}),
        json!(true),
    ] {
        let value = example(schema.clone()).await;
        let validator = Validator::new(&Schema::new(schema.clone())).unwrap();
        let accepted = validator.check(&value);
        assert!(accepted.is_ok(), "{schema} does not accept {value}: {accepted:?}");
    }
}

#[tokio::test]
async fn a_schema_that_means_harm_gives_an_answer_all_the_same() {
    let endless = json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "required": ["a"],
        "properties": {"a": {"$ref": "#/$defs/A"}}}}});
    assert_eq!(example(endless).await, json!({}));
    for circle in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"type": "object", "anyOf": [{"$ref": "#"}]}),
        json!({"type": "object", "anyOf": [{"$ref": "#"}, {"$ref": "#"}], "oneOf": [{"$ref": "#"}]}),
        json!({"$ref": "#/nowhere"}),
        json!({"type": "array", "minItems": 1e18 as u64, "items": {"$ref": "#"}}),
        json!({"type": "string", "minLength": u64::MAX}),
        json!({"type": "integer", "minimum": 1e300}),
        json!({"type": "array", "minItems": u64::MAX, "items": {"type": "array", "minItems": u64::MAX}}),
        json!(false),
        json!(7),
    ] {
        let size = example(circle.clone()).await.to_string().len();
        assert!(size < 1_000_000, "{circle}: {size} bytes");
    }
    // Every schema refers to every other: the number of ways is astronomical.
    let names: Vec<String> = (0..40).map(|n| format!("S{n}")).collect();
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({"$ref": format!("#/$defs/{name}")}))).collect();
    let definitions: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| (name.clone(), json!({"type": "object", "properties": properties})))
        .collect();
    let all = json!({"$ref": "#/$defs/S0", "$defs": definitions});
    assert!(example(all).await.to_string().len() < 1_000_000);
}

#[tokio::test]
async fn a_mock_bears_the_definition_of_its_original() {
    let tools = ToolSet::from_tools([tool_fn("add", "Adds.", async |_: ()| Ok::<i64, String>(7))]).unwrap();
    let mocks = mock::mock(&tools);
    let pairs = tools.definitions().zip(mocks.definitions());
    for (one, other) in pairs {
        assert_eq!((&one.name, &one.input_schema), (&other.name, &other.input_schema));
        assert_eq!(one.output_schema, other.output_schema);
    }
    assert_eq!(answers(&mocks).await, [json!(1)]);
}

#[tokio::test]
async fn a_streaming_function_sends_an_example_of_each_event() {
    let document = Document::read(&streaming_document()).unwrap().document;
    let tools = mock::tools(&document);
    let parts = Parts::default();
    let cx = ToolContext::new().events(parts.clone());
    let output = tools.get("count").unwrap().call(&cx, Default::default()).await.unwrap();
    assert_eq!(parts.take(), [r#"{"n":1}"#]);
    assert_eq!(output.to_text(), r#"{"n":1}"#);
}
