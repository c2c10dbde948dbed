//! Streaming calls against streams that were made by hand.

use std::sync::{Arc, Mutex};

use opentool_core::{BoxFuture, EventSink, ToolCall, ToolContext, ToolEvent};
use opentool_http::HttpError;
use opentool_schema::ToolSetExt as _;
use opentool_server::client::{self, ClientError, FunctionCall, StreamEvent};
use serde_json::{Value, json};

use super::raw::{Do, Raw, answer, stream, stream_head};

const THREE: &str = "event:start\ndata:{\"start\":\"count\"}\n\n\
    event:data\ndata:{\"jsonrpc\":\"2.0\",\"result\":{\"n\":1},\"id\":\"1\"}\n\n\
    event:data\ndata:{\"jsonrpc\":\"2.0\",\"result\":{\"n\":2},\"id\":\"1\"}\n\n\
    event:done\ndata:{\"done\":\"count\"}\n\n";

/// What a stream tells, and the error that it ends with.
async fn told(script: Vec<Do>) -> (Vec<StreamEvent>, Option<ClientError>) {
    let server = Raw::start(move |_| script.clone()).await;
    let client = client::connect(&server.url).build().unwrap();
    let mut events = client.stream_call(FunctionCall::new("1", "count").argument("to", 2));
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => told.push(event),
            Err(error) => {
                assert!(events.next().await.is_none(), "an error is the end");
                return (told, Some(error));
            }
        }
    }
    let sent = server.asked().pop().unwrap();
    assert_eq!(sent.line, "POST /opentool/streamCall");
    assert!(sent.headers.contains("accept: text/event-stream"), "{}", sent.headers);
    assert_eq!(sent.body()["params"], json!({"to": 2}));
    (told, None)
}

fn three() -> Vec<StreamEvent> {
    let datum = |n| StreamEvent::Data(json!({ "n": n }));
    vec![StreamEvent::Start("count".to_owned()), datum(1), datum(2), StreamEvent::Done]
}

#[tokio::test]
async fn a_stream_is_read_whatever_its_form() {
    let crlf = THREE.replace('\n', "\r\n");
    let cr = THREE.replace('\n', "\r");
    let spaces = THREE.replace("event:", "event: ").replace("data:{", "data: {");
    let remarks =
        format!("\u{feff}: hello\n\nretry:10\nid: 7\n\n{}", THREE.replace("\n\n", "\nid:8\n:x\n\n"));
    let others =
        THREE.replace("event:done", "event:ping\ndata:{}\n\ndata:no name\n\nevent:lonely\n\nevent:done");
    let again = THREE.replace("event:done", "event:start\ndata:{\"start\":\"again\"}\n\nevent:done");
    let lines = THREE.replace("{\"jsonrpc\"", "{\ndata:\"jsonrpc\"");
    let numeric = THREE.replace("\"2.0\"", "\"2.0.0\"").replace("\"id\":\"1\"", "\"error\":null,\"id\":1");
    // A server that does not know of names: what can be a datum is one.
    let unnamed = THREE.replace("event:data\n", "");
    for body in [THREE.to_owned(), crlf, cr, spaces, remarks, others, again, lines, numeric, unnamed] {
        assert_eq!(told(stream(&body)).await.0, three(), "{body}");
        let bytes = vec![stream_head(), Do::EachByte(body.clone().into_bytes()), Do::Close];
        assert_eq!(told(bytes).await.0, three(), "byte by byte: {body}");
    }
}

#[tokio::test]
async fn the_end_of_a_stream_counts_as_done() {
    let open = THREE.split("event:done").next().unwrap();
    assert_eq!(told(stream(open)).await.0, three());
    // A tool says so, because the stream may have been cut off.
    for (body, note) in [(THREE, None), (open, Some(json!("the stream ended without `done`")))] {
        let server = Raw::start(move |_| stream(body)).await;
        let client = client::connect(&server.url).build().unwrap();
        let document = opentool_doc::Document::read(&streaming_document()).unwrap().document;
        let tools = client::document_tools(&document, &client);
        let output =
            tools.call(&ToolContext::new(), ToolCall::new("1", "count", json!({"to": 2}))).await.unwrap();
        assert_eq!(output.metadata.get("http.note"), note.as_ref());
    }
    // The last event was not completed by an empty line, but it is whole.
    assert_eq!(told(stream(open.trim_end())).await.0, three());
    assert_eq!(told(stream("")).await.0, [StreamEvent::Done]);
    // Nothing after `done` counts.
    let more = format!("{THREE}event:data\ndata:{{\"result\":{{\"n\":3}}}}\n\n");
    assert_eq!(told(stream(&more)).await.0, three());
}

#[tokio::test]
async fn an_event_that_was_cut_in_two_is_no_end() {
    let open = THREE.split("event:done").next().unwrap().trim_end();
    let (events, error) = told(stream(&open[..open.len() - 5])).await;
    assert_eq!(events.len(), 2);
    assert!(matches!(error, Some(ClientError::NotOpenTool { .. })), "{error:?}");
}

#[tokio::test]
async fn a_server_that_dies_in_mid_stream_is_an_error() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    let first = THREE.split_inclusive("\n\n").next().unwrap();
    let chunk = format!("{head}{:x}\r\n{first}\r\n", first.len());
    let (events, error) = told(vec![Do::Send(chunk.into_bytes()), Do::Close]).await;
    assert_eq!(events, three()[..1]);
    assert!(matches!(error, Some(ClientError::Http(HttpError::Broken { .. }))), "{error:?}");
}

