//! What a client may not have more of.

use opentool_core::ToolSet;
use opentool_server::server::Server;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::raw::{Ask, end, until};
use super::support::{Slow, serve, set, soon, start};

#[tokio::test]
async fn a_body_that_is_too_large_is_413_whether_it_says_so_or_not() {
    let server = start(Server::new(ToolSet::new()).max_request_bytes(1_000)).await;
    let fits = Ask::post("/opentool/call", vec![b' '; 1_000]).send(server.address).await;
    assert_eq!(fits.status, 400);
    let reply = Ask::post("/opentool/call", vec![b' '; 1_001]).send(server.address).await;
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (413, &json!(-32600)));

    let chunked = |size: usize| {
        let mut bytes = Ask::get("/opentool/call")
            .method("POST")
            .header("Content-Type", "application/json")
            .header("Transfer-Encoding", "chunked")
            .header("Connection", "close")
            .bytes();
        for _ in 0..size / 100 {
            bytes.extend_from_slice(b"64\r\n");
            bytes.extend_from_slice(&[b' '; 100]);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
        bytes
    };
    for (size, status) in [(1_000, 400), (1_100, 413), (4_000_000, 413)] {
        let mut socket = TcpStream::connect(server.address).await.unwrap();
        let _ = socket.write_all(&chunked(size)).await;
        assert_eq!(end(socket).await.status, status, "{size}");
    }
}

#[tokio::test]
async fn a_client_that_asks_first_is_told_before_it_sends() {
    let server = start(Server::new(ToolSet::new()).max_request_bytes(10)).await;
    let head = Ask::get("/opentool/call")
        .method("POST")
        .header("Content-Type", "application/json")
        .header("Content-Length", "5000000")
        .header("Expect", "100-continue");
    let mut socket = TcpStream::connect(server.address).await.unwrap();
    socket.write_all(&head.bytes()).await.unwrap();
    let text = until(&mut socket, "\r\n\r\n").await;
    assert!(text.starts_with("HTTP/1.1 413"), "{text}");
}

#[tokio::test]
async fn a_call_too_many_is_refused_at_once_and_can_be_sent_again() {
    let (slow, seen) = Slow::new();
    let server = start(Server::new(set([slow])).max_calls(1)).await;
    let running = Ask::call("slow", json!({})).header("Connection", "close").open(server.address).await;
    soon("the call", seen.started.notified()).await;
    for ask in [Ask::call("slow", json!({})), Ask::stream("slow", json!({}))] {
        let reply = ask.send(server.address).await;
        assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")));
        let body = reply.json();
        assert_eq!((&body["error"]["code"], &body["id"]), (&json!(503), &json!("callId-0")));
    }
    assert_eq!(
        Ask::get("/opentool/version").send(server.address).await.status,
        200,
        "only calls are counted"
    );
    seen.finish.notify_one();
    assert_eq!(end(running).await.json()["result"], json!({"finished": true}));
    seen.finish.notify_one();
    assert_eq!(Ask::call("slow", json!({})).send(server.address).await.status, 200);
}

#[tokio::test]
async fn a_connection_too_many_waits_for_one_whose_call_runs() {
    let (slow, seen) = Slow::new();
    let server = start(Server::new(set([slow])).max_connections(1)).await;
    let first = Ask::call("slow", json!({})).header("Connection", "close").open(server.address).await;
    soon("the call", seen.started.notified()).await;
    let second = tokio::spawn(Ask::get("/opentool/version").send(server.address));
    seen.finish.notify_one();
    assert_eq!(end(first).await.json()["result"], json!({"finished": true}));
    assert_eq!(soon("the turn", second).await.unwrap().status, 200);
}

#[tokio::test]
async fn who_only_holds_a_place_shuts_nobody_out() {
    let server = start(Server::new(ToolSet::new()).max_connections(2)).await;
    let mut silent = Vec::new();
    for begun in ["", "GET /opentool/version HTTP/1.1\r\nHost: local"] {
        let mut socket = TcpStream::connect(server.address).await.unwrap();
        socket.write_all(begun.as_bytes()).await.unwrap();
        silent.push(socket);
    }
    let begun = std::time::Instant::now();
    for _ in 0..5 {
        assert_eq!(Ask::get("/opentool/version").send(server.address).await.status, 200);
    }
    assert!(begun.elapsed().as_secs() < 5, "nobody waited until the silent ones were cut for their silence");
    assert_eq!(end(silent.remove(0)).await.status, 0, "the one that was silent longest went");
}

// In these the clock jumps to the next timer as soon as nothing else is to do.

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_come_is_not_waited_for() {
    let server = serve([]).await;
    for begun in ["", "GET /opentool/version HTTP/1.1\r\nHost: local"] {
        let mut socket = TcpStream::connect(server.address).await.unwrap();
        socket.write_all(begun.as_bytes()).await.unwrap();
        let reply = end(socket).await;
        assert!(matches!(reply.status, 0 | 408), "{reply:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let server = start(Server::new(ToolSet::new()).max_request_bytes(1_000)).await;
    let ask = Ask::get("/opentool/call")
        .method("POST")
        .header("Content-Type", "application/json")
        .header("Content-Length", "100");
    let mut socket = TcpStream::connect(server.address).await.unwrap();
    socket.write_all(&ask.bytes()).await.unwrap();
    socket.write_all(b"{").await.unwrap();
    let text = until(&mut socket, "\r\n\r\n").await;
    assert!(text.starts_with("HTTP/1.1 408"), "{text}");
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let server = serve([]).await;
    let reply =
        Ask::get("/opentool/version").header("X-Long", &"x".repeat(100_000)).send(server.address).await;
    assert_eq!(reply.status, 431);
}
