//! Which of several media types a body is sent as, and what becomes of objects in media types that have none.

use opentool_openapi::request::{Located, build_located};
use opentool_openapi::{Api, Config, OperationConfig, parse};
use serde_json::{Value, json};

fn api(content: Value) -> Api {
    let document = json!({
        "openapi": "3.1.0",
        "servers": [{"url": "https://api.test"}],
        "paths": {"/rows/{body}": {"put": {
            "operationId": "put",
            "parameters": [{"name": "body", "in": "path", "required": true, "schema": {"type": "string"}}],
            "requestBody": {"required": true, "content": content}
        }}}
    });
    parse(document.to_string(), "rows.json").unwrap()
}

fn row() -> Value {
    json!({"schema": {"type": "object", "properties": {"name": {"type": "string"}}}})
}

fn several() -> Api {
    api(json!({"application/json": row(), "text/csv": {"schema": {"type": "string"}}, "image/*": {}}))
}

/// The content type and the body of a request by location.
fn by_location(api: &Api, arguments: Value) -> Result<(Value, Value), String> {
    let operation = &api.operations()[0];
    let located = Located::by_location(operation, arguments.as_object().unwrap());
    let request = located.and_then(|located| build_located(operation, &located, api.settings()));
    let shown = request.map_err(|error| error.for_model())?.to_json();
    Ok((shown["headers"]["Content-Type"].clone(), shown["body"].clone()))
}

#[test]
fn the_caller_says_as_what_a_body_is_sent() {
    let api = several();
    let sent = |media_type: &str, body: Value| {
        by_location(&api, json!({"path.body": "1", "Content-Type": media_type, "body": body}))
    };
    // The body and the path parameter share a name.
    assert_eq!(sent("text/csv", json!("a,b")), Ok((json!("text/csv"), json!("a,b"))));
    assert_eq!(sent("Application/JSON", json!({"name": "x"})).unwrap().0, "application/json");
    let image = sent("image/png", json!({"$base64": "AQ=="})).unwrap();
    assert_eq!(image, (json!("image/png"), json!("AQ==")));
    for media_type in ["text/html", "image/png\r\nX: y", ""] {
        let error = sent(media_type, json!("x")).unwrap_err();
        assert!(error.contains("/Content-Type") && error.contains("text/csv"), "{media_type}: {error}");
    }
    let usual = by_location(&api, json!({"path.body": "1", "body": {"name": "x"}})).unwrap();
    assert_eq!(usual, (json!("application/json"), json!({"name": "x"})));
}

#[test]
fn the_host_says_as_what_a_tool_sends_bodies() {
    let told = |media_type: &str| {
        let config = Config::new().operation("put", OperationConfig::new().media_type(media_type));
        several().configure(&config)
    };
    let api = told("text/csv").unwrap();
    let schema = api.tools().unwrap().definitions().next().unwrap().input_schema.as_value().clone();
    assert_eq!(schema["required"], json!(["path_body", "body"]));
    assert_eq!(schema["properties"]["body"]["type"], "string");
    let arguments = json!({"path_body": "1", "body": "a,b"}).as_object().unwrap().clone().into();
    let request = api.request("put", &arguments).unwrap().to_json();
    assert_eq!((&request["headers"]["Content-Type"], &request["body"]), (&json!("text/csv"), &json!("a,b")));

    // And back: the properties are arguments again, and the path has its name for itself.
    let api = api.configure(&Config::new()).unwrap();
    assert_eq!(api.operations()[0].arguments().collect::<Vec<_>>(), ["body", "name"]);

    let error = told("text/html").unwrap_err().to_string();
    assert!(
        error.contains("`put` takes no `text/html`; it takes: application/json, text/csv, image/*"),
        "{error}"
    );
}

#[test]
fn an_object_for_a_media_type_without_objects_is_json() {
    for (media_type, sent_as) in [
        ("message/rfc822", "application/json"),
        ("image/png", "application/json"),
        ("application/vnd.example.thing", "application/vnd.example.thing"),
        ("text/plain", "text/plain"),
    ] {
        let api = api(json!({media_type: row()}));
        let told: Vec<String> = api.diagnostics().iter().map(ToString::to_string).collect();
        assert!(told[0].contains(&format!("it is sent as JSON, as `{sent_as}`")), "{told:?}");
        let sent = by_location(&api, json!({"path.body": "1", "body": {"name": "x"}})).unwrap();
        assert_eq!(sent, (json!(sent_as), json!({"name": "x"})), "{media_type}");
        // What is no object is what the media type says.
        let sent = by_location(&api, json!({"path.body": "1", "body": "From: me"})).unwrap();
        assert_eq!(sent, (json!(media_type), json!("From: me")), "{media_type}");
    }
    // A file that is described as a form is a file.
    let file = json!({"schema": {"properties": {"file": {"type": "string", "format": "binary"}}}});
    let api = api(json!({"application/octet-stream": file}));
    let sent = by_location(&api, json!({"path.body": "1", "body": {"$base64": "AQ=="}})).unwrap();
    assert_eq!(sent, (json!("application/octet-stream"), json!("AQ==")));
    let schema = api.tools().unwrap().definitions().next().unwrap().input_schema.to_string();
    assert!(schema.contains("$base64") && api.diagnostics().is_empty(), "{schema}");
}
