//! Structured results and the schemas that announce them.

use std::sync::Arc;

use opentool_core::{Origin, ToolDefinition, ToolOutput, ToolSet, tool_fn};
use opentool_mcp::{OutputSchemas, Server};
use serde_json::{Value, json};

use crate::support::{Add, Client, Era, Way, add, answer, defined, failed, set, text};

async fn client(tools: ToolSet, which: OutputSchemas) -> Client {
    Client::of(Server::new(tools).output_schemas(which), Way::Http, Era::Legacy).await
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Pet {
    name: String,
}

#[tokio::test]
async fn d12_values_travel_as_objects_and_texts_hold_the_value() {
    let tools = set([
        Arc::new(add()),
        Arc::new(tool_fn("pet", "", async |_: Add| Ok::<_, String>(Pet { name: "Rex".into() }))),
        Arc::new(tool_fn("pets", "", async |_: Add| Ok::<_, String>(vec![Pet { name: "Rex".into() }]))),
        Arc::new(tool_fn("name", "", async |_: Add| Ok::<_, String>("Rex".to_owned()))),
        Arc::new(tool_fn("maybe", "", async |_: Add| Ok::<_, String>(Some(Pet { name: "Rex".into() })))),
        Arc::new(tool_fn("none", "", async |_: Add| Ok::<_, String>(None::<Pet>))),
        Arc::new(tool_fn("unit", "", async |_: Add| Ok::<_, String>(()))),
    ]);
    let client = client(tools, OutputSchemas::default()).await;
    let expected = [
        ("add", "3", json!({"result": 3})),
        ("pet", r#"{"name":"Rex"}"#, json!({"name": "Rex"})),
        ("pets", r#"[{"name":"Rex"}]"#, json!({"result": [{"name": "Rex"}]})),
        ("name", "Rex", json!({"result": "Rex"})),
        ("maybe", r#"{"name":"Rex"}"#, json!({"result": {"name": "Rex"}})),
        ("none", "null", json!({"result": null})),
    ];
    for (name, shown, structured) in expected {
        let result = client.result(name, json!({"a": 1, "b": 2})).await;
        assert!(!failed(&result), "{name}: {result:?}");
        assert_eq!(text(&result), shown, "{name}");
        assert_eq!(result.structured_content, Some(structured), "{name}");
    }
    let unit = client.result("unit", json!({"a": 1, "b": 2})).await;
    assert_eq!((text(&unit), unit.structured_content.as_ref()), ("Done.", None));

    for tool in client.tools().await {
        let Some(schema) = tool.output_schema else {
            assert_eq!(tool.name, "unit");
            continue;
        };
        assert_eq!(schema["type"], "object", "{}", tool.name);
        assert_eq!(schema["properties"].get("result").is_some(), tool.name != "pet", "{}", tool.name);
    }
}

#[tokio::test]
async fn schemas_of_imported_tools_are_announced_on_demand_only() {
    let number = Some(json!({"type": "number"}));
    let tools = set([
        Arc::new(answer("ours", "rust", number.clone())),
        Arc::new(answer("theirs", "openapi", number.clone())),
    ]);
    let announced = async |which| -> Vec<String> {
        let tools = client(tools.clone(), which).await.tools().await;
        tools.into_iter().filter(|tool| tool.output_schema.is_some()).map(|tool| tool.name.into()).collect()
    };
    assert_eq!(announced(OutputSchemas::Guaranteed).await, ["ours"]);
    assert_eq!(announced(OutputSchemas::All).await, ["ours", "theirs"]);
    assert!(announced(OutputSchemas::None).await.is_empty());
}

#[tokio::test]
async fn an_answer_that_breaks_the_announced_schema_is_an_error_that_holds_it() {
    let schema = json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]});
    let tools = set([Arc::new(answer("pet", "openapi", Some(schema)))]);
    let strict = client(tools.clone(), OutputSchemas::All).await;
    let good = strict.result("pet", json!({"value": {"id": 1}})).await;
    assert_eq!((failed(&good), good.structured_content), (false, Some(json!({"id": 1}))));
    for value in [json!({"id": "one"}), json!([1]), Value::Null] {
        let result = strict.result("pet", json!({"value": value})).await;
        // What a client would check is not there; what a model needs is.
        assert!(failed(&result) && result.structured_content.is_none(), "{value}: {result:?}");
        assert!(text(&result).contains("Do not call it again"), "{}", text(&result));
        assert_eq!(result.content[1].as_text().unwrap().text, value.to_string());
    }
    let lenient = client(tools, OutputSchemas::Guaranteed).await;
    let result = lenient.result("pet", json!({"value": {"id": "one"}})).await;
    assert_eq!((failed(&result), result.structured_content), (false, Some(json!({"id": "one"}))));
}

#[tokio::test]
async fn a_result_without_the_announced_value_is_an_error_too() {
    let definition = ToolDefinition::new("says", "")
        .input_schema(json!({"type": "object"}))
        .origin(Origin::new("rust"))
        .output_schema(json!({"type": "object"}));
    let says = defined(definition, |_, _| async { Ok(ToolOutput::text("hello")) });
    let client = client(set([Arc::new(says)]), OutputSchemas::Guaranteed).await;
    let result = client.result("says", json!({})).await;
    assert!(failed(&result));
    assert_eq!(result.content[1].as_text().unwrap().text, "hello");
}

#[tokio::test]
async fn an_error_result_carries_no_structured_value() {
    let definition = ToolDefinition::new("fails", "")
        .input_schema(json!({"type": "object"}))
        .origin(Origin::new("rust"))
        .output_schema(json!({"type": "object", "required": ["id"]}));
    let fails = defined(definition, |_, _| async {
        let mut output = ToolOutput::json(json!({"status": 404}));
        output.is_error = true;
        Ok(output)
    });
    let client = client(set([Arc::new(fails)]), OutputSchemas::Guaranteed).await;
    let result = client.result("fails", json!({})).await;
    assert!(failed(&result) && result.structured_content.is_none());
    assert_eq!(text(&result), r#"{"status":404}"#);
}

#[tokio::test]
async fn announced_schemas_hold_for_what_is_sent() {
    // Schema, whether its values are wrapped, a value.
    let cases = [
        (
            json!({"$ref": "#/$defs/Node", "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}}}),
            false,
            json!({"next": {"next": {}}}),
        ),
        (
            json!({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "$defs": {"A": {"type": "object"}}}),
            true,
            json!({"x": 1}),
        ),
        (
            json!({"oneOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]}),
            false,
            json!({"a": 1}),
        ),
        (json!({"allOf": [{"type": "object"}, {"required": ["a"]}]}), false, json!({"a": 1})),
        (json!({"type": "array", "items": {"$ref": "#"}}), true, json!([[], [[]]])),
        (
            json!({"type": "array", "prefixItems": [{"type": "integer"}, {"$ref": "#/prefixItems/0"}]}),
            true,
            json!([1, 2]),
        ),
        (json!({"type": ["object", "null"]}), true, json!({"x": 1})),
        (json!({"type": "string", "enum": ["#"], "default": {"$ref": "#"}}), true, json!("#")),
        (json!(true), true, json!(7)),
        (
            json!({"$ref": "#/$defs/Loop", "$defs": {"Loop": {"anyOf": [{"$ref": "#/$defs/Loop2"}]}, "Loop2": {"type": "integer"}}}),
            true,
            json!(1),
        ),
    ];
    for (schema, wrapped, value) in cases {
        let tools = set([Arc::new(answer("it", "rust", Some(schema.clone())))]);
        let client = client(tools, OutputSchemas::Guaranteed).await;
        let announced = client.tools().await.remove(0).output_schema.expect("announced");
        assert_eq!(announced["type"], "object", "{schema}");
        let result = client.result("it", json!({"value": value})).await;
        assert!(!failed(&result), "{schema}: {result:?}");
        let expected = if wrapped { json!({"result": value}) } else { value };
        assert_eq!(result.structured_content, Some(expected), "{schema}");
    }
    // And the wrapped schema still says what the schema said.
    let tools = set([Arc::new(answer("it", "rust", Some(json!({"type": "array", "items": {"$ref": "#"}}))))]);
    let client = client(tools, OutputSchemas::Guaranteed).await;
    assert!(failed(&client.result("it", json!({"value": [[1]]})).await));
}

#[tokio::test]
async fn a_schema_that_cannot_be_compiled_is_not_announced() {
    let tools = set([Arc::new(answer("it", "rust", Some(json!({"type": "object", "properties": 7}))))]);
    let client = client(tools, OutputSchemas::Guaranteed).await;
    assert!(client.tools().await[0].output_schema.is_none());
    assert!(!failed(&client.result("it", json!({"value": {}})).await));
}

#[tokio::test]
async fn a_hostile_schema_costs_no_time() {
    let circle = json!({"$ref": "#"});
    let circles = vec![circle.clone(); 20];
    let schema = json!({"$ref": "#", "anyOf": [circle], "oneOf": circles, "allOf": circles});
    let tools = set([Arc::new(answer("it", "openapi", Some(schema)))]);
    for which in [OutputSchemas::Guaranteed, OutputSchemas::All] {
        let client = client(tools.clone(), which).await;
        assert_eq!(client.tools().await.len(), 1);
        assert!(!failed(&client.result("it", json!({"value": {"a": 1}})).await));
    }
}
