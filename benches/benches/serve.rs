//! `tools/call` of `add` over streamable HTTP with 16 clients: our server beside a bare server on the MCP SDK with
//! `json_response` and `TCP_NODELAY`. The aim is at least 0.9 of its throughput, although ours validates, catches
//! panics, counts calls and watches deadlines.
//!
//! Server and clients share one process and its cores; the clients write fixed bytes and read the answer's length.

#![allow(missing_docs, clippy::expect_used, clippy::indexing_slicing)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::serve::ListenerExt as _;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use opentool::{tool, tools};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const CLIENTS: u64 = 16;
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

/// One client: a connection that makes `calls` calls, one after the other.
async fn client(server: SocketAddr, calls: u64) {
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: add\r\nContent-Length: {}\r\n\r\n{CALL}",
        CALL.len()
    );
    let mut stream = TcpStream::connect(server).await.expect("connects");
    stream.set_nodelay(true).expect("a socket");
    let mut answer = Vec::with_capacity(8192);
    for _ in 0..calls {
        stream.write_all(request.as_bytes()).await.expect("writes");
        answer.clear();
        while !whole(&answer) {
            assert!(stream.read_buf(&mut answer).await.expect("reads") > 0, "closed");
        }
        let found = answer.windows(10).any(|part| part == b"\"result\":5");
        assert!(found, "{}", String::from_utf8_lossy(&answer));
    }
}

/// Whether an HTTP response is there as a whole.
fn whole(answer: &[u8]) -> bool {
    let Some(end) = answer.windows(4).position(|part| part == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
    match head.lines().find_map(|line| line.strip_prefix("content-length: ")) {
        Some(length) => answer.len() >= end + 4 + length.parse::<usize>().expect("a length"),
        None => answer.ends_with(b"0\r\n\r\n"),
    }
}

fn serve(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let mut group = c.benchmark_group("tools/call of add over HTTP, 16 clients");
    group.throughput(Throughput::Elements(CLIENTS)).measurement_time(Duration::from_secs(10)).sample_size(30);
    for (name, server) in [("bare MCP SDK", runtime.block_on(bare())), ("opentool", runtime.block_on(ours()))]
    {
        group.bench_function(name, |b| {
            b.iter_custom(|rounds| {
                runtime.block_on(async {
                    let start = Instant::now();
                    let clients: Vec<_> =
                        (0..CLIENTS).map(|_| tokio::spawn(client(server, rounds))).collect();
                    for client in clients {
                        client.await.expect("a client");
                    }
                    start.elapsed()
                })
            });
        });
    }
    group.finish();
}

criterion_group!(benches, serve);
criterion_main!(benches);
