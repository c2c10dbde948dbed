//! Byte streams: what is written, what is ignored, when the server ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use opentool_mcp::{McpError, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::{Notify, oneshot};

use crate::raw::body;
use crate::support::{Endless, PATIENCE, add, set, soon, tool};

/// Writes the lines, closes, and reads what the server writes until it ends.
pub(crate) async fn piped(server: Server, lines: &[String]) -> (Result<(), McpError>, Vec<Value>) {
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

pub(crate) fn call(name: &str, arguments: Value) -> String {
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
    let mut listen =
        body("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}), "2026-07-28");
    listen["id"] = json!("mine");
    requests.write_all(format!("{listen}\n").as_bytes()).await.unwrap();
    let mut next = async || -> Value {
        let line = soon("a message", answers.next_line()).await.unwrap().expect("a message");
        serde_json::from_str(&line).unwrap()
    };
    let acknowledged = next().await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "mine");
    let began = Instant::now();
    requests.shutdown().await.unwrap();
    let ended = next().await;
    assert_eq!((&ended["id"], &ended["result"]["resultType"]), (&json!("mine"), &json!("complete")));
    assert_eq!(ended["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "mine");
    soon("the end", serving).await.unwrap().unwrap();
    // The SDK alone waits five seconds for the subscription.
    assert!(began.elapsed().as_secs_f64() < 4.0, "{:?}", began.elapsed());
}

/// A server of the tools that is served over a duplex until the sender says so, and the client's side.
fn served(
    server: Server,
) -> (tokio::task::JoinHandle<Result<(), McpError>>, tokio::io::DuplexStream, oneshot::Sender<()>) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async { _ = stopped.await };
    (tokio::spawn(server.serve_stream_until(read, write, shutdown)), ours, stop)
}

#[tokio::test]
async fn a_call_that_runs_finishes_when_the_server_is_asked_to_end() {
    let (started, finish) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (began, goes_on) = (Arc::clone(&started), Arc::clone(&finish));
    let waits = tool("waits", move |_, _| {
        let (began, goes_on) = (Arc::clone(&began), Arc::clone(&goes_on));
        async move {
            began.notify_one();
            goes_on.notified().await;
            Ok("finished".into())
        }
    });
    let (serving, client, stop) = served(Server::new(set([Arc::new(waits)])));
    let (mut answers, mut requests) = tokio::io::split(client);
    requests.write_all(format!("{}\n", call("waits", json!({}))).as_bytes()).await.unwrap();
    soon("the start", started.notified()).await;
    stop.send(()).unwrap();
    // Whatever comes now is not read any more.
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(!serving.is_finished());
    finish.notify_one();
    soon("the end", serving).await.unwrap().unwrap();
    let mut text = String::new();
    soon("the answers", answers.read_to_string(&mut text)).await.unwrap();
    assert!(text.contains("finished"), "{text}");
}

#[tokio::test]
async fn a_call_that_outlives_the_grace_is_given_up_and_answered() {
    let (endless, seen) = Endless::new();
    let server = Server::new(set([Arc::new(endless)])).grace(Duration::from_millis(20));
    let (serving, client, stop) = served(server);
    let (mut answers, mut requests) = tokio::io::split(client);
    requests.write_all(format!("{}\n", call("endless", json!({}))).as_bytes()).await.unwrap();
    soon("the start", seen.started.notified()).await;
    stop.send(()).unwrap();
    soon("the end of the tool", seen.stopped.notified()).await;
    soon("the end", serving).await.unwrap().unwrap();
    let mut text = String::new();
    soon("the answers", answers.read_to_string(&mut text)).await.unwrap();
    assert!(text.contains("\"isError\":true"), "{text}");
}

#[tokio::test]
async fn a_server_that_nobody_has_spoken_to_ends_when_it_is_asked_to() {
    let (serving, _client, stop) = served(Server::new(set([])));
    stop.send(()).unwrap();
    soon("the end", serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_client_that_reads_no_more_ends_the_server_and_its_calls() {
    let (endless, seen) = Endless::new();
    let tools = set([Arc::new(endless), Arc::new(add())]);
    let (requests, read) = tokio::io::duplex(64 * 1024);
    let (write, answers) = tokio::io::duplex(64 * 1024);
    let serving = tokio::spawn(Server::new(tools).grace(PATIENCE).serve_stream(read, write));
    let mut requests = requests;
    requests.write_all(format!("{}\n", call("endless", json!({}))).as_bytes()).await.unwrap();
    soon("the start", seen.started.notified()).await;
    drop(answers);
    let mut second: Value = serde_json::from_str(&call("add", json!({"a": 1, "b": 2}))).unwrap();
    second["id"] = json!(2);
    requests.write_all(format!("{second}\n").as_bytes()).await.unwrap();
    // The requests stay open all the time.
    soon("the end of the tool", seen.stopped.notified()).await;
    soon("the end", serving).await.unwrap().unwrap();
    drop(requests);
}

#[tokio::test]
async fn a_client_that_does_not_read_is_not_read_either() {
    let made = Arc::new(Notify::new());
    let makes = Arc::clone(&made);
    let big = tool("big", move |_, _| {
        makes.notify_one();
        async { Ok("x".repeat(1_000_000).into()) }
    });
    let (mut requests, read) = tokio::io::duplex(1024);
    let (write, answers) = tokio::io::duplex(64 * 1024);
    let _serving = tokio::spawn(Server::new(set([Arc::new(big)])).serve_stream(read, write));
    // One after the other: calls that run are no answers yet, and requests are read while they do.
    let writing = tokio::spawn(async move {
        for id in 1..=30 {
            let mut call: Value = serde_json::from_str(&call("big", json!({}))).unwrap();
            call["id"] = json!(id);
            requests.write_all(format!("{call}\n").as_bytes()).await.unwrap();
            made.notified().await;
        }
        requests
    });
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
    }
    assert!(!writing.is_finished(), "30 MB of answers wait in memory");
    // As soon as it reads, everything is answered.
    let mut answers = BufReader::new(answers).lines();
    for _ in 0..30 {
        soon("an answer", answers.next_line()).await.unwrap().expect("an answer");
    }
    soon("the last request", writing).await.unwrap();
}
