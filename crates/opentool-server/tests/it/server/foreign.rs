//! Clients that are not ours: the bytes that the Dart and the TypeScript SDK send.

use std::sync::Arc;

use opentool_server::server::Server;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::raw::{end, reply, until};
use super::support::{Served, add, set, start};

const KEY: &str = "bb31b6a6-1fda-4214-8cd6-b1403842070c";

async fn served() -> Served {
    start(Server::new(set([Arc::new(add()) as _])).api_key("another").api_key(KEY)).await
}

async fn send(server: &Served, text: String) -> TcpStream {
    let mut socket = TcpStream::connect(server.address).await.unwrap();
    socket.write_all(text.as_bytes()).await.unwrap();
    socket
}

#[tokio::test]
async fn a_request_that_names_no_host_is_refused() {
    let server = served().await;
    let mut socket = send(&server, "GET /opentool/version HTTP/1.1\r\n\r\n".to_owned()).await;
    until(&mut socket, "HTTP/1.1 400").await;
}

#[tokio::test]
async fn a_dart_client_is_served() {
    let server = served().await;
    let body = r#"{"jsonrpc":"2.0","method":"add","params":{"a":2,"b":3},"id":"callId-0"}"#;
    let length = body.len();
    let socket = send(
        &server,
        format!(
            "POST /opentool/call HTTP/1.1\r\nuser-agent: Dart/3.8 (dart:io)\r\ncontent-type: application/json\r\n\
             accept-encoding: gzip\r\ncontent-length: {length}\r\nauthorization: Bearer {KEY}\r\n\
             host: {}\r\nconnection: close\r\n\r\n{body}",
            server.address
        ),
    )
    .await;
    let answer = end(socket).await.json();
    assert_eq!(answer["result"], json!({"result": 5}));
    assert_eq!(answer["id"], "callId-0");
    assert!(answer["error"].is_null(), "it reads an absent error as none");

    let stream = format!(
        "POST /opentool/streamCall HTTP/1.1\r\ncontent-type: application/json\r\naccept: text/event-stream\r\n\
         content-length: {length}\r\nauthorization: Bearer {KEY}\r\nhost: 127.0.0.1\r\n\r\n{body}"
    );
    let mut socket = send(&server, stream).await;
    let text = until(&mut socket, "event:done").await;
    // It cuts the stream at empty lines, and lines at their first colon.
    let body = reply(text.as_bytes()).body;
    let names: Vec<_> =
        body.split("\n\n").filter_map(|event| event.lines().next()?.split_once(':')).collect();
    assert_eq!(names[..2], [("event", "start"), ("event", "data")]);
}

#[tokio::test]
async fn a_typescript_client_is_served() {
    let server = served().await;
    let body = r#"{"jsonrpc":"2.0.0","method":"add","params":{"a":2,"b":3},"id":1}"#;
    let length = body.len();
    let socket = send(
        &server,
        format!(
            "POST /opentool/call HTTP/1.1\r\nAccept: application/json, text/plain, */*\r\n\
             Content-Type: application/json\r\nAuthorization: {KEY}\r\nUser-Agent: axios/1.7\r\n\
             Content-Length: {length}\r\nAccept-Encoding: gzip, compress, deflate, br\r\nHost: {}\r\n\
             Connection: close\r\n\r\n{body}",
            server.address
        ),
    )
    .await;
    let answer = end(socket).await.json();
    assert_eq!(answer, json!({"jsonrpc": "2.0", "result": {"result": 5}, "id": 1}));
}

#[tokio::test]
async fn http_1_0_is_served() {
    let server = served().await;
    let ask = format!("GET /opentool/version HTTP/1.0\r\nAuthorization: Bearer {KEY}\r\n\r\n");
    let answer = end(send(&server, ask).await).await;
    assert_eq!((answer.status, answer.json()), (200, json!({"version": "1.0.0"})));
}
