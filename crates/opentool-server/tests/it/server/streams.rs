//! Event streams, byte for byte.

use std::sync::Arc;

use opentool_core::{ToolError, ToolOutput};
use serde_json::{Value, json};

use super::raw::{Ask, until};
use super::support::{Slow, add, serve, tool};

fn response(result: Value) -> String {
    json!({"jsonrpc": "2.0", "result": result, "id": "callId-0"}).to_string()
}

#[tokio::test]
async fn a_stream_is_start_data_done() {
    let server = serve([tool("count", |cx, arguments| async move {
        for n in 1..=arguments["to"].as_u64().unwrap_or(0) {
            cx.progress(n as f64).await;
            cx.sent("GET https://inside.example").await;
            cx.partial(json!({ "n": n })).await;
        }
        Ok(ToolOutput::json(json!({"counted": true})))
    })])
    .await;
    let reply = Ask::stream("count", json!({"to": 2})).send(server.address).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(reply.header("cache-control"), Some("no-cache"));
    let expected = format!(
        "event:start\ndata:{{\"start\":\"count\"}}\n\nevent:data\ndata:{}\n\nevent:data\ndata:{}\n\n\
         event:data\ndata:{}\n\nevent:done\ndata:{{\"done\":\"count\"}}\n\n",
        response(json!({"n": 1})),
        response(json!({"n": 2})),
        response(json!({"counted": true}))
    );
    assert_eq!(reply.body, expected);
}

#[tokio::test]
async fn a_tool_that_does_not_stream_gives_one_datum() {
    let server = serve([Arc::new(add()) as _]).await;
    let reply = Ask::stream("add", json!({"a": 2, "b": 3})).send(server.address).await;
    let expected = format!(
        "event:start\ndata:{{\"start\":\"add\"}}\n\nevent:data\ndata:{}\n\nevent:done\ndata:{{\"done\":\"add\"}}\n\n",
        response(json!({"result": 5}))
    );
    assert_eq!(reply.body, expected);
}

#[tokio::test]
async fn a_final_output_that_only_repeats_the_parts_is_not_sent() {
    let tools = |name, parts| {
        tool(name, move |cx, _| async move {
            for _ in 0..parts {
                cx.partial("a").await;
            }
            Ok(ToolOutput::text("all").metadata("opentool.repeats_partials", true))
        })
    };
    let server = serve([tools("one", 1), tools("none", 0)]).await;
    for (function, data) in [("one", "a"), ("none", "all")] {
        let reply = Ask::stream(function, json!({})).send(server.address).await;
        assert_eq!(reply.body.matches("event:data\n").count(), 1, "{}", reply.body);
        assert!(reply.body.contains(&response(json!({"result": data}))), "{}", reply.body);
    }
}

#[tokio::test]
async fn a_stream_that_fails_ends_with_the_error() {
    let failing = tool("failing", |cx, _| async move {
        cx.partial("so far").await;
        Err(ToolError::failed("the rest\nis missing"))
    });
    let panics = tool("panics", |_, _| async { panic!("inside") });
    let server = serve([Arc::new(add()) as _, failing, panics]).await;
    for (function, error) in [
        ("failing", json!({"code": 500, "message": "the rest\nis missing"})),
        ("nothing", json!({"code": 405, "message": "Function Not Supported: nothing"})),
    ] {
        let reply = Ask::stream(function, json!({})).send(server.address).await;
        assert_eq!(reply.status, 200);
        let body = json!({"jsonrpc": "2.0", "result": {}, "error": error, "id": "callId-0"});
        assert!(reply.body.starts_with("event:start\n"), "{}", reply.body);
        assert!(reply.body.ends_with(&format!("event:error\ndata:{body}\n\n")), "{}", reply.body);
        assert!(!reply.body.contains("event:done"), "{}", reply.body);
    }
    let invalid = Ask::stream("add", json!({"a": 1})).send(server.address).await;
    assert!(
        invalid.body.contains("event:error\n") && invalid.body.contains("\"code\":400"),
        "{}",
        invalid.body
    );
    let panicked = Ask::stream("panics", json!({})).send(server.address).await;
    assert!(panicked.body.contains("\"code\":500") && !panicked.body.contains("inside"), "{}", panicked.body);
}

#[tokio::test]
async fn a_part_is_sent_when_it_is_there() {
    let (slow, seen) = Slow::new();
    let server = serve([slow]).await;
    let mut socket = Ask::stream("slow", json!({})).open(server.address).await;
    let text = until(&mut socket, &response(json!({"result": "part"}))).await;
    assert!(!text.contains("finished"), "{text}");
    seen.finish.notify_one();
    until(&mut socket, "event:done").await;
}

#[tokio::test]
async fn a_task_that_never_stops_telling_does_not_keep_the_stream_open() {
    let server = serve([tool("leaves", |cx, _| async move {
        tokio::spawn(async move {
            loop {
                cx.partial("more").await;
                tokio::task::yield_now().await;
            }
        });
        tokio::task::yield_now().await;
        Ok("left".into())
    })])
    .await;
    let reply = Ask::stream("leaves", json!({})).send(server.address).await;
    assert!(reply.body.ends_with("event:done\ndata:{\"done\":\"leaves\"}\n\n"), "{}", reply.body);
}
