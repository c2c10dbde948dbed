//! Patches: which of them is sent, and that a null that takes something away is sent too.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::routing::any;
use opentool_core::{ToolCall, ToolContext};
use opentool_openapi::{Api, mock::Mock};
use opentool_schema::ToolSetExt;
use serde_json::{Value, json};

use super::exchange::serve;

fn api(content: Value, definitions: Value) -> Api {
    let document = json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://a.test"}],
        "paths": {"/t": {"patch": {"operationId": "change", "requestBody": {"required": true, "content": content},
            "responses": {"200": {"description": "It is."}}}}},
        "components": {"schemas": definitions}});
    opentool_openapi::parse(document.to_string(), "test.json").unwrap()
}

fn thing() -> Value {
    json!({"Thing": {"type": "object", "required": ["id"], "additionalProperties": false, "properties": {
            "id": {"type": "string"},
            "name": {"type": "string"}, "age": {"type": "integer"},
            "kind": {"type": "string", "enum": ["a", "b"]}, "one": {"const": 1},
            "tags": {"type": "array", "items": {"$ref": "#/components/schemas/Tag"}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "either": {"oneOf": [{"type": "string"}, {"$ref": "#/components/schemas/Tag"}]},
            "parent": {"$ref": "#/components/schemas/Thing"}}},
        "Tag": {"type": "object", "additionalProperties": false, "required": ["of"],
            "properties": {"word": {"type": "string"}, "of": {"type": "string"}}}})
}

/// What a checked call sends as its body.
async fn sent(api: &Api, given: Value) -> Result<Value, String> {
    let got = Arc::new(Mutex::new(String::new()));
    let keep = Arc::clone(&got);
    let router = Router::new().fallback(any(async move |body: String| {
        *keep.lock().unwrap() = body;
        "{}"
    }));
    let url = serve(router).await;
    let tools = api.clone().server(url.as_str()).tools().unwrap();
    let call = ToolCall::new("1", "change", given);
    ToolSetExt::call(&tools, &ToolContext::new(), call).await.map_err(|error| error.for_model())?;
    let body = got.lock().unwrap().clone();
    Ok(serde_json::from_str(&body).unwrap_or(Value::String(body)))
}

#[tokio::test]
async fn null_takes_a_member_away_whatever_its_schema_says() {
    for media_type in ["application/merge-patch+json", "application/strategic-merge-patch+json"] {
        let schema = json!({"properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "tags": {"type": "array"}}});
        let plain = api(json!({media_type: {"schema": schema}}), json!({}));
        for value in [json!({"name": null, "age": 3}), json!({"tags": null}), json!({})] {
            assert_eq!(sent(&plain, value.clone()).await, Ok(value));
        }
    }
    let schema = json!({"$ref": "#/components/schemas/Thing"});
    let deep = api(json!({"application/merge-patch+json": {"schema": schema.clone()}}), thing());
    for value in [
        json!({"id": "x", "kind": null, "one": null, "labels": {"a": null}, "either": null}),
        json!({"id": "x", "parent": {"id": "y", "name": null, "parent": null}, "tags": [{"of": "z"}]}),
        json!({"id": "x", "either": {"word": null, "of": "a"}}),
    ] {
        assert_eq!(sent(&deep, value.clone()).await, Ok(value));
    }
    // What is in a list is no part of a patch, and what a patch must have is not taken away.
    for (value, at) in [
        (json!({"id": "x", "tags": [{"of": "z", "word": {}}]}), "/tags/0/word"),
        (json!({"id": "x", "tags": [{"of": null}]}), "/tags/0/of"),
        (json!({"id": null}), "/id"),
    ] {
        let refused = sent(&deep, value).await.unwrap_err();
        assert!(refused.contains(at), "{refused}");
    }
    // A body that is no patch takes no null that its schema does not take.
    let plain = api(json!({"application/json": {"schema": schema}}), thing());
    let answer = sent(&plain, json!({"id": "x", "labels": {"a": null}})).await;
    assert!(answer != Ok(json!({"id": "x", "labels": {"a": null}})), "{answer:?}");
}

#[test]
fn the_mock_takes_the_nulls_of_a_patch() {
    let api = api(
        json!({"application/merge-patch+json": {"schema": {"$ref": "#/components/schemas/Thing"}}}),
        thing(),
    );
    let mock = Mock::new([api]);
    let answer = |body: Value| {
        let request = http::Request::patch("/t").header("content-type", "application/merge-patch+json");
        let request = request.body(body.to_string().into()).unwrap();
        mock.answer(&request).response().status().as_u16()
    };
    assert_eq!(answer(json!({"id": "x", "name": null, "parent": {"id": "x", "name": null}})), 200);
    assert_eq!(answer(json!({"id": null})), 400);
}

#[test]
fn a_merge_patch_is_sent_before_a_list_of_steps() {
    const STEPS: &str = "application/json-patch+json";
    let object = json!({"schema": {"$ref": "#/components/schemas/Tag"}});
    let sent_as = |content: Value| {
        let api = api(content, thing());
        let operation = api.operation("change").unwrap();
        let chosen = operation.body.as_ref().unwrap().preferred().unwrap();
        let schema = api.definition(operation).input_schema.as_value().clone();
        (chosen.media_type.clone(), schema)
    };
    for (others, expected) in [
        (
            &["application/strategic-merge-patch+json", "application/merge-patch+json"][..],
            "application/merge-patch+json",
        ),
        (&["application/strategic-merge-patch+json"], "application/strategic-merge-patch+json"),
        (&["application/vnd.thing+json"], "application/vnd.thing+json"),
        (&["application/xml"], STEPS),
    ] {
        let all = std::iter::once(&STEPS).chain(others).map(|name| ((*name).to_owned(), object.clone()));
        assert_eq!(sent_as(Value::Object(all.collect())).0, expected);
    }
    // Alone, it is a list, whatever the document says about the thing.
    let (_, schema) = sent_as(json!({STEPS: object}));
    assert_eq!(schema["properties"]["body"]["items"]["required"], json!(["op", "path"]), "{schema}");
    // What the document itself says about steps is kept.
    let own = json!({"type": "array", "maxItems": 3, "items": {"type": "object"}});
    let (_, schema) = sent_as(json!({STEPS: {"schema": own.clone()}}));
    assert_eq!(schema["properties"]["body"], own);
}
