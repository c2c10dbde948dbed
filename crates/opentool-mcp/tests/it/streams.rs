//! Byte streams: what is written, what is ignored, when the server ends.

use std::sync::Arc;
use std::time::Instant;

use opentool_mcp::{McpError, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};

use crate::raw::body;
use crate::support::{Endless, PATIENCE, add, set, soon, tool};

/// Writes the lines, closes, and reads what the server writes until it ends.
async fn piped(server: Server, lines: &[String]) -> (Result<(), McpError>, Vec<Value>) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    let serving = tokio::spawn(server.serve_stream(read, write));
    let (mut answers, mut requests) = tokio::io::split(ours);
    for line in lines {
        requests.write_all(line.as_bytes()).await.unwrap();
        requests.write_all(b"\n").await.unwrap();
    }
    requests.shutdown().await.unwrap();
    let ended = soon("the end", serving).await.unwrap();
    let mut text = String::new();
    soon("the answers", answers.read_to_string(&mut text)).await.unwrap();
    (ended, text.lines().map(|line| serde_json::from_str(line).expect("only protocol")).collect())
}

fn call(name: &str, arguments: Value) -> String {
    body("tools/call", json!({"name": name, "arguments": arguments}), "2026-07-28").to_string()
}

#[tokio::test]
async fn requests_from_a_pipe_are_answered_although_the_pipe_has_ended() {
    let (ended, answers) =
        piped(Server::new(set([Arc::new(add())])), &[call("add", json!({"a": 2, "b": 3}))]).await;
    ended.unwrap();
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0]["result"]["structuredContent"], json!({"result": 5}));
}

#[tokio::test]
async fn the_end_of_the_stream_ends_the_server_within_two_seconds_whatever_runs() {
    let (endless, seen) = Endless::new();
    let began = Instant::now();
    let (ended, answers) = piped(Server::new(set([Arc::new(endless)])), &[call("endless", json!({}))]).await;
    ended.unwrap();
    // Client SDKs kill a server that takes two seconds.
    assert!(began.elapsed().as_secs_f64() < 1.9, "{:?}", began.elapsed());
    soon("the end of the tool", seen.stopped.notified()).await;
    assert_eq!(answers[0]["result"]["isError"], true);
}

#[tokio::test]
async fn a_client_that_says_nothing_is_no_error() {
    let (ended, answers) = piped(Server::new(set([Arc::new(add())])), &[]).await;
    ended.unwrap();
    assert!(answers.is_empty());
}

#[tokio::test]
async fn lines_that_are_not_json_are_skipped_and_too_long_ones_too() {
    let lines = [
        "hello".to_owned(),
        String::new(),
        format!("\"{}\"", "x".repeat(5_000)),
        call("add", json!({"a": 2, "b": 3})),
    ];
    let server = Server::new(set([Arc::new(add())])).max_request_bytes(2_000);
    let (ended, answers) = piped(server, &lines).await;
    ended.unwrap();
    assert_eq!(answers.last().unwrap()["result"]["structuredContent"], json!({"result": 5}), "{answers:?}");
}

#[tokio::test]
async fn a_cursor_that_is_not_a_string_is_an_error() {
    let list = |params| body("tools/list", params, "2026-07-28").to_string();
    let lines = [list(json!({"cursor": 5}))];
    let (ended, answers) = piped(Server::new(set([Arc::new(add())])), &lines).await;
    ended.unwrap();
    assert_eq!(answers[0]["error"]["code"], -32602, "{answers:?}");
    let (ended, answers) = piped(Server::new(set([Arc::new(add())])), &[list(json!({}))]).await;
    ended.unwrap();
    assert_eq!(answers[0]["result"]["tools"][0]["name"], "add", "{answers:?}");
}

#[tokio::test]
async fn a_client_of_another_protocol_is_an_error_of_the_server() {
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/whatever"}).to_string();
    let (ended, _) = piped(Server::new(set([Arc::new(add())])), &[notification]).await;
    assert!(matches!(ended, Err(McpError::Handshake { .. })), "{ended:?}");
}

#[tokio::test]
async fn a_tool_that_reports_after_the_end_of_the_pipe_is_answered() {
    let (begin, begun) = tokio::sync::watch::channel(false);
    let reports = tool("reports", move |cx, _| {
        let mut begun = begun.clone();
        async move {
            let _ = begun.wait_for(|begun| *begun).await;
            cx.progress(1.0).await;
            Ok("reported".into())
        }
    });
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    let server = Server::new(set([Arc::new(reports)])).grace(PATIENCE);
    let serving = tokio::spawn(server.serve_stream(read, write));
    let (mut answers, mut requests) = tokio::io::split(ours);
    let mut call = body("tools/call", json!({"name": "reports"}), "2026-07-28");
    call["params"]["_meta"]["progressToken"] = json!(1);
    requests.write_all(format!("{call}\n").as_bytes()).await.unwrap();
    requests.shutdown().await.unwrap();
    // The server has seen the end of the pipe when it reads no more; then the tool goes on.
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    begin.send(true).unwrap();
    soon("the end", serving).await.unwrap().unwrap();
    let mut text = String::new();
    soon("the answers", answers.read_to_string(&mut text)).await.unwrap();
    assert!(text.lines().last().is_some_and(|line| line.contains("reported")), "{text}");
}

#[tokio::test]
async fn an_open_subscription_does_not_keep_the_server() {
    let server = Server::new(set([Arc::new(add())])).grace(PATIENCE);
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    let serving = tokio::spawn(server.serve_stream(read, write));
    let (answers, mut requests) = tokio::io::split(ours);
    let mut answers = BufReader::new(answers).lines();
    let listen =
        body("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}), "2026-07-28");
    requests.write_all(format!("{listen}\n").as_bytes()).await.unwrap();
    let mut next = async || -> Value {
        let line = soon("a message", answers.next_line()).await.unwrap().expect("a message");
        serde_json::from_str(&line).unwrap()
    };
    assert_eq!(next().await["method"], "notifications/subscriptions/acknowledged");
    let began = Instant::now();
    requests.shutdown().await.unwrap();
    assert_eq!(next().await["result"]["resultType"], "complete");
    soon("the end", serving).await.unwrap().unwrap();
    // The SDK alone waits five seconds for the subscription.
    assert!(began.elapsed().as_secs_f64() < 4.0, "{:?}", began.elapsed());
}
