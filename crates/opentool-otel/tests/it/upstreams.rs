//! A trace goes on to the services behind tools, by W3C's headers.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::get;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentool_agent::{Agent, chat};
use opentool_core::{ToolCall, ToolContext};
use opentool_schema::ToolSetExt as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::collector::{Collector, Span};

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
async fn a_service_behind_a_tool_gets_the_span_of_the_request_as_its_parent() {
    let (api, asked) = service().await;
    let tools = api.tools().unwrap();
    let call = ToolCall::new("c", "time", json!({}));
    tools.call(&ToolContext::new(), &call).await.unwrap();
    assert!(!asked.lock().unwrap()[0].contains_key("traceparent"), "there is no trace");

    let collector = Collector::start().await;
    let model = chat::script().calls([("time", json!({}))]).text("Noon.");
    Agent::new(model, tools.clone()).run("?").await.unwrap();
    let spans = collector.spans().await;
    let call = spans.iter().find(|span| span.name == "execute_tool time").unwrap();
    let span = spans.iter().find(|span| span.name == "GET /time").unwrap();
    assert_eq!((&span.parent, &span.trace), (&call.id, &call.trace));
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

/// What a turn that calls the tool sends to the collector, where the service answers so.
async fn requests(server: &str, arguments: Value) -> (Vec<Span>, Span) {
    let document = json!({
        "openapi": "3.1.0",
        "info": {"title": "Pets", "version": "1"},
        "servers": [{"url": format!("{server}/v1/")}],
        "paths": {"/pets/{id}": {"get": {
            "operationId": "pet",
            "parameters": [
                {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
                {"name": "token", "in": "query", "schema": {"type": "string"}},
            ],
            "responses": {"200": {"description": "The pet."}},
        }}},
    });
    let here = "memory.json".parse::<std::path::PathBuf>().unwrap();
    let tools = opentool_openapi::parse(document.to_string(), here).unwrap().tools().unwrap();
    let collector = Collector::start().await;
    let model = chat::script().calls([("pet", arguments)]).text("Done.");
    Agent::new(model, tools).run("?").await.unwrap();
    let spans = collector.spans().await;
    let call = spans.iter().find(|span| span.name == "execute_tool pet").unwrap().clone();
    (spans.into_iter().filter(|span| span.parent == call.id).collect(), call)
}

const FACTS: [&str; 8] = [
    "http.request.method",
    "http.request.resend_count",
    "url.full",
    "url.template",
    "server.address",
    "server.port",
    "http.response.status_code",
    "error.type",
];

#[tokio::test]
async fn each_request_of_a_tool_is_a_span_by_the_conventions_without_what_is_secret() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let routes = Router::new()
        .route("/v1/pets/1", get(async || axum::response::Redirect::temporary("/v1/pets/2?token=hunter3")))
        .route("/v1/pets/2", get(async || "Rex"));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let server = format!("http://127.0.0.1:{port}");

    let (sent, _) = requests(&server, json!({"id": "1", "token": "hunter2"})).await;
    let address = |pet: u8| format!("{server}/v1/pets/{pet}?token=REDACTED");
    let mut facts: Vec<Value> = sent.iter().map(|span| span.some(&FACTS)).collect();
    facts.sort_by_key(|facts| facts[1].as_i64());
    assert_eq!(
        facts,
        [
            json!(["GET", null, address(1), "/v1/pets/{id}", "127.0.0.1", port, 307, null]),
            json!(["GET", 1, address(2), null, "127.0.0.1", port, 200, null]),
        ]
    );
    assert!(sent.iter().all(|span| span.kind == SpanKind::Client && !span.is_error));
    let mut names: Vec<&str> = sent.iter().map(|span| span.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["GET", "GET /v1/pets/{id}"]);

    let (sent, _) = requests(&server, json!({"id": "nobody"})).await;
    assert_eq!((sent.len(), sent[0].is_error), (1, true));
    assert_eq!(sent[0].some(&["http.response.status_code", "error.type"]), json!([404, "404"]));
}

#[tokio::test]
async fn a_request_that_nobody_answers_is_an_error_with_its_kind() {
    // Nobody listens here any more.
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let (sent, call) = requests(&format!("http://127.0.0.1:{port}"), json!({"id": "1"})).await;
    assert!(!sent.is_empty() && call.is_error);
    for span in sent {
        assert_eq!(span.some(&["http.response.status_code", "error.type"]), json!([null, "connect"]));
        assert!(span.is_error);
    }
}

#[tokio::test]
async fn the_request_to_a_model_is_part_of_its_question_and_tells_no_trace() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked: Arc<Mutex<Vec<HeaderMap>>> = Arc::default();
    let kept = Arc::clone(&asked);
    let answer = json!({"choices": [{"index": 0, "finish_reason": "stop",
        "message": {"role": "assistant", "content": "Hi."}}]});
    let routes = Router::new().fallback(async move |headers: HeaderMap| {
        kept.lock().unwrap().push(headers);
        axum::Json(answer)
    });
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let model = chat::Model::new(chat::Provider::OpenAi, "m").api_key("sk-secret");
    let model = model.base_url(format!("http://{address}/v1")).unwrap();

    let collector = Collector::start().await;
    Agent::new(model, opentool_core::ToolSet::new()).run("?").await.unwrap();
    let spans = collector.spans().await;
    let question = spans.iter().find(|span| span.name == "chat m").unwrap();
    let request = spans.iter().find(|span| span.name == "POST").unwrap();
    assert_eq!((&request.parent, spans.len()), (&question.id, 3), "{spans:#?}");
    assert_eq!(request.get("http.response.status_code"), 200);
    assert!(!asked.lock().unwrap()[0].contains_key("traceparent"));
}
