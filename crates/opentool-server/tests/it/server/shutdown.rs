//! The end of a server.

use std::time::Duration;

use opentool_server::server::{Server, Stop};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::raw::{Ask, end, until};
use super::support::{Slow, set, soon, start};

#[tokio::test]
async fn a_running_call_finishes_and_nothing_new_begins() {
    let (slow, seen) = Slow::new();
    let mut server = start(Server::new(set([slow]))).await;
    let idle = Ask::get("/opentool/version").open(server.address).await;
    let running = Ask::call("slow", json!({})).open(server.address).await;
    soon("the call", seen.started.notified()).await;
    server.ask_to_end();
    end(idle).await;
    assert!(!server.has_ended(), "a call runs");
    assert!(TcpStream::connect(server.address).await.is_err(), "nobody listens");
    seen.finish.notify_one();
    let reply = end(running).await;
    assert_eq!(reply.json()["result"], json!({"finished": true}));
    server.ended().await;
}

#[tokio::test]
async fn who_has_yet_to_ask_is_not_waited_for() {
    let mut server = start(Server::new(set([])).grace(Duration::from_secs(3_600))).await;
    let head = "POST /opentool/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let (half_head, half_body) = (head.to_owned(), format!("{head}Content-Length: 100\r\n\r\n{{"));
    // Bytes that came with the request before are no new ones.
    let behind_another = format!("GET /opentool/version HTTP/1.1\r\nHost: localhost\r\n\r\n{half_body}");
    let mut waiting = Vec::new();
    for begun in [half_head, half_body, behind_another] {
        let mut socket = TcpStream::connect(server.address).await.unwrap();
        socket.write_all(begun.as_bytes()).await.unwrap();
        waiting.push(socket);
    }
    assert_eq!(Ask::get("/opentool/version").send(server.address).await.status, 200);
    server.ask_to_end();
    server.ended().await;
}

#[tokio::test]
async fn a_running_stream_finishes_too() {
    let (slow, seen) = Slow::new();
    let mut server = start(Server::new(set([slow]))).await;
    let mut running = Ask::stream("slow", json!({})).open(server.address).await;
    until(&mut running, "event:data").await;
    server.ask_to_end();
    seen.finish.notify_one();
    let text = until(&mut running, "event:done").await;
    assert!(text.contains("finished"), "{text}");
    server.ended().await;
}

#[tokio::test]
async fn calls_that_do_not_finish_are_given_up_and_their_clients_are_told() {
    let (slow, seen) = Slow::new();
    let mut server = start(Server::new(set([slow])).grace(Duration::from_millis(50))).await;
    let call = Ask::call("slow", json!({})).open(server.address).await;
    soon("the call", seen.started.notified()).await;
    let stream = Ask::stream("slow", json!({})).open(server.address).await;
    soon("the stream", seen.started.notified()).await;
    server.ask_to_end();
    let error = json!({"code": 500, "message": "the call was cancelled"});
    assert_eq!(end(call).await.json()["error"], error);
    let body = end(stream).await.body;
    assert!(body.contains("event:error\n") && body.contains(&error.to_string()), "{body}");
    soon("the end of a tool", seen.stopped.notified()).await;
    server.ended().await;
}

#[tokio::test]
async fn a_client_that_stops_the_server_lets_others_finish() {
    let (slow, seen) = Slow::new();
    let server = start(Server::new(set([slow])).allow_stop(Stop::Allowed)).await;
    let running = Ask::call("slow", json!({})).open(server.address).await;
    soon("the call", seen.started.notified()).await;
    let stopped = Ask::post("/opentool/stop", "").send(server.address).await;
    assert_eq!(stopped.body, r#"{"status":"stopped"}"#);
    seen.finish.notify_one();
    assert_eq!(end(running).await.json()["result"], json!({"finished": true}));
    server.ended().await;
}

#[tokio::test]
async fn a_server_that_is_dropped_cuts_its_connections() {
    let (slow, seen) = Slow::new();
    let server = start(Server::new(set([slow]))).await;
    let running = Ask::call("slow", json!({})).open(server.address).await;
    soon("the call", seen.started.notified()).await;
    drop(server);
    end(running).await;
    soon("the end of the tool", seen.stopped.notified()).await;
}
