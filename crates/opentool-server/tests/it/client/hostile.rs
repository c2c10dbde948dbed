//! Servers that mean harm: every answer is bounded, in bytes and in time.

use std::time::Duration;

use opentool_http::{HttpError, Waiting};
use opentool_server::client::{self, ClientError, FunctionCall};

use super::raw::{Do, Raw, answer, stream_head};

const LIMIT: usize = 100_000;

/// What sockets and buffers may hold on top of a limit.
const ON_THE_WAY: usize = 16 * 1024 * 1024;

fn chunked(content_type: &str) -> Do {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nConnection: close\r\n\r\n");
    Do::Send(head.into_bytes())
}

#[tokio::test]
async fn an_endless_answer_is_cut_off() {
    for path in ["version", "load", "call"] {
        let server =
            Raw::start(|_| vec![chunked("application/json"), Do::Flood(vec![b' '; 64 * 1024])]).await;
        let client = client::connect(&server.url).answer_limit(LIMIT).build().unwrap();
        let error = match path {
            "version" => client.version().await.unwrap_err(),
            "load" => client.load().await.unwrap_err(),
            _ => client.call(&FunctionCall::new("1", "f")).await.unwrap_err(),
        };
        assert!(matches!(error, ClientError::Http(HttpError::TooLarge { .. })), "{path}: {error}");
        server.gone().await;
        assert!(server.written() < ON_THE_WAY, "{} bytes were taken", server.written());
    }
}

#[tokio::test]
async fn an_answer_that_says_that_it_is_large_is_not_read() {
    let server = Raw::start(|_| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n";
        vec![Do::Send(head.as_bytes().to_vec()), Do::Flood(vec![b'1'; 64 * 1024])]
    })
    .await;
    let client = client::connect(&server.url).build().unwrap();
    let error = client.call(&FunctionCall::new("1", "f")).await.unwrap_err();
    assert!(matches!(error, ClientError::Http(HttpError::TooLarge { .. })), "{error}");
    server.gone().await;
    assert!(server.written() < ON_THE_WAY, "{} bytes were taken", server.written());
}

#[tokio::test]
async fn an_endless_event_is_cut_off() {
    for flood in ["x", ":", "data:x\n", "\u{feff}"] {
        let flood = flood.repeat(10_000).into_bytes();
        let server = Raw::start(move |_| vec![stream_head(), Do::Flood(flood.clone())]).await;
        let client = client::connect(&server.url).answer_limit(LIMIT).build().unwrap();
        let error = client.stream_call(FunctionCall::new("1", "f")).next().await.unwrap().unwrap_err();
        assert!(matches!(error, ClientError::Http(HttpError::TooLarge { .. })), "{error}");
        server.gone().await;
        assert!(server.written() < ON_THE_WAY, "{} bytes were taken", server.written());
    }
}

#[tokio::test]
async fn an_endless_stream_is_cut_off() {
    // Events that mean nothing, and empty lines: nothing is kept, and it ends all the same.
    for flood in ["event:ping\ndata:1\n\n", "\n", ": alive\n\n"] {
        let flood = flood.repeat(1_000).into_bytes();
        let server = Raw::start(move |_| vec![stream_head(), Do::Flood(flood.clone())]).await;
        let limit = 1_000_000;
        let client = client::connect(&server.url).stream_limit(limit).build().unwrap();
        let error = client.stream_call(FunctionCall::new("1", "f")).next().await.unwrap().unwrap_err();
        assert!(
            matches!(error, ClientError::Http(HttpError::TooLarge { limit: l, .. }) if l == limit),
            "{error}"
        );
        server.gone().await;
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_is_left() {
    let limit = Duration::from_millis(50);
    let server = Raw::start(|_| vec![Do::Hang]).await;
    let client = client::connect(&server.url).timeout(limit).build().unwrap();
    let error = client.call(&FunctionCall::new("1", "f")).await.unwrap_err();
    assert!(matches!(error, ClientError::Http(HttpError::TimedOut { .. })), "{error}");
    server.gone().await;
    let error = client.stream_call(FunctionCall::new("1", "f")).next().await.unwrap().unwrap_err();
    assert!(
        matches!(error, ClientError::Http(HttpError::TimedOut { waiting: Waiting::Answer, .. })),
        "{error}"
    );
    server.gone().await;
}

#[tokio::test]
async fn a_stream_that_falls_silent_is_left() {
    let server = Raw::start(|_| {
        vec![stream_head(), Do::Send(b"event:start\ndata:{\"start\":\"f\"}\n\n".to_vec()), Do::Hang]
    })
    .await;
    let limit = Duration::from_millis(50);
    let client = client::connect(&server.url).timeout(limit).build().unwrap();
    let mut events = client.stream_call(FunctionCall::new("1", "f"));
    events.next().await.unwrap().unwrap();
    let error = events.next().await.unwrap().unwrap_err();
    assert!(
        matches!(error, ClientError::Http(HttpError::TimedOut { waiting: Waiting::Body, .. })),
        "{error}"
    );
    assert!(events.next().await.is_none(), "an error is the end");
    server.gone().await;
}

#[tokio::test]
async fn deep_nesting_is_no_crash() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let body: &'static str = Box::leak(format!(r#"{{"result":{deep}}}"#).into_boxed_str());
    let server = Raw::start(move |_| vec![answer(200, body)]).await;
    let client = client::connect(&server.url).build().unwrap();
    let error = client.call(&FunctionCall::new("1", "f")).await.unwrap_err();
    assert!(matches!(error, ClientError::NotOpenTool { .. }), "{error}");
    let body: &'static str = Box::leak(format!(r#"{{"error":{deep}}}"#).into_boxed_str());
    let server = Raw::start(move |_| vec![answer(500, body)]).await;
    let client = client::connect(&server.url).build().unwrap();
    let error = client.call(&FunctionCall::new("1", "f")).await.unwrap_err();
    assert!(matches!(error, ClientError::ErrorNull { .. }), "{error}");
}
