//! How a stream is opened, and what comes before that.

use std::sync::Arc;

use opentool_mcp::Server;
use serde_json::{Value, json};

use crate::raw::body;
use crate::streams::piped;
use crate::support::{add, set};

fn hello(id: u8) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}
    }})
}

fn call(id: u8) -> Value {
    let params = json!({"name": "add", "arguments": {"a": 2, "b": 3}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

fn modern(id: u8, method: &str, params: Value) -> Value {
    let mut request = body(method, params, "2026-07-28");
    request["id"] = json!(id);
    request
}

/// The answers to the messages, by id.
async fn told(messages: &[Value]) -> impl Fn(u8) -> Value + use<> {
    let lines: Vec<String> = messages.iter().map(Value::to_string).collect();
    let (ended, answers) = piped(Server::new(set([Arc::new(add())])), &lines).await;
    ended.unwrap();
    move |id| {
        let mut found = answers.iter().filter(|answer| answer["id"] == json!(id));
        let answer = found.next().unwrap_or_else(|| panic!("no answer to {id}: {answers:?}"));
        assert!(found.next().is_none(), "two answers to {id}");
        answer.clone()
    }
}

#[tokio::test]
async fn what_wants_no_answer_does_not_end_a_stream_that_is_not_open() {
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for stray in [
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}),
        json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}),
        json!({"jsonrpc": "2.0", "method": "$/whatever"}),
        json!({"jsonrpc": "2.0", "id": 77, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 77, "error": {"code": -1, "message": "no"}}),
        ready.clone(),
    ] {
        let answer = told(&[stray.clone(), hello(0), ready.clone(), call(1)]).await;
        assert_eq!(answer(0)["result"]["protocolVersion"], "2025-06-18", "{stray}");
        assert_eq!(answer(1)["result"]["structuredContent"], json!({"result": 5}), "{stray}");
    }
}

#[tokio::test]
async fn a_question_that_is_cancelled_leaves_the_stream_to_be_opened() {
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}});
    let answer = told(&[modern(3, "server/discover", json!({})), cancel, hello(4), call(5)]).await;
    assert!(answer(3)["result"]["supportedVersions"].is_array(), "{}", answer(3));
    assert_eq!(answer(5)["result"]["structuredContent"], json!({"result": 5}));
}

#[tokio::test]
async fn an_opening_that_is_refused_can_be_tried_again() {
    let wrong = json!({"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let answer = told(&[wrong, ready.clone(), hello(4), ready, call(5)]).await;
    assert_eq!(answer(3)["error"]["code"], -32602, "{}", answer(3));
    assert_eq!(answer(5)["result"]["structuredContent"], json!({"result": 5}));
}

#[tokio::test]
async fn an_initialize_after_a_modern_request_is_refused() {
    let params = json!({"name": "add", "arguments": {"a": 2, "b": 3}});
    let messages = [modern(3, "tools/call", params.clone()), hello(4), modern(5, "tools/call", params)];
    let answer = told(&messages).await;
    assert_eq!(answer(3)["result"]["structuredContent"], json!({"result": 5}));
    assert_eq!(answer(4)["error"]["code"], -32600, "{}", answer(4));
    assert!(answer(4)["error"]["message"].as_str().unwrap().contains("without `initialize`"));
    assert_eq!(answer(5)["result"]["structuredContent"], json!({"result": 5}));
}