#[tokio::test]
async fn errors_of_both_shapes_end_the_stream() {
    for error in [
        r#"{"jsonrpc":"2.0","result":{},"error":{"code":500,"message":"broken"},"id":"1"}"#,
        r#"{"code":500,"message":"broken","id":"1"}"#,
        r#"{"code":500,"message":"broken","id":1}"#,
    ] {
        let first = THREE.split_inclusive("\n\n").next().unwrap();
        for end in ["\n\n", ""] {
            let body = format!("{first}event:error\ndata:{error}{end}");
            let (events, failed) = told(stream(&body)).await;
            assert_eq!(events, three()[..1], "{error}");
            let failed = failed.unwrap();
            assert_eq!(failed.to_string(), "the call failed (500): broken", "{error}");
        }
    }
}

#[tokio::test]
async fn a_server_that_does_not_stream_has_said_it_all() {
    let (events, error) = told(vec![answer(200, r#"{"jsonrpc":"2.0","result":{"n":1},"id":"1"}"#)]).await;
    assert_eq!(events, [StreamEvent::Data(json!({"n": 1})), StreamEvent::Done]);
    assert!(error.is_none());
    let refused = r#"{"result":{},"error":{"code":405,"message":"Function Not Supported: count"}}"#;
    let (_, error) = told(vec![answer(200, refused)]).await;
    assert!(matches!(error, Some(ClientError::Call { code: 405, .. })), "{error:?}");
    let (_, error) = told(vec![answer(404, "no")]).await;
    assert!(matches!(error, Some(ClientError::NoAccess { .. })), "{error:?}");
    let (_, error) = told(vec![answer(200, "<html>")]).await;
    assert!(matches!(error, Some(ClientError::NotOpenTool { .. })), "{error:?}");
}

#[tokio::test]
async fn who_drops_a_stream_closes_its_connection() {
    let server = Raw::start(|_| {
        let first = THREE.split_inclusive("\n\n").next().unwrap();
        vec![stream_head(), Do::Send(first.as_bytes().to_vec()), Do::Hang]
    })
    .await;
    let client = client::connect(&server.url).build().unwrap();
    let mut events = client.stream_call(FunctionCall::new("1", "count"));
    assert_eq!(events.next().await.unwrap().unwrap(), StreamEvent::Start("count".to_owned()));
    drop(events);
    server.gone().await;
}

#[tokio::test]
async fn a_stream_that_is_done_leaves_its_connection_to_the_next_call() {
    let server = Raw::start(|asked| {
        if asked.line.ends_with("version") {
            return vec![answer(200, r#"{"version":"1.0.0"}"#)];
        }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        vec![Do::Send(format!("{head}{:x}\r\n{THREE}\r\n0\r\n\r\n", THREE.len()).into_bytes())]
    })
    .await;
    let client = client::connect(&server.url).await.unwrap();
    for _ in 0..3 {
        let mut events = client.stream_call(FunctionCall::new("1", "count"));
        while events.next().await.is_some() {}
    }
    assert_eq!(server.connections(), 1);
}

/// Keeps the parts that a tool sends.
#[derive(Clone, Default)]
pub(super) struct Parts(Arc<Mutex<Vec<String>>>);

impl Parts {
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl EventSink for Parts {
    fn send(&self, event: ToolEvent) -> BoxFuture<'_, ()> {
        self.0.lock().unwrap().push(match event {
            ToolEvent::Partial(output) => output.to_text(),
            ToolEvent::Sent(request) => format!("sent {request}"),
            _ => "other".to_owned(),
        });
        Box::pin(std::future::ready(()))
    }
}

pub(super) fn streaming_document() -> Value {
    json!({
        "opentool": "2.0.0",
        "info": {"title": "Counter", "version": "1.0.0"},
        "functions": [{
            "name": "count",
            "description": "Counts.",
            "parameters": [{"name": "to", "schema": {"type": "integer"}, "required": true}],
            "stream": {"number": {"name": "number", "schema": {"type": "object",
                "properties": {"n": {"type": "integer"}}, "required": ["n"]}}}
        }]
    })
}

#[tokio::test]
async fn a_streaming_function_is_a_tool_that_sends_its_data_as_parts() {
    let server = Raw::start(|_| stream(THREE)).await;
    let client = client::connect(&server.url).build().unwrap();
    let document = opentool_doc::Document::read(&streaming_document()).unwrap().document;
    let tools = client::document_tools(&document, &client);
    let parts = Parts::default();
    let cx = ToolContext::new().events(parts.clone());
    let output = tools.call(&cx, ToolCall::new("1", "count", json!({"to": 2}))).await.unwrap();
    let sent = format!("sent POST {}/streamCall count", server.url);
    assert_eq!(parts.take(), [sent.as_str(), r#"{"n":1}"#, r#"{"n":2}"#]);
    assert_eq!(output.to_text(), "{\"n\":1}\n{\"n\":2}", "the model reads all of it");
    assert_eq!(output.structured, Some(json!([{"n": 1}, {"n": 2}])));

    // An error after data is an error, also one that comes as a datum.
    for end in [
        "event:error\ndata:{\"code\":500,\"message\":\"broken\"}\n\n",
        "event:data\ndata:{\"result\":{\"code\":500,\"message\":\"broken\"}}\n\n",
    ] {
        let body = THREE.split("event:done").next().unwrap().to_owned() + end;
        let server = Raw::start(move |_| stream(&body)).await;
        let client = client::connect(&server.url).build().unwrap();
        let tools = client::document_tools(&document, &client);
        let output = tools.answer(&cx, ToolCall::new("1", "count", json!({"to": 2}))).await;
        assert!(output.is_error);
        assert_eq!(output.to_text(), "broken");
        assert_eq!(parts.take().len(), 3);
    }
}
