//! Servers that behave like the existing SDKs.

use opentool_core::{ToolCall, ToolContext};
use opentool_schema::ToolSetExt as _;
use opentool_server::client::{self, ClientError, FunctionCall};
use serde_json::{Value, json};

use super::raw::{Asked, Do, Raw, answer};

/// A document with a function that gives a number.
pub(super) fn document() -> Value {
    json!({
        "opentool": "1.0.0",
        "info": {"title": "Sums", "version": "1.0.0"},
        "functions": [{
            "name": "add",
            "description": "Adds.",
            "parameters": [
                {"name": "a", "description": "A summand.", "schema": {"type": "integer"}, "required": true},
                {"name": "b", "description": "A summand.", "schema": {"type": "integer"}, "required": true}
            ],
            "return": {"name": "sum", "schema": {"type": "integer"}}
        }]
    })
}

/// What the Dart SDK's server says: no `error` on success, error objects as results, a 404 object for no document.
fn dart(asked: &Asked) -> Vec<Do> {
    let key = asked.headers.contains("authorization: bearer right-key\r\n");
    if !key {
        return vec![answer(401, r#"{"error":"Unauthorized"}"#)];
    }
    match asked.line.as_str() {
        "GET /opentool/version" => vec![answer(200, r#"{"version":"1.0.0"}"#)],
        "GET /opentool/load" => vec![answer(200, r#"{"code":404,"message":"Json Parser NOT implement"}"#)],
        "POST /opentool/call" => {
            let body = asked.body();
            assert_eq!(body["jsonrpc"], "2.0");
            let result = match body["method"].as_str().unwrap() {
                "add" => {
                    let params = &body["params"];
                    json!({"sum": params["a"].as_i64().unwrap() + params["b"].as_i64().unwrap()})
                }
                name => json!({"code": 405, "message": format!("Function Not Supported: {name}")}),
            };
            vec![answer(200, &json!({"jsonrpc": "2.0", "result": result, "id": body["id"]}).to_string())]
        }
        _ => vec![answer(404, "Route not found")],
    }
}

/// What the TypeScript SDK's server says: `jsonrpc` "2.0.0", `error: null`, ids as numbers.
fn typescript(asked: &Asked) -> Vec<Do> {
    match asked.line.as_str() {
        "GET /opentool/version" => vec![answer(200, r#"{"version":"2.0.0"}"#)],
        "GET /opentool/load" => vec![answer(200, &document().to_string())],
        "POST /opentool/call" => {
            let sum = json!({"jsonrpc": "2.0.0", "result": {"sum": 3}, "error": null, "id": 1});
            vec![answer(200, &sum.to_string())]
        }
        _ => vec![answer(404, "{}")],
    }
}

#[tokio::test]
async fn a_dart_server_is_called() {
    let server = Raw::start(dart).await;
    let client = client::connect(&server.url).api_key("right-key").await.unwrap();
    assert_eq!(client.version().await.unwrap(), "1.0.0");
    assert_eq!(client.load().await.unwrap(), None, "the 404 object means none");
    let call = FunctionCall::new("c-1", "add").argument("a", 1).argument("b", 2);
    let returned = client.call(&call).await.unwrap();
    assert_eq!((returned.id.as_str(), &returned.result), ("c-1", &json!({"sum": 3})));
    assert!(returned.error().is_none());
    assert_eq!(server.connections(), 1, "one connection serves all requests");

    let returned = client.call(&FunctionCall::new("c-2", "subtract")).await.unwrap();
    assert_eq!(returned.result["code"], 405, "the protocol's client passes results on as they are");
    assert!(matches!(returned.error(), Some(ClientError::Call { code: 405, .. })));
}

#[tokio::test]
async fn an_error_object_in_a_result_reaches_the_model_as_an_error() {
    let server = Raw::start(dart).await;
    let client = client::connect(&server.url).api_key("right-key").await.unwrap();
    let mut document = document();
    document["functions"][0]["name"] = json!("subtract");
    let document = opentool_doc::Document::read(&document).unwrap().document;
    let tools = client::document_tools(&document, &client);
    let output =
        tools.answer(&ToolContext::new(), ToolCall::new("1", "subtract", json!({"a": 1, "b": 2}))).await;
    assert!(output.is_error);
    assert_eq!(output.to_text(), "Function Not Supported: subtract");

    // A function that declares such objects gives values.
    let mut declared = document.to_value();
    declared["functions"][0]["return"] = json!({"name": "status", "schema": {"$ref": "#/schemas/Status"}});
    declared["schemas"] = json!({"Status": {"type": "object", "properties":
        {"code": {"type": "integer"}, "message": {"type": "string"}}}});
    let declared = opentool_doc::Document::read(&declared).unwrap().document;
    let tools = client::document_tools(&declared, &client);
    let output =
        tools.answer(&ToolContext::new(), ToolCall::new("1", "subtract", json!({"a": 1, "b": 2}))).await;
    assert!(!output.is_error);
    assert_eq!(output.structured.unwrap()["code"], 405);
}

#[tokio::test]
async fn a_typescript_server_is_a_source() {
    let server = Raw::start(typescript).await;
    let client = client::connect(&server.url).await.unwrap();
    let (tools, diagnostics) = client.tools().await.unwrap();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(tools.names().collect::<Vec<_>>(), ["add"]);
    let definition = tools.definitions().next().unwrap();
    assert_eq!(definition.origin.location.as_deref(), Some(server.url.as_str()));

    let cx = ToolContext::new().call_id("abc");
    let output = tools.call(&cx, ToolCall::new("abc", "add", json!({"a": 1, "b": 2}))).await.unwrap();
    assert_eq!(output.structured, Some(json!({"sum": 3})));
    let sent = server.asked().pop().unwrap();
    assert_eq!(
        sent.body, r#"{"jsonrpc":"2.0","method":"add","params":{"a":1,"b":2},"id":"abc"}"#,
        "arguments leave in the order in which they were written"
    );
    assert!(!sent.headers.contains("authorization"));

    // Nothing leaves that the document does not allow.
    let before = server.asked().len();
    let error = tools.call(&cx, ToolCall::new("1", "add", json!({"a": "x"}))).await.unwrap_err();
    assert_eq!(error.code(), "invalid_arguments");
    assert_eq!(server.asked().len(), before);
}

#[tokio::test]
async fn both_answers_to_a_missing_document_mean_none() {
    for (status, body) in [
        (200, "{}"),
        (200, " {}\n"),
        (200, r#"{"code":404,"message":"Json Parser NOT implement"}"#),
        (404, r#"{"code":404,"message":"Json Parser NOT implement"}"#),
    ] {
        let server = Raw::start(move |asked| match asked.line.as_str() {
            "GET /opentool/version" => vec![answer(200, r#"{"version":"1.0.0"}"#)],
            _ => vec![answer(status, body)],
        })
        .await;
        let client = client::connect(&server.url).build().unwrap();
        assert_eq!(client.load().await.unwrap(), None, "{status} {body}");
        let error = client.tools().await.unwrap_err();
        assert!(matches!(error, ClientError::NoDocument { .. }), "{error}");
    }
    // Where the version is not known either, it is the wrong place.
    let server = Raw::start(|_| vec![answer(404, r#"{"code":404,"message":"Not Found"}"#)]).await;
    let error = client::connect(&server.url).build().unwrap().load().await.unwrap_err();
    assert!(matches!(error, ClientError::NoAccess { .. }), "{error}");
}

#[tokio::test]
async fn the_id_of_an_answer_does_not_matter() {
    for id in [r#","id":"1""#, r#","id":1"#, r#","id":null"#, r#","id":"another""#, r#","id":[]"#, ""] {
        let server =
            Raw::start(move |_| vec![answer(200, &format!(r#"{{"jsonrpc":"2.0","result":{{"a":1}}{id}}}"#))])
                .await;
        let client = client::connect(&server.url).build().unwrap();
        let returned = client.call(&FunctionCall::new("1", "f")).await.unwrap();
        assert_eq!((returned.id.as_str(), returned.result), ("1", json!({"a": 1})), "{id}");
    }
}

#[tokio::test]
async fn numbers_that_would_be_rounded_stay_text() {
    let server = Raw::start(|_| vec![answer(200, r#"{"result":{"id":99999999999999999999}}"#)]).await;
    let client = client::connect(&server.url).build().unwrap();
    let document = opentool_doc::Document::read(&document()).unwrap().document;
    let tools = client::document_tools(&document, &client);
    let output = tools.answer(&ToolContext::new(), ToolCall::new("1", "add", json!({"a": 1, "b": 2}))).await;
    assert_eq!(output.to_text(), r#"{"id":99999999999999999999}"#);
    assert_eq!(output.structured, None);
}
