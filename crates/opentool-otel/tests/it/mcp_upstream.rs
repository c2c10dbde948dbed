//! A trace goes on to MCP servers behind tools, in `_meta` and in the headers of the request.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::post;
use axum::{Json, http::StatusCode, response::IntoResponse as _};
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentool_agent::{Agent, chat};
use opentool_core::{ToolCall, ToolContext};
use opentool_schema::ToolSetExt as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::collector::Collector;

const FACTS: [&str; 10] = [
    "mcp.method.name",
    "mcp.protocol.version",
    "network.transport",
    "network.protocol.name",
    "server.address",
    "server.port",
    "gen_ai.operation.name",
    "gen_ai.tool.name",
    "rpc.response.status_code",
    "error.type",
];

/// The calls that a server got: their headers and their `_meta`.
type Asked = Arc<Mutex<Vec<(HeaderMap, Value)>>>;

async fn server() -> (String, Asked) {
    let asked = Asked::default();
    let kept = Arc::clone(&asked);
    let listed =
        ["time", "late", "broken"].map(|name| json!({"name": name, "inputSchema": {"type": "object"}}));
    let answer = async move |headers: HeaderMap, Json(message): Json<Value>| {
        let result = match message["method"].as_str().unwrap() {
            "server/discover" => json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private"}),
            "tools/list" => json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "tools": listed}),
            "tools/call" => {
                kept.lock().unwrap().push((headers, message["params"]["_meta"].clone()));
                match message["params"]["name"].as_str().unwrap() {
                    "time" => json!({"content": [{"type": "text", "text": "noon"}]}),
                    "late" => json!({"content": [{"type": "text", "text": "no"}], "isError": true}),
                    _ => {
                        let error = json!({"code": -32603, "message": "out of order"});
                        return Json(json!({"jsonrpc": "2.0", "id": message["id"], "error": error}))
                            .into_response();
                    }
                }
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
async fn a_server_behind_a_tool_gets_the_span_of_the_request_as_its_parent() {
    let (url, asked) = server().await;
    let port: u16 = url.rsplit([':', '/']).nth(1).unwrap().parse().unwrap();
    let (tools, _) = opentool_mcp::connect(url).await.unwrap().tools().await.unwrap();
    tools.call(&ToolContext::new(), ToolCall::new("c", "time", json!({}))).await.unwrap();
    let (headers, meta) = asked.lock().unwrap()[0].clone();
    assert!(meta.get("traceparent").is_none() && !headers.contains_key("traceparent"), "there is no trace");

    let collector = Collector::start().await;
    let model = chat::script().calls([("time", json!({}))]).text("Noon.");
    Agent::new(model, tools).run("?").await.unwrap();
    let spans = collector.spans().await;
    let call = spans.iter().find(|span| span.name == "execute_tool time").unwrap();
    let span = spans.iter().find(|span| span.name == "tools/call time").unwrap();
    assert_eq!((&span.parent, span.kind, span.is_error), (&call.id, SpanKind::Client, false));
    assert_eq!(
        span.some(&FACTS),
        json!([
            "tools/call",
            "2026-07-28",
            "tcp",
            "http",
            "127.0.0.1",
            port,
            "execute_tool",
            "time",
            null,
            null
        ])
    );
    assert!(span.get("jsonrpc.request.id").is_string(), "{span:?}");
    let (headers, meta) = asked.lock().unwrap()[1].clone();
    let parent = format!("00-{}-{}-01", span.trace, span.id);
    assert_eq!(meta["traceparent"], parent);
    assert_eq!(headers["traceparent"], parent);
    assert!(meta.get("baggage").is_none() && !headers.contains_key("baggage"));
}

async fn turn_with_failures() -> Collector {
    let (url, _) = server().await;
    let (tools, _) = opentool_mcp::connect(url).await.unwrap().tools().await.unwrap();
    let collector = Collector::start().await;
    let calls = [("late", json!({})), ("broken", json!({})), ("broken", json!({}))];
    Agent::new(chat::script().calls(calls).text("Well."), tools).run("?").await.unwrap();
    collector
}

#[tokio::test]
async fn a_request_that_failed_says_why() {
    let collector = turn_with_failures().await;
    let spans = collector.spans().await;
    for (name, code, kind) in
        [("tools/call late", Value::Null, "tool_error"), ("tools/call broken", json!("-32603"), "-32603")]
    {
        let span = spans.iter().find(|span| span.name == name).unwrap();
        assert_eq!(span.some(&["rpc.response.status_code", "error.type"]), json!([code, kind]));
        assert!(span.is_error);
    }
}

#[tokio::test]
async fn requests_are_measured() {
    let collector = turn_with_failures().await;
    let points = collector.points().await;
    let mut seen: Vec<(Value, u64)> = points
        .iter()
        .filter(|point| point.metric == "mcp.client.operation.duration")
        .map(|point| {
            let labels = ["mcp.method.name", "gen_ai.tool.name", "network.transport", "error.type"];
            (labels.iter().map(|label| point.labels[*label].clone()).collect(), point.count)
        })
        .collect();
    seen.sort_by_key(|(labels, _)| labels.to_string());
    assert_eq!(
        seen,
        [
            (json!(["tools/call", "broken", "tcp", "-32603"]), 2),
            (json!(["tools/call", "late", "tcp", "tool_error"]), 1),
        ]
    );
}
