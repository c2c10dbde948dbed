//! A trace goes on to MCP servers behind tools, in `_meta` and in the headers of the request.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::post;
use axum::{Json, http::StatusCode, response::IntoResponse as _};
use opentool_agent::{Agent, chat};
use opentool_core::{ToolCall, ToolContext};
use opentool_schema::ToolSetExt as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::collector::Collector;

/// The calls that a server got: their headers and their `_meta`.
type Asked = Arc<Mutex<Vec<(HeaderMap, Value)>>>;

async fn server() -> (String, Asked) {
    let asked = Asked::default();
    let kept = Arc::clone(&asked);
    let answer = async move |headers: HeaderMap, Json(message): Json<Value>| {
        let result = match message["method"].as_str().unwrap() {
            "server/discover" => json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private"}),
            "tools/list" => json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "tools": [{"name": "time", "inputSchema": {"type": "object"}}]}),
            "tools/call" => {
                kept.lock().unwrap().push((headers, message["params"]["_meta"].clone()));
                json!({"content": [{"type": "text", "text": "noon"}]})
            }
            _ => return StatusCode::ACCEPTED.into_response(),
        };
        Json(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).into_response()
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let routes = Router::new().route("/mcp", post(answer));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (url, asked)
}

#[tokio::test]
async fn a_server_behind_a_tool_gets_the_span_of_the_call_as_its_parent() {
    let (url, asked) = server().await;
    let (tools, _) = opentool_mcp::connect(url).await.unwrap().tools().await.unwrap();
    tools.call(&ToolContext::new(), ToolCall::new("c", "time", json!({}))).await.unwrap();
    let (headers, meta) = asked.lock().unwrap()[0].clone();
    assert!(meta.get("traceparent").is_none() && !headers.contains_key("traceparent"), "there is no trace");

    let collector = Collector::start().await;
    let model = chat::script().calls([("time", json!({}))]).text("Noon.");
    Agent::new(model, tools).run("?").await.unwrap();
    let spans = collector.spans().await;
    let span = spans.iter().find(|span| span.name == "execute_tool time").unwrap();
    let (headers, meta) = asked.lock().unwrap()[1].clone();
    let parent = format!("00-{}-{}-01", span.trace, span.id);
    assert_eq!(meta["traceparent"], parent);
    assert_eq!(headers["traceparent"], parent);
    assert!(meta.get("baggage").is_none() && !headers.contains_key("baggage"));
}
