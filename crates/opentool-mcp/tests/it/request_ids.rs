//! An id that is used again while its first request still runs.

use std::net::SocketAddr;
use std::sync::Arc;

use opentool_core::{Tool, ToolSet};
use opentool_mcp::Server;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::Notify;

use crate::raw::{Post, Reply};
use crate::support::{set, soon, tool};

/// A tool that waits for a sign, and its two signs: it has started, it may finish.
fn waits() -> (impl Tool, Arc<Notify>, Arc<Notify>) {
    let (started, finish) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let signs = (Arc::clone(&started), Arc::clone(&finish));
    let waits = tool("waits", move |_, _| {
        let (started, finish) = (Arc::clone(&signs.0), Arc::clone(&signs.1));
        async move {
            started.notify_one();
            finish.notified().await;
            Ok("finished".into())
        }
    });
    (waits, started, finish)
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}
    }})
}

fn ready() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

fn call(id: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": {"name": "waits"}})
}

fn cancel(id: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id.into()}})
}

fn assert_refused(answer: &Value, id: &Value) {
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("in use"), "{answer}");
    assert_eq!(&answer["id"], id);
}

/// The one message of an event stream.
fn event(reply: &Reply) -> Value {
    let data = reply.body.lines().find_map(|line| line.strip_prefix("data:"));
    serde_json::from_str(data.unwrap_or_else(|| panic!("no event: {} {}", reply.head, reply.body))).unwrap()
}

async fn session(tools: ToolSet) -> (SocketAddr, impl Fn(Value) -> Post) {
    let bound = Server::new(tools).bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_addr();
    tokio::spawn(bound.serve());
    let reply = Post::plain(hello()).send(address).await;
    let session =
        reply.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
    let post = move |body: Value| Post::plain(body).header("Mcp-Session-Id", &session);
    assert_eq!(post(ready()).send(address).await.status, 202);
    (address, post)
}

#[tokio::test]
async fn over_http_the_second_is_refused_and_the_first_is_answered() {
    let (waits, started, finish) = waits();
    let (address, post) = session(set([Arc::new(waits)])).await;
    for id in [json!(7), json!("seven")] {
        let mut first = post(call(id.clone())).header("Connection", "close").open(address).await;
        soon("the start", started.notified()).await;
        for _ in 0..20 {
            assert_refused(&event(&post(call(id.clone())).send(address).await), &id);
        }
        finish.notify_one();
        let mut answer = String::new();
        soon("the answer", first.read_to_string(&mut answer)).await.unwrap();
        assert!(answer.contains("finished"), "{answer}");
    }
}

#[tokio::test]
async fn over_http_an_id_is_free_after_its_answer_or_its_cancellation() {
    let (waits, started, finish) = waits();
    let (address, post) = session(set([Arc::new(waits)])).await;
    for _ in 0..20 {
        finish.notify_one();
        let answer = event(&post(call(7)).send(address).await);
        assert_eq!(answer["result"]["content"][0]["text"], "finished", "{answer}");
        soon("the start", started.notified()).await;
    }
    // A client that went away and cancels is not asked to read anything.
    drop(post(call(7)).open(address).await);
    soon("the start", started.notified()).await;
    assert_eq!(post(cancel(7)).send(address).await.status, 202);
    let _again = post(call(7)).open(address).await;
    soon("the start of another", started.notified()).await;
}

#[tokio::test]
async fn over_a_stream_an_id_that_was_cancelled_is_free_for_a_request_with_an_answer_of_its_own() {
    let (waits, started, _finish) = waits();
    let tools = set([Arc::new(waits), Arc::new(crate::support::add())]);
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(Server::new(tools).serve_stream(read, write));
    let (answers, mut requests) = tokio::io::split(ours);
    let mut answers = BufReader::new(answers).lines();
    let mut next = async || -> Value {
        let line = soon("a message", answers.next_line()).await.unwrap().expect("a message");
        serde_json::from_str(&line).unwrap()
    };
    let mut say = async |messages: &[Value]| {
        let lines: String = messages.iter().map(|message| format!("{message}\n")).collect();
        requests.write_all(lines.as_bytes()).await.unwrap();
    };
    let add = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "add", "arguments": {"a": 2, "b": 3}
    }});
    say(&[hello(), ready()]).await;
    next().await;
    for _ in 0..100 {
        say(&[call(7)]).await;
        soon("the start", started.notified()).await;
        say(&[cancel(7), add.clone()]).await;
        let answer = next().await;
        assert_eq!(answer["id"], 7);
        assert_eq!(answer["result"]["structuredContent"], json!({"result": 5}), "{answer}");
    }
}

#[tokio::test]
async fn tools_are_told_the_id_of_the_client() {
    let id = tool("id", |cx, _| async move { Ok(cx.id().unwrap_or_default().to_owned().into()) });
    let (address, post) = session(set([Arc::new(id)])).await;
    for id in [json!(41), json!("forty-one")] {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "id"}});
        let answer = event(&post(call).send(address).await);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        let written = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        assert_eq!(text, written, "{answer}");
    }
}

#[tokio::test]
async fn over_a_stream_the_second_is_refused_and_the_first_is_answered() {
    let (waits, started, finish) = waits();
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(Server::new(set([Arc::new(waits)])).serve_stream(read, write));
    let (answers, mut requests) = tokio::io::split(ours);
    let mut answers = BufReader::new(answers).lines();
    let mut next = async || -> Value {
        let line = soon("a message", answers.next_line()).await.unwrap().expect("a message");
        serde_json::from_str(&line).unwrap()
    };
    let mut say = async |message: Value| {
        requests.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    };
    say(hello()).await;
    next().await;
    say(ready()).await;
    for _ in 0..3 {
        say(call(7)).await;
        soon("the start", started.notified()).await;
        for _ in 0..20 {
            say(call(7)).await;
            assert_refused(&next().await, &json!(7));
        }
        finish.notify_one();
        assert_eq!(next().await["result"]["content"][0]["text"], "finished");
    }
}
