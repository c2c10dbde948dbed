//! Servers at an address: what is sent, what comes back, and connections that come and go.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use opentool_core::{
    Annotations, BoxFuture, Content, EventSink, Origin, Progress, ToolCall, ToolContext, ToolDefinition,
    ToolError, ToolEvent, ToolOutput,
};
use opentool_mcp::client::{Addresses, ClientError, TokenGiven};
use opentool_mcp::{Server, connect};
use opentool_schema::ToolSetExt as _;
use serde_json::{Value, json};

use super::scripted::{Scripted, entry, json_answer, listed};
use crate::support::{Endless, add, defined, serve, set, soon, tool};

/// Keeps what a tool tells.
#[derive(Clone, Default)]
pub(super) struct Heard(pub(super) Arc<Mutex<Vec<Progress>>>);

impl EventSink for Heard {
    fn send(&self, event: ToolEvent) -> BoxFuture<'_, ()> {
        if let ToolEvent::Progress(progress) = event {
            self.0.lock().unwrap().push(progress);
        }
        Box::pin(std::future::ready(()))
    }
}

pub(super) fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall::new("c", name, arguments)
}

#[tokio::test]
async fn tools_keep_what_they_are_and_answer_what_they_give() {
    let definition = ToolDefinition::new("picture", "Draws a picture.")
        .title("Painter")
        .origin(Origin::new("rust"))
        .input_schema(json!({"type": "object", "properties": {"of": {"type": "string", "minLength": 1}}, "required": ["of"]}))
        .output_schema(json!({"type": "object", "properties": {"of": {"type": "string"}}}))
        .annotations(Annotations::new().read_only(true).open_world(false));
    let picture = defined(definition, |_, arguments| async move {
        let output = ToolOutput::new().block("here").block(Content::image("png", "image/png"));
        Ok(output.structured(json!({"of": arguments["of"]})))
    });
    let url = serve(Server::new(set([Arc::new(picture), Arc::new(add())]))).await;
    let client = connect(url.clone()).await.unwrap();
    let (tools, diagnostics) = client.tools().await.unwrap();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(tools.names().collect::<Vec<_>>(), ["picture", "add"]);
    let found = tools.definitions().next().unwrap();
    assert_eq!((found.title.as_deref(), &*found.description), (Some("Painter"), "Draws a picture."));
    assert_eq!(found.input_schema.as_value()["properties"]["of"]["minLength"], 1);
    assert_eq!(found.output_schema.as_ref().unwrap().as_value()["type"], "object");
    assert_eq!(found.annotations, Annotations::new().read_only(true).open_world(false));
    assert_eq!(found.origin.to_string(), format!("mcp {url} picture"));

    let cx = ToolContext::new();
    let output = tools.call(&cx, &call("picture", json!({"of": "a cat"}))).await.unwrap();
    assert_eq!(output.content, [Content::text("here"), Content::image("png", "image/png")]);
    assert_eq!(output.structured, Some(json!({"of": "a cat"})));
    let wrong = tools.call(&cx, &call("picture", json!({"of": ""}))).await.unwrap_err();
    assert!(matches!(wrong, ToolError::InvalidArguments(_)), "{wrong}");
    let failed = tools.call(&cx, &call("add", json!({"a": i64::MAX, "b": 1}))).await.unwrap();
    assert!(failed.is_error);
    assert_eq!(failed.to_text(), "the sum is too large");
}

#[tokio::test]
async fn progress_is_heard_in_order_and_before_the_answer() {
    let counts = tool("counts", |cx, _| async move {
        for done in 1..=100 {
            cx.progress(Progress::new(f64::from(done)).total(100.0).message(format!("at {done}"))).await;
        }
        Ok(ToolOutput::text("done"))
    });
    let url = serve(Server::new(set([Arc::new(counts)]))).await;
    let (tools, _) = connect(url).await.unwrap().tools().await.unwrap();
    let heard = Heard::default();
    let cx = ToolContext::new().events(heard.clone());
    soon("the answer", tools.call(&cx, &call("counts", json!({})))).await.unwrap();
    let heard = heard.0.lock().unwrap();
    let done: Vec<f64> = heard.iter().map(|progress| progress.done).collect();
    assert_eq!(done, (1..=100).map(f64::from).collect::<Vec<_>>());
    assert_eq!((heard[99].total, heard[99].message.as_deref()), (Some(100.0), Some("at 100")));
}

