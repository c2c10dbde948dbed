//! Servers take the trace that a client names: OpenTool by its headers, MCP by `_meta` or by its headers.

use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentool_agent::{Agent, chat};
use opentool_http::{Client, HeaderName, HeaderValue, Options, Request};
use serde_json::{Value, json};

use crate::collector::{Collector, Span};
use crate::tools::both;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

fn traceparent() -> String {
    format!("00-{TRACE}-{PARENT}-01")
}

fn of_kind(spans: &[Span], kind: SpanKind) -> Vec<&Span> {
    spans.iter().filter(|span| span.kind == kind).collect()
}

#[tokio::test]
async fn a_call_over_opentool_is_one_trace_from_the_agent_to_the_tool() {
    let collector = Collector::start().await;
    let bound = opentool_server::server::Server::new(both()).bind("127.0.0.1:0").await.unwrap();
    let url = bound.url();
    tokio::spawn(bound.serve());
    let remote = opentool_server::client::connect(&url).await.unwrap();
    let (tools, _) = remote.tools().await.unwrap();
    let model = chat::script().calls([("add", json!({"a": 1, "b": 2})), ("fails", json!({}))]).text("Three.");
    Agent::new(model, tools).run("?").await.unwrap();
    let spans = collector.spans().await;
    let served = of_kind(&spans, SpanKind::Server);
    assert_eq!(served.len(), 2, "{spans:#?}");
    for (name, failed) in [("execute_tool add", Value::Null), ("execute_tool fails", json!("failed"))] {
        let asked = spans.iter().find(|span| span.name == name && span.kind == SpanKind::Internal).unwrap();
        let done = served.iter().find(|span| span.name == name).unwrap();
        let request = spans.iter().find(|span| span.id == done.parent).unwrap();
        assert_eq!((request.name.as_str(), request.kind), ("POST", SpanKind::Client));
        assert_eq!((&request.parent, &done.trace), (&asked.id, &asked.trace));
        assert_eq!((done.get("error.type"), done.is_error), (&failed, !failed.is_null()));
        assert_eq!(done.get("gen_ai.operation.name"), "execute_tool");
    }
}

/// Calls a tool of an MCP server in one request; the answer.
async fn tools_call(url: &str, name: &str, meta: Option<&str>, header: Option<&str>) -> Value {
    const VERSION: &str = "2026-07-28";
    let mut body = json!({"jsonrpc": "2.0", "id": "request-7", "method": "tools/call", "params": {
        "name": name,
        "arguments": {"a": 1, "b": 2},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        },
    }});
    if let Some(traceparent) = meta {
        body["params"]["_meta"]["traceparent"] = json!(traceparent);
    }
    let mut headers = vec![
        ("accept", "application/json, text/event-stream".to_owned()),
        ("mcp-protocol-version", VERSION.to_owned()),
        ("mcp-method", "tools/call".to_owned()),
        ("mcp-name", name.to_owned()),
    ];
    headers.extend(header.map(|traceparent| ("traceparent", traceparent.to_owned())));
    let mut request = Request::post_json(url.parse().unwrap(), &body);
    for (name, value) in headers {
        request = request.header(HeaderName::from_static(name), HeaderValue::try_from(value).unwrap());
    }
    let answer = Client::new(Options::new()).send(request).await.unwrap();
    serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("{}", answer.text()))
}

#[tokio::test]
async fn an_mcp_server_makes_its_span_a_part_of_the_trace_that_the_request_names() {
    let collector = Collector::start().await;
    let bound = opentool_mcp::Server::new(both()).bind("127.0.0.1:0").await.unwrap();
    let url = bound.url();
    tokio::spawn(bound.serve());
    let other = format!("00-{}-{}-01", "1".repeat(32), "2".repeat(16));
    let answer = tools_call(&url, "add", Some(&traceparent()), Some(&other)).await;
    assert_eq!(answer["result"]["content"][0]["text"], "3", "{answer}");
    tools_call(&url, "add", None, Some(&traceparent())).await;
    tools_call(&url, "add", Some("nonsense"), None).await;
    tools_call(&url, "invented", None, None).await;
    let spans = collector.spans().await;
    let seen: Vec<(&str, &str)> =
        spans.iter().map(|span| (span.name.as_str(), span.parent.as_str())).collect();
    let call = "tools/call add";
    assert_eq!(seen, [(call, PARENT), (call, PARENT), (call, ""), ("tools/call", "")]);
    assert!(spans[..2].iter().all(|span| span.trace == TRACE && span.kind == SpanKind::Server));
    let names = [
        "mcp.method.name",
        "gen_ai.operation.name",
        "gen_ai.tool.name",
        "jsonrpc.request.id",
        "network.transport",
        "error.type",
    ];
    let of_add = json!(["tools/call", "execute_tool", "add", "request-7", "tcp", null]);
    assert_eq!(spans[0].some(&names), of_add);
    let invented = json!(["tools/call", "execute_tool", null, "request-7", "tcp", "-32602"]);
    assert_eq!((spans[3].some(&names), spans[3].is_error), (invented, true));
    assert_eq!(spans[3].get("rpc.response.status_code"), "-32602");
}

#[tokio::test]
async fn what_an_mcp_server_serves_is_measured_under_the_names_of_its_tools() {
    let collector = Collector::start().await;
    let bound = opentool_mcp::Server::new(both()).bind("127.0.0.1:0").await.unwrap();
    let url = bound.url();
    tokio::spawn(bound.serve());
    for name in ["add", "add", "fails", "invented"] {
        tools_call(&url, name, None, None).await;
    }
    let points = collector.points().await;
    let mut seen: Vec<(String, Option<String>, u64)> = points
        .iter()
        .filter(|point| point.metric == "mcp.server.operation.duration")
        .map(|point| {
            let label = |name: &str| point.labels.get(name).and_then(Value::as_str).map(str::to_owned);
            (label("gen_ai.tool.name").unwrap(), label("error.type"), point.count)
        })
        .collect();
    seen.sort();
    assert_eq!(
        seen,
        [
            ("_OTHER".to_owned(), Some("-32602".to_owned()), 1),
            ("add".to_owned(), None, 2),
            // Its arguments do not fit.
            ("fails".to_owned(), Some("invalid_arguments".to_owned()), 1),
        ]
    );
}
