//! `POST /call` of `add` with 16 clients: the OpenTool server beside a bare axum handler that reads and writes the same
//! JSON and does the same arithmetic. The aim is at least 0.85 of its throughput, although ours looks the function up,
//! validates, runs the tool in a task of its own behind a wall, counts calls and watches deadlines.
//!
//! Server and clients share one process and its cores; the ratio is of turns in pairs: see `load`.

#![allow(missing_docs, clippy::expect_used, clippy::indexing_slicing)]

use std::net::SocketAddr;
use std::time::Duration;

use axum::Json;
use axum::routing::post;
use axum::serve::ListenerExt as _;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use opentool::{tool, tools};
use opentool_benches::load::{CLIENTS, Load};
use opentool_server::server::Server;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

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

fn opentool(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let (peer, ours) = (runtime.block_on(bare()), runtime.block_on(ours()));
    let load = Load::post("/opentool/call", "", CALL, "\"result\":5");
    let mut group = c.benchmark_group("/call of add over HTTP, 16 clients");
    group.throughput(Throughput::Elements(CLIENTS)).measurement_time(Duration::from_secs(10)).sample_size(30);
    for (name, server) in [("bare axum", peer), ("opentool", ours)] {
        group.bench_function(name, |b| b.iter_custom(|calls| load.take(&runtime, server, calls)));
    }
    group.finish();
    load.compare(&runtime, peer, ours);
}

criterion_group!(benches, opentool);
criterion_main!(benches);