#[tokio::test]
async fn a_call_that_is_given_up_stops_the_tool() {
    let (endless, seen) = Endless::new();
    let url = serve(Server::new(set([Arc::new(endless), Arc::new(add())]))).await;
    let (tools, _) = connect(url).await.unwrap().tools().await.unwrap();
    let cx = ToolContext::new();
    let asked = call("endless", json!({}));
    {
        let running = tools.call(&cx, &asked);
        tokio::select! {
            _ = running => panic!("it is endless"),
            () = soon("the start", seen.started.notified()) => {}
        }
    }
    soon("the end of the tool", seen.stopped.notified()).await;
    let sum = tools.call(&cx, &call("add", json!({"a": 1, "b": 2}))).await.unwrap();
    assert_eq!(sum.to_text(), "3");
}

#[tokio::test]
async fn a_deadline_ends_the_call_here_and_at_the_server() {
    let (endless, seen) = Endless::new();
    let url = serve(Server::new(set([Arc::new(endless)]))).await;
    let (tools, _) = connect(url).await.unwrap().tools().await.unwrap();
    let cx = ToolContext::new().deadline(Instant::now() + Duration::from_millis(200));
    let error = soon("the deadline", tools.call(&cx, &call("endless", json!({})))).await.unwrap_err();
    assert!(matches!(error, ToolError::TimedOut(_)), "{error:?}");
    soon("the end of the tool", seen.stopped.notified()).await;
}

#[tokio::test]
async fn a_server_that_comes_back_is_found_again() {
    let bound = Server::new(set([Arc::new(add())])).bind("127.0.0.1:0").await.unwrap();
    let (url, address) = (bound.url(), bound.local_addr());
    let first = tokio::spawn(bound.serve());
    let (tools, _) = connect(url).await.unwrap().tools().await.unwrap();
    let (cx, sum) = (ToolContext::new(), call("add", json!({"a": 1, "b": 2})));
    assert_eq!(tools.call(&cx, &sum).await.unwrap().to_text(), "3");
    first.abort();
    let _ = first.await;
    let gone = soon("the failure", tools.call(&cx, &sum)).await.unwrap_err();
    assert!(matches!(gone, ToolError::Upstream(_)), "{gone:?}");
    assert!(!gone.for_model().contains("127.0.0.1"), "{}", gone.for_model());

    let again = Server::new(set([Arc::new(add())])).bind(address.to_string()).await.unwrap();
    tokio::spawn(again.serve());
    assert_eq!(soon("the answer", tools.call(&cx, &sum)).await.unwrap().to_text(), "3");
}

