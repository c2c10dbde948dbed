//! Requests that another client builds for the same arguments: `swagger-client` 3.39.0, which is what Swagger UI sends.
//!
//! What is stored was written by that client, not by this crate. `cargo xtask openapi-clients` compares thousands more, and
//! `docs/openapi-clients.md` says where the two are different and why; here are only cases in which they agree.

use opentool_openapi::Settings;
use opentool_openapi::request::{Located, build_located};
use serde_json::{Map, Value, json};

const DOCUMENT: &str = include_str!("../../peers/shapes.json");
const REQUESTS: &str = include_str!("../../peers/swagger-client.json");

#[test]
fn another_client_sends_the_same() {
    let api = opentool_openapi::parse(DOCUMENT, "shapes.json").unwrap();
    let cases: Vec<Value> = serde_json::from_str(REQUESTS).unwrap();
    for case in &cases {
        let name = case["operation"].as_str().unwrap();
        let operation = api.operation(name).unwrap();
        let located = Located::by_location(operation, case["arguments"].as_object().unwrap()).unwrap();
        let ours = build_located(operation, &located, &Settings::new()).unwrap().to_json();
        let theirs = &case["request"];
        for member in ["method", "url"] {
            assert_eq!(ours[member], theirs[member], "{name}");
        }
        assert_eq!(headers(&ours), headers(theirs), "{name}");
        assert_eq!(body(&ours), theirs["body"], "{name}");
    }
    // Every operation of the document has a case.
    assert_eq!(api.operations().len(), cases.len());
}

/// What the request says; `Accept` is everybody's own, and so is a boundary.
fn headers(request: &Value) -> Map<String, Value> {
    let headers = request["headers"].as_object().unwrap().iter().filter(|(name, _)| *name != "Accept");
    let plain = |value: &Value| json!(value.as_str().unwrap().split("; boundary=").next());
    headers.map(|(name, value)| (name.clone(), plain(value))).collect()
}

/// The body; parts as names and texts, which is all that the other client says of them.
fn body(request: &Value) -> Value {
    let part = |part: &Value| {
        let text = part["json"].as_object().map(|json| json!(json).to_string());
        json!({"name": part["name"], "body": text.map_or_else(|| part["body"].clone(), Value::String)})
    };
    match request["body"].as_array().filter(|_| request["body_kind"] == "multipart") {
        Some(parts) => parts.iter().map(part).collect(),
        None => request["body"].clone(),
    }
}
