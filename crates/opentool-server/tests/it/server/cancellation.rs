//! Clients that go away, and calls that take too long.

use std::time::Duration;

use opentool_server::server::Server;
use serde_json::json;

use tokio::io::AsyncWriteExt as _;

use super::raw::{Ask, until};
use super::support::{Slow, serve, set, soon, start};

#[tokio::test]
async fn a_client_that_goes_away_stops_its_tool() {
    let (slow, seen) = Slow::new();
    let server = serve([slow]).await;
    for ask in [Ask::call("slow", json!({})), Ask::stream("slow", json!({}))] {
        let socket = ask.open(server.address).await;
        soon("the call", seen.started.notified()).await;
        drop(socket);
        soon("the cancellation", seen.signalled.notified()).await;
        soon("the end of the tool", seen.stopped.notified()).await;
    }
}

#[tokio::test]
async fn a_client_that_goes_away_in_the_middle_of_a_stream_stops_its_tool() {
    let (slow, seen) = Slow::new();
    let server = serve([slow]).await;
    let mut socket = Ask::stream("slow", json!({})).open(server.address).await;
    until(&mut socket, "event:data").await;
    drop(socket);
    soon("the end of the tool", seen.stopped.notified()).await;
}

#[tokio::test]
async fn a_client_that_goes_away_after_one_byte_more_stops_its_tool() {
    let (slow, seen) = Slow::new();
    // Longer than a test waits: the limit must not be what ends the tool.
    let server = start(Server::new(set([slow])).timeout(Duration::from_secs(3_600))).await;
    for ask in [Ask::call("slow", json!({})), Ask::stream("slow", json!({}))] {
        let mut socket = ask.open(server.address).await;
        soon("the call", seen.started.notified()).await;
        socket.write_all(b"G").await.unwrap();
        drop(socket);
        soon("the end of the tool", seen.stopped.notified()).await;
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up() {
    let (slow, seen) = Slow::new();
    let server = start(Server::new(set([slow])).timeout(Duration::from_millis(50))).await;
    let reply = Ask::call("slow", json!({})).send(server.address).await;
    let error = json!({"code": 500, "message": "the tool gave no answer within 50 ms"});
    assert_eq!((reply.status, &reply.json()["error"]), (200, &error));
    soon("the end of the tool", seen.stopped.notified()).await;

    let reply = Ask::stream("slow", json!({})).send(server.address).await;
    assert!(reply.body.contains("event:data\n"), "what came before is there: {}", reply.body);
    assert!(
        reply.body.trim_end().ends_with(&format!("\"error\":{error},\"id\":\"callId-0\"}}")),
        "{}",
        reply.body
    );
    soon("the end of the tool", seen.stopped.notified()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_blocks_its_thread_does_not_keep_its_client_waiting() {
    let (release, blocked) = std::sync::mpsc::channel::<()>();
    let blocked = std::sync::Mutex::new(blocked);
    let blocks = super::support::tool("blocks", move |_, _| {
        let _ = blocked.lock().unwrap().recv();
        async { Ok("free".into()) }
    });
    let server = start(Server::new(set([blocks])).timeout(Duration::from_millis(50))).await;
    let reply = Ask::call("blocks", json!({})).send(server.address).await;
    assert!(reply.body.contains("no answer within"), "{}", reply.body);
    release.send(()).unwrap();
}

#[tokio::test]
async fn a_stream_whose_client_does_not_read_ends_its_tool_in_time() {
    let stopped = std::sync::Arc::new(tokio::sync::Notify::new());
    let tells = std::sync::Arc::clone(&stopped);
    let floods = super::support::tool("floods", move |cx, _| {
        let signal = cx.cancel_signal().clone();
        let tells = std::sync::Arc::clone(&tells);
        tokio::spawn(async move {
            signal.cancelled().await;
            tells.notify_one();
        });
        async move {
            loop {
                cx.partial("x".repeat(1_000_000)).await;
            }
        }
    });
    let server = start(Server::new(set([floods])).timeout(Duration::from_millis(200))).await;
    let mut socket = Ask::stream("floods", json!({})).open(server.address).await;
    until(&mut socket, "event:data").await;
    soon("the cancellation", stopped.notified()).await;
    drop(socket);
}