#[tokio::test]
async fn an_older_server_is_spoken_to_in_its_own_revision_and_a_lost_session_is_begun_anew() {
    let sessions = Arc::new(Mutex::new(0_u32));
    let count = Arc::clone(&sessions);
    let server = Scripted::start(move |sent| {
        let (message, mut sessions) = (&sent.message, count.lock().unwrap());
        let mine = sent.headers.get("mcp-session-id").map(|id| id.to_str().unwrap().to_owned());
        match message["method"].as_str().unwrap_or("GET") {
            "initialize" => {
                *sessions += 1;
                let result = json!({"result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "older", "version": "1"}}});
                let mut response = json_answer(message, result);
                response.headers_mut().insert("mcp-session-id", sessions.to_string().parse().unwrap());
                response
            }
            // What servers say that want a session first.
            _ if mine.is_none() => {
                let text = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": "no session"}});
                (StatusCode::BAD_REQUEST, [(header::CONTENT_TYPE, "application/json")], text.to_string()).into_response()
            }
            _ if mine != Some(sessions.to_string()) => StatusCode::NOT_FOUND.into_response(),
            "tools/list" => json_answer(message, json!({"result": {"tools": [entry("who")]}})),
            "tools/call" => {
                let text = format!("session {sessions}");
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": {"content": [{"type": "text", "text": text}]}});
                ([(header::CONTENT_TYPE, "text/event-stream")], format!("event: message\ndata: {answer}\n\n")).into_response()
            }
            "GET" => StatusCode::METHOD_NOT_ALLOWED.into_response(),
            _ => StatusCode::ACCEPTED.into_response(),
        }
    })
    .await;
    let (tools, _) = connect(server.url.clone()).await.unwrap().tools().await.unwrap();
    let (cx, who) = (ToolContext::new(), call("who", json!({})));
    assert_eq!(soon("the answer", tools.call(&cx, &who)).await.unwrap().to_text(), "session 1");
    // The server forgets its sessions.
    *sessions.lock().unwrap() += 1;
    assert_eq!(soon("the answer", tools.call(&cx, &who)).await.unwrap().to_text(), "session 3");
    assert_eq!(server.sent("tools/call")[0].headers["mcp-protocol-version"], "2025-06-18");
}

#[tokio::test]
async fn a_token_goes_with_every_request_and_comes_back_covered() {
    let server = Scripted::start(|sent| {
        let message = &sent.message;
        if sent.headers.get("authorization").is_none_or(|token| token != "Bearer hunter2-hunter2") {
            return (StatusCode::UNAUTHORIZED, [("www-authenticate", "Bearer")], "who?").into_response();
        }
        let answer = match message["method"].as_str().unwrap() {
            "server/discover" => super::scripted::discovered(),
            "tools/list" => listed(json!([entry("echo")])),
            _ => json!({"result": {"content": [{"type": "text", "text": "you are hunter2-hunter2 of tenant-4711"}]}}),
        };
        json_answer(message, answer)
    })
    .await;
    let refused = connect(server.url.clone()).await.unwrap_err();
    assert!(matches!(refused, ClientError::Unauthorized { token: TokenGiven::No, .. }), "{refused:?}");
    assert!(refused.not_run());
    let wrong = connect(server.url.clone()).bearer("wrong").await.unwrap_err();
    assert!(matches!(wrong, ClientError::Unauthorized { token: TokenGiven::Yes, .. }), "{wrong:?}");

    let client = connect(server.url.clone()).bearer("hunter2-hunter2").header("X-Tenant", "tenant-4711");
    assert!(!format!("{client:?}").contains("hunter2"));
    let (tools, _) = client.await.unwrap().tools().await.unwrap();
    let output = tools.call(&ToolContext::new(), &call("echo", json!({}))).await.unwrap();
    assert_eq!(output.to_text(), "you are *** of ***");
    assert_eq!(server.sent("tools/call")[0].headers["x-tenant"], "tenant-4711");
}

#[tokio::test]
async fn what_cannot_be_a_header_or_an_address_is_an_error_before_anything_is_sent() {
    for (name, value, expected) in [
        ("X\nY", "1", "no name of a header"),
        ("Mcp-Session-Id", "1", "the protocol sets it itself"),
        ("X-Key", "a\r\nb", "characters other than printable ASCII"),
        ("X-Key", "", "empty"),
        ("X-Key", "key\n", "white space"),
    ] {
        let error = connect("http://127.0.0.1:9").header(name, value).build().unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert!(matches!(connect("127.0.0.1:9").await, Err(ClientError::Address { .. })));
}

#[tokio::test]
async fn an_address_inside_is_not_asked_where_only_public_ones_are_allowed() {
    let server = Scripted::modern(|_, _| listed(json!([]))).await;
    let error = connect(server.url.clone()).addresses(Addresses::Public).await.unwrap_err();
    assert!(error.to_string().contains("loopback"), "{error}");
    assert!(server.sent("server/discover").is_empty());
}
