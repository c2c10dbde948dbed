//! A trace goes on to the services behind tools, by W3C's headers.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::get;
use opentool_agent::{Agent, chat};
use opentool_core::{ToolCall, ToolContext};
use opentool_schema::ToolSetExt as _;
use serde_json::json;
use tokio::net::TcpListener;

use crate::collector::Collector;

/// A service that keeps the headers of what it is asked, and its document.
async fn service() -> (opentool_openapi::Api, Arc<Mutex<Vec<HeaderMap>>>) {
    let asked: Arc<Mutex<Vec<HeaderMap>>> = Arc::default();
    let kept = Arc::clone(&asked);
    let routes = Router::new().route(
        "/time",
        get(async move |headers: HeaderMap| {
            kept.lock().unwrap().push(headers);
            "noon"
        }),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let document = json!({
        "openapi": "3.1.0",
        "info": {"title": "Clock", "version": "1"},
        "servers": [{"url": format!("http://{address}")}],
        "paths": {"/time": {"get": {
            "operationId": "time",
            "parameters": [{"name": "traceparent", "in": "header", "schema": {"type": "string"}}],
            "responses": {"200": {"description": "The time.", "content": {"text/plain": {}}}},
        }}},
    });
    let here = "memory.json".parse::<std::path::PathBuf>().unwrap();
    (opentool_openapi::parse(document.to_string(), here).unwrap(), asked)
}

#[tokio::test]
async fn a_service_behind_a_tool_gets_the_span_of_the_call_as_its_parent() {
    let (api, asked) = service().await;
    let tools = api.tools().unwrap();
    let call = ToolCall::new("c", "time", json!({}));
    tools.call(&ToolContext::new(), &call).await.unwrap();
    assert!(!asked.lock().unwrap()[0].contains_key("traceparent"), "there is no trace");

    let collector = Collector::start().await;
    let model = chat::script().calls([("time", json!({}))]).text("Noon.");
    Agent::new(model, tools.clone()).run("?").await.unwrap();
    let spans = collector.spans().await;
    let span = spans.iter().find(|span| span.name == "execute_tool time").unwrap();
    let headers = asked.lock().unwrap()[1].clone();
    assert_eq!(headers["traceparent"], format!("00-{}-{}-01", span.trace, span.id));
    assert!(!headers.contains_key("tracestate") && !headers.contains_key("baggage"));
}

#[tokio::test]
async fn a_header_of_the_document_is_not_replaced() {
    let (api, asked) = service().await;
    let collector = Collector::start().await;
    let own = "00-11111111111111111111111111111111-2222222222222222-00";
    let model = chat::script().calls([("time", json!({"traceparent": own}))]).text("Noon.");
    Agent::new(model, api.tools().unwrap()).run("?").await.unwrap();
    assert!(collector.spans().await.iter().any(|span| span.name == "execute_tool time"));
    assert_eq!(asked.lock().unwrap()[0]["traceparent"], own);
}
