//! `POST /call` of `add` with 16 clients: the OpenTool server beside a bare axum handler that reads and writes the same
//! JSON and does the same arithmetic. The aim is at least 0.85 of its throughput, although ours looks the function up,
//! validates, runs the tool in a task of its own behind a wall, counts calls and watches deadlines.
//!
//! Server and clients share one process and its cores; the clients write fixed bytes and read the answer's length.

#![allow(missing_docs, clippy::expect_used, clippy::indexing_slicing)]

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::Json;
use axum::routing::post;
use axum::serve::ListenerExt as _;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use opentool::{tool, tools};
use opentool_server::server::Server;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const CLIENTS: u64 = 16;
const CALL: &str = r#"{"jsonrpc":"2.0","method":"add","params":{"a":2,"b":3},"id":"callId-0"}"#;

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

#[derive(Deserialize)]
struct Call {
    params: Numbers,
    id: String,
}

#[derive(Deserialize)]
struct Numbers {
    a: i64,
    b: i64,
}

#[derive(Serialize)]
struct Answer {
    jsonrpc: &'static str,
    result: Sum,
    id: String,
}

#[derive(Serialize)]
struct Sum {
    result: i64,
}

async fn bare() -> SocketAddr {
    let router = axum::Router::new().route(
        "/opentool/call",
        post(async |Json(call): Json<Call>| {
            let result = Sum { result: call.params.a + call.params.b };
            Json(Answer { jsonrpc: "2.0", result, id: call.id })
        }),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("bound");
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("a socket"));
    tokio::spawn(axum::serve(listener, router).into_future());
    address
}

async fn ours() -> SocketAddr {
    let bound = Server::new(tools![add]).bind("127.0.0.1:0").await.expect("a port");
    let address = bound.local_addr();
    tokio::spawn(bound.serve());
    address
}

/// One client: a connection that makes `calls` calls, one after the other.
async fn client(server: SocketAddr, calls: u64) {
    let request = format!(
        "POST /opentool/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{CALL}",
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
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
    answer.len() >= end + 4 + length.parse::<usize>().expect("a number")
}

fn opentool(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let mut group = c.benchmark_group("/call of add over HTTP, 16 clients");
    group.throughput(Throughput::Elements(CLIENTS)).measurement_time(Duration::from_secs(10)).sample_size(30);
    for (name, server) in [("bare axum", runtime.block_on(bare())), ("opentool", runtime.block_on(ours()))] {
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

criterion_group!(benches, opentool);
criterion_main!(benches);
