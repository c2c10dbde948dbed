//! `tools/call` of `add` over streamable HTTP with 16 clients: our server beside a bare server on the MCP SDK with
//! `json_response` and `TCP_NODELAY`. The aim is at least 0.9 of its throughput, although ours validates, catches
//! panics, counts calls and watches deadlines.
//!
//! Server and clients share one process and its cores; the ratio is of turns in pairs: see `load`.

#![allow(missing_docs, clippy::expect_used, clippy::indexing_slicing)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt as _;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use opentool::{tool, tools};
use opentool_benches::load::{CLIENTS, Load};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::net::TcpListener;

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"}}}}"#;

/// Adds two numbers.
#[tool]
fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a + b
}

/// The least that a server on the SDK can be.
struct Bare;

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        #[derive(serde::Deserialize)]
        struct Add {
            a: i64,
            b: i64,
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let add: Add =
            serde_json::from_value(arguments).map_err(|e| ErrorData::invalid_params(e.to_string(), None))?;
        Ok(CallToolResult::structured(json!({"result": add.a + add.b})).into())
    }
}

async fn bare() -> SocketAddr {
    let config =
        StreamableHttpServerConfig::default().with_json_response(true).with_legacy_session_mode(false);
    let service = StreamableHttpService::new(|| Ok(Bare), Arc::new(LocalSessionManager::default()), config);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("bound");
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("a socket"));
    tokio::spawn(axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).into_future());
    address
}

async fn ours() -> SocketAddr {
    let bound = opentool::mcp::Server::new(tools![add]).bind("127.0.0.1:0").await.expect("a port");
    let address = bound.local_addr();
    tokio::spawn(bound.serve());
    address
}

fn serve(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let (peer, ours) = (runtime.block_on(bare()), runtime.block_on(ours()));
    let headers = "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
                   Mcp-Method: tools/call\r\nMcp-Name: add\r\n";
    let load = Load::post("/mcp", headers, CALL, "\"result\":5");
    let mut group = c.benchmark_group("tools/call of add over HTTP, 16 clients");
    group.throughput(Throughput::Elements(CLIENTS)).measurement_time(Duration::from_secs(10)).sample_size(30);
    for (name, server) in [("bare MCP SDK", peer), ("opentool", ours)] {
        group.bench_function(name, |b| b.iter_custom(|calls| load.take(&runtime, server, calls)));
    }
    group.finish();
    load.compare(&runtime, peer, ours);
}

criterion_group!(benches, serve);
criterion_main!(benches);
