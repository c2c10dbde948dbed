//! What models are told of an operation, and what is not worth telling.

use opentool_openapi::{Api, parse};
use serde_json::{Value, json};

fn api(paths: Value) -> Api {
    let document = json!({"openapi": "3.1.0", "info": {}, "paths": paths});
    parse(document.to_string(), "a.json").unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn models_read_text_and_no_html() {
    let html =
        "<p>All <code>pets</code> &amp; more.<br/>Not <b>yours</b>.</p><!-- obey --><ul><li>one</li></ul>";
    let parameter = json!({"name": "p", "in": "query", "description": html,
        "schema": {"type": "object", "properties": {"description": {"type": "string", "description": html,
            "enum": ["<p>x</p>"]}}}});
    let api = api(
        json!({"/a": {"get": {"operationId": "a", "summary": "<b>All</b> pets", "description": html,
        "parameters": [parameter], "responses": {"200": {"content": {"application/json": {"schema": {"type": "object",
            "properties": {"x": {"description": html}}}}}}}}}}),
    );
    let tools = api.tools().unwrap();
    let tool = tools.definitions().next().unwrap();
    let text = "All `pets` & more.\nNot yours.\n\n- one";
    assert_eq!(tool.description, format!("All pets.\n\n{text}"));
    assert_eq!(tool.title.as_deref(), Some("All pets"));
    let schema = &tool.input_schema.as_value()["properties"]["p"];
    let inner = &schema["properties"]["description"];
    assert_eq!((&schema["description"], &inner["description"]), (&json!(text), &json!(text)));
    assert_eq!(inner["enum"], json!(["<p>x</p>"]), "data is data");
    let output = tool.output_schema.as_ref().unwrap();
    assert_eq!(output.as_value()["properties"]["x"]["description"], text);
}

#[test]
fn tools_of_one_path_are_told_apart_by_their_fragments() {
    let api = api(json!({"/items#a": {"get": {}}, "/items#b": {"get": {}}, "/plain": {"get": {}}}));
    let tools = api.tools().unwrap();
    let items: Vec<_> =
        tools.definitions().map(|tool| tool.origin.item.clone().unwrap_or_default()).collect();
    assert_eq!(items, ["GET /items#a", "GET /items#b", "GET /plain"]);
    assert!(api.operations().iter().all(|operation| !operation.path.contains('#')));
}

#[test]
fn a_body_that_can_only_be_empty_is_no_argument_where_none_is_needed() {
    let empty = || json!({"application/x-www-form-urlencoded": {"encoding": {}, "schema": {"type": "object", "properties": {}}}});
    let arguments = |method: &str, body: Value| -> usize {
        let api = api(json!({"/a": {method: {"operationId": "a", "requestBody": body}}}));
        api.operations()[0].arguments().count()
    };
    for (method, body, expected) in [
        ("get", json!({"content": empty()}), 0),
        ("delete", json!({"content": empty(), "required": false}), 0),
        ("get", json!({"content": empty(), "required": true}), 1),
        ("post", json!({"content": empty()}), 1),
        ("get", json!({"content": {"application/json": {"schema": {"type": "object"}}}}), 1),
    ] {
        assert_eq!(arguments(method, body.clone()), expected, "{method} {body}");
    }
}

#[test]
fn a_default_of_another_type_is_not_told() {
    for (schema, default, said) in [
        (
            json!({"type": "integer", "default": "abc"}),
            Value::Null,
            "the default is a text, and the value is an integer; it is left out",
        ),
        (json!({"type": "boolean", "default": 7}), Value::Null, "it is left out"),
        (json!({"type": "array", "items": {}, "default": {}}), Value::Null, "it is left out"),
        (json!({"type": "integer", "default": "5"}), json!(5), "it is read as an integer"),
        (json!({"type": "string", "default": 5}), json!("5"), "it is read as a string"),
        (json!({"type": "integer", "default": 5.0}), json!(5.0), ""),
        (json!({"type": ["integer", "null"], "default": null}), Value::Null, ""),
        (json!({"type": ["integer", "string"], "default": "abc"}), json!("abc"), ""),
    ] {
        let api =
            api(json!({"/a": {"get": {"parameters": [{"name": "p", "in": "query", "schema": schema}]}}}));
        let read = &api.operations()[0].parameters[0].schema;
        assert_eq!(read.get("default").unwrap_or(&Value::Null), &default, "{schema}");
        let told: Vec<&str> = api.diagnostics().iter().map(|found| found.message.as_str()).collect();
        assert_eq!(told.len(), usize::from(!said.is_empty()), "{schema}: {told:?}");
        assert!(told.concat().contains(said), "{schema}: {told:?}");
    }
}

/// What cannot be written as the document describes it is told, and the tool can be called all the same.
#[test]
fn a_form_without_names_and_a_parameter_of_xml_are_told() {
    let body = |media_type: &str, schema: Value| json!({"required": true, "content": {media_type: {"schema": schema}}});
    let bytes = json!({"type": "string", "format": "binary"});
    let xml =
        json!({"name": "x", "in": "query", "content": {"application/xml": {"schema": {"type": "object"}}}});
    let form = "application/x-www-form-urlencoded";
    let filter = json!({"name": "x", "in": "query", "content": {form: {"schema": {"type": "object"}}}});
    let api = api(json!({
        "/a": {"post": {"operationId": "a", "requestBody": body("multipart/form-data", bytes.clone())}},
        "/b": {"post": {"operationId": "b", "requestBody": body(form, json!({"type": "integer"}))}},
        "/c": {"post": {"operationId": "c", "requestBody": body("*/*", bytes)}},
        "/d": {"get": {"operationId": "d", "parameters": [xml]}},
        "/e": {"get": {"operationId": "e", "parameters": [filter]}},
    }));
    let told: Vec<(&str, &str)> =
        api.diagnostics().iter().map(|found| (found.code, found.pointer.as_str())).collect();
    let expected = [
        ("media-type", "/paths/~1a/post/requestBody/content/multipart~1form-data/schema"),
        ("media-type", "/paths/~1b/post/requestBody/content/application~1x-www-form-urlencoded/schema"),
        ("media-type", "/paths/~1d/get/parameters/0/content/application~1xml"),
    ];
    assert_eq!(told, expected);
    let api = api.server("https://a.test");
    let tools = api.tools().unwrap();
    for (tool, given) in [
        ("a", json!({"body": {"file": {"$base64": "AQ==", "filename": "a.png"}}})),
        ("b", json!({"body": {"count": 1}})),
        ("c", json!({"body": {"$base64": "AQ=="}})),
    ] {
        let schema = &tools.find(tool).unwrap().definition().input_schema;
        let validator = opentool_schema::Validator::new(schema).unwrap();
        assert!(validator.accepts(&given), "{tool}: {schema}");
        let given = opentool_core::Arguments::from(given.as_object().unwrap().clone());
        assert!(api.request(tool, &given).is_ok(), "{tool}");
    }
}
