//! Connections that do nothing, or not enough.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use opentool_mcp::Server;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::raw::Post;
use crate::support::{Endless, add, set, soon};

async fn listening(server: Server) -> SocketAddr {
    let bound = server.bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_addr();
    tokio::spawn(bound.serve());
    address
}

fn call(name: &str) -> Post {
    Post::modern("tools/call", json!({"name": name, "arguments": {"a": 2, "b": 3}}))
}

#[tokio::test]
async fn whoever_does_nothing_makes_room_for_others_and_a_call_that_runs_does_not() {
    let (endless, seen) = Endless::new();
    let server = Server::new(set([Arc::new(add()), Arc::new(endless)])).max_connections(3);
    let address = listening(server).await;
    let mut running = call("endless").open(address).await;
    soon("the start", seen.started.notified()).await;
    for _ in 0..5 {
        let mut idle = Vec::new();
        for half in [
            "",
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\n",
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
        ] {
            let mut socket = TcpStream::connect(address).await.unwrap();
            socket.write_all(half.as_bytes()).await.unwrap();
            idle.push(socket);
        }
        let reply = call("add").send(address).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
    let mut nothing = [0];
    let answer = tokio::time::timeout(Duration::from_millis(1), running.read(&mut nothing)).await;
    assert!(answer.is_err(), "the call goes on: {answer:?}");
    drop(running);
    soon("the end of the call", seen.stopped.notified()).await;
}

#[tokio::test(start_paused = true)]
async fn heads_bodies_and_idle_connections_have_their_time() {
    let address = listening(Server::new(set([Arc::new(add())]))).await;
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Accept: application/json, text/event-stream\r\n";
    for (sent, status) in [
        (String::new(), ""),
        (head.to_owned(), ""),
        (format!("{head}Content-Length: 100\r\n\r\n{{"), "HTTP/1.1 408 "),
    ] {
        let mut socket = TcpStream::connect(address).await.unwrap();
        socket.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = String::new();
        // Time passes by itself as soon as everybody waits.
        let _ = tokio::time::timeout(Duration::from_secs(120), socket.read_to_string(&mut answer))
            .await
            .unwrap_or_else(|_| panic!("{sent:?} is still open"));
        assert!(answer.starts_with(status), "{sent:?}: {answer}");
    }
}

#[tokio::test]
async fn requests_that_take_too_much_memory_together_are_refused_and_small_ones_go_on() {
    let (endless, seen) = Endless::new();
    let server = Server::new(set([Arc::new(add()), Arc::new(endless)])).max_request_bytes(100_000);
    let address = listening(server).await;
    // A value for every two bytes: the room is for one such request.
    let ones = vec![1; 45_000];
    let heavy = || Post::modern("tools/call", json!({"name": "endless", "arguments": {"ones": ones}}));
    let running = heavy().open(address).await;
    soon("the start", seen.started.notified()).await;
    let refused = heavy().send(address).await;
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert!(refused.head.contains("retry-after"), "{}", refused.head);
    assert_eq!(call("add").send(address).await.status, 200);
    drop(running);
    soon("the end of the call", seen.stopped.notified()).await;
    // The room is free as soon as the tool has ended; it is told that before it has.
    let again = loop {
        let mut socket = heavy().open(address).await;
        let mut first = [0; 12];
        tokio::select! {
            read = socket.read_exact(&mut first) => {
                read.unwrap();
                assert_eq!(&first, b"HTTP/1.1 503", "the endless tool never answers");
            }
            () = seen.started.notified() => break socket,
        }
    };
    drop(again);
}
