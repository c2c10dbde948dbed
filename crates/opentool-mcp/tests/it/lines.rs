//! Lines of a stream that are no good message: each is answered, under its id where it says one.

use std::sync::Arc;

use opentool_mcp::Server;
use serde_json::{Value, json};

use crate::raw::body;
use crate::streams::{call, piped};
use crate::support::{add, set};

const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;

fn server() -> Server {
    Server::new(set([Arc::new(add())])).max_request_bytes(300_000)
}

/// The answer to one line in a session that goes on after it.
async fn answer_to(line: &str) -> Value {
    let good = r#"{"jsonrpc":"2.0","id":"good","method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3}}}"#;
    let lines = [HELLO.to_owned(), line.to_owned(), good.to_owned()];
    let (ended, mut answers) = piped(server(), &lines).await;
    ended.unwrap();
    answers.retain(|answer| answer["id"] != json!(0));
    let good = answers.iter().position(|answer| answer["id"] == "good").expect("the session goes on");
    assert_eq!(answers.remove(good)["result"]["structuredContent"], json!({"result": 5}));
    assert_eq!(answers.len(), 1, "{line:.80}: {answers:?}");
    answers.remove(0)
}

#[tokio::test]
async fn every_bad_line_is_answered_with_its_reason_and_its_id() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let cases = [
        ("hello".to_owned(), -32700, "not JSON", json!(null)),
        (
            format!(r#"{{"jsonrpc":"2.0","id":5,"method":"ping","params":{{"a":{deep}}}}}"#),
            -32700,
            "recursion",
            json!(5),
        ),
        (r#"{"jsonrpc":"2.0","id":5,"method":"\ud800"}"#.to_owned(), -32700, "not JSON", json!(5)),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"ping"}{"jsonrpc":"2.0","id":6,"method":"ping"}"#.to_owned(),
            -32700,
            "one message a line",
            json!(null),
        ),
        (
            format!(r#"{{"x":"{}","method":"ping","id":"long"}}"#, "x".repeat(400_000)),
            -32600,
            "longer than 300000",
            json!("long"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":[]}"#.to_owned(),
            -32602,
            "`params`",
            json!(3),
        ),
        (r#"{"id":3,"method":"ping"}"#.to_owned(), -32600, "`jsonrpc`", json!(3)),
        (r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#.to_owned(), -32600, "`jsonrpc`", json!(3)),
        (
            r#"{"jsonrpc":"2.0","id":3,"id":4,"method":"ping"}"#.to_owned(),
            -32600,
            "more than one `id`",
            json!(null),
        ),
        (
            r#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}"#.to_owned(),
            -32600,
            "64 bits",
            json!(9223372036854775808_u64),
        ),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#.to_owned(), -32600, "64 bits", json!(1.5)),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#.to_owned(), -32600, "`id`", json!(null)),
        (r#"{"jsonrpc":"2.0","id":7}"#.to_owned(), -32600, "`method` is missing", json!(7)),
        (
            r#"[{"jsonrpc":"2.0","id":7,"method":"ping"}]"#.to_owned(),
            -32600,
            "batches are not supported",
            json!(null),
        ),
    ];
    for (line, code, words, id) in cases {
        let answer = answer_to(&line).await;
        assert_eq!(answer["error"]["code"], code, "{line:.80}: {answer}");
        assert_eq!(answer.get("id"), Some(&id), "{line:.80}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{line:.80}: {answer}");
        assert_eq!(answer["jsonrpc"], "2.0");
    }
}

#[tokio::test]
async fn bad_notifications_and_bad_answers_are_not_answered() {
    let lines = [
        HELLO.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#.to_owned(),
        r#"{"jsonrpc":"1.0","id":4,"result":{}}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","method":"x","params":{{"x":"{}"}}}}"#, "x".repeat(400_000)),
        String::new(),
    ];
    let (ended, answers) = piped(server(), &lines).await;
    ended.unwrap();
    assert_eq!(answers.len(), 1, "{answers:?}");
}

#[tokio::test]
async fn a_last_request_without_a_line_end_is_answered() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    let serving = tokio::spawn(server().serve_stream(read, write));
    let (mut answers, mut requests) = tokio::io::split(ours);
    requests.write_all(call("add", json!({"a": 2, "b": 3})).as_bytes()).await.unwrap();
    requests.shutdown().await.unwrap();
    serving.await.unwrap().unwrap();
    let mut text = String::new();
    answers.read_to_string(&mut text).await.unwrap();
    assert!(text.contains(r#""structuredContent":{"result":5}"#), "{text}");
}

#[tokio::test]
async fn a_cursor_that_is_not_a_string_is_an_error_in_every_revision() {
    for cursor in [json!(5), json!({}), json!(["a"])] {
        let list = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {"cursor": cursor}});
        assert_eq!(answer_to(&list.to_string()).await["error"]["code"], -32602, "{cursor}");
        let list = body("tools/list", json!({"cursor": cursor}), "2026-07-28").to_string();
        let (ended, answers) = piped(server(), &[list]).await;
        ended.unwrap();
        assert_eq!(answers[0]["error"]["code"], -32602, "{cursor}: {answers:?}");
    }
    for params in [None, Some(json!({})), Some(json!({"cursor": null})), Some(json!({"_meta": {}}))] {
        let mut list = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"});
        if let Some(params) = params {
            list["params"] = params;
        }
        let answer = answer_to(&list.to_string()).await;
        assert_eq!(answer["result"]["tools"][0]["name"], "add", "{answer}");
    }
}
