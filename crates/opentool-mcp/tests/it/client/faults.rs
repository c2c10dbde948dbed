//! Servers that are dead, hang, give far too much, or speak something else.

use std::time::{Duration, Instant};

use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use opentool_core::{ToolContext, ToolError};
use opentool_mcp::client::ClientError;
use opentool_mcp::connect;
use opentool_schema::ToolSetExt as _;
use serde_json::json;
use tokio::net::TcpListener;

use super::http::call;
use super::opened;
use super::scripted::{Scripted, discovered, entry, json_answer, listed};
use crate::support::soon;

#[tokio::test]
async fn nobody_at_the_address() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let error = connect(format!("http://{free}/mcp?key=hunter2")).await.unwrap_err();
    assert!(matches!(error, ClientError::NoAccess { .. }) && error.not_run(), "{error:?}");
    assert!(error.to_string().contains("is the server running?"), "{error}");
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

#[tokio::test]
async fn a_server_that_says_nothing_costs_no_more_than_the_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let begun = Instant::now();
    let silent = connect(url).timeout(Duration::from_millis(300));
    let error = opened(silent).await.unwrap_err();
    assert!(matches!(error, ClientError::TimedOut { .. }), "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(5));
    drop(listener);
}

#[tokio::test]
async fn an_answer_that_is_too_large_fails_its_call_and_no_other() {
    for stream in [false, true] {
        let server = Scripted::start(move |sent| {
            let message = &sent.message;
            let answer = match message["method"].as_str().unwrap() {
                "server/discover" => discovered(),
                "tools/list" => listed(json!([entry("huge"), entry("small")])),
                "tools/call" => {
                    let much = if message["params"]["name"] == "huge" { 3_000_000 } else { 3 };
                    json!({"result": {"content": [{"type": "text", "text": "x".repeat(much)}]}})
                }
                _ => return StatusCode::ACCEPTED.into_response(),
            };
            if !stream || message["method"] != "tools/call" {
                return json_answer(message, answer);
            }
            let mut answer = answer;
            answer["jsonrpc"] = json!("2.0");
            answer["id"] = message["id"].clone();
            ([(header::CONTENT_TYPE, "text/event-stream")], format!("data: {answer}\n\n")).into_response()
        })
        .await;
        let client = connect(server.url.clone()).answer_limit(1_000_000).await.unwrap();
        let (tools, _) = client.tools().await.unwrap();
        let cx = ToolContext::new();
        let error = soon("the failure", tools.call(&cx, &call("huge", json!({})))).await.unwrap_err();
        assert!(
            error.for_model().contains("larger than 1000000 bytes"),
            "{stream}: {} {}",
            error.for_model(),
            error.chain()
        );
        let small = soon("the answer", tools.call(&cx, &call("small", json!({})))).await.unwrap();
        assert_eq!(small.to_text(), "xxx");
    }
}

#[tokio::test]
async fn what_is_no_mcp_server_is_told_for_what_it_is() {
    for (status, kind, body, expected) in [
        (200, "text/html", "<html>", "neither JSON nor an event stream"),
        (200, "application/json", "{\"hello\": 1}", "no message of the protocol"),
        (404, "text/html", "", "is the path right?"),
        (500, "text/plain", "oops", "HTTP 500"),
        (503, "text/plain", "", "busy"),
        (302, "text/plain", "", "redirects to https://elsewhere.example"),
    ] {
        let server = Scripted::start(move |_| {
            let status = StatusCode::from_u16(status).unwrap();
            let headers = [(header::CONTENT_TYPE, kind), (header::LOCATION, "https://elsewhere.example/x")];
            (status, headers, body).into_response()
        })
        .await;
        let error = opened(connect(server.url.clone())).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{status} {kind}: {error}");
    }
}

#[tokio::test]
async fn a_server_that_wants_to_ask_somebody_is_told_no() {
    let server = Scripted::modern(|method, _| match method {
        "tools/list" => listed(json!([entry("ask"), entry("error")])),
        _ => json!({"result": {"resultType": "input_required", "requestState": "s",
            "inputRequests": {"a": {"method": "elicitation/create", "params": {"message": "Your PIN?",
            "requestedSchema": {"type": "object", "properties": {}}}}}}}),
    })
    .await;
    let (tools, _) = connect(server.url.clone()).await.unwrap().tools().await.unwrap();
    let error =
        soon("the answer", tools.call(&ToolContext::new(), &call("ask", json!({})))).await.unwrap_err();
    assert!(matches!(error, ToolError::Upstream(_)), "{error:?}");
    assert!(error.for_model().contains("not possible here"), "{}", error.for_model());
}

#[tokio::test]
async fn a_stream_that_ends_without_an_answer_is_a_failure_and_no_wait() {
    let server = Scripted::start(move |sent| {
        let message = &sent.message;
        let answer = match message["method"].as_str().unwrap_or_default() {
            "server/discover" => discovered(),
            "tools/list" => listed(json!([entry("broken")])),
            "tools/call" => {
                let progress = ": nothing yet\n\n";
                return ([(header::CONTENT_TYPE, "text/event-stream")], progress).into_response();
            }
            _ => return StatusCode::ACCEPTED.into_response(),
        };
        json_answer(message, answer)
    })
    .await;
    let (tools, _) = connect(server.url.clone()).await.unwrap().tools().await.unwrap();
    let error = soon("the failure", tools.call(&ToolContext::new(), &call("broken", json!({})))).await;
    let error = error.unwrap_err();
    assert!(error.for_model().contains("the call may have run"), "{}", error.for_model());
    assert_eq!(server.sent("tools/call").len(), 1, "it is not made twice");
}
