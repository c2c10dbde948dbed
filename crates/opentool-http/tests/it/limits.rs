//! Nothing is read or waited for without an end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::get;
use futures_util::{StreamExt as _, stream};
use opentool_http::{Client, HttpError, Options, Request, Waiting};

use crate::server::{serve, serve_raw};

const SHORT: Duration = Duration::from_millis(50);

#[tokio::test]
async fn an_endless_body_is_left_at_the_limit() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let endless = move || {
        let counter = Arc::clone(&counter);
        let parts = stream::repeat_with(move || {
            counter.fetch_add(64 * 1024, Ordering::Relaxed);
            Ok::<_, std::io::Error>(Bytes::from_static(&[b'x'; 64 * 1024]))
        });
        async { Body::from_stream(parts) }
    };
    let url = serve(Router::new().route("/", get(endless))).await;
    let client = Client::new(Options::new().body_limit(1024 * 1024));

    let error = client.send(Request::get(url)).await.unwrap_err();

    assert!(matches!(error, HttpError::TooLarge { limit: 1_048_576, .. }), "{error:?}");
    assert!(error.to_string().ends_with("is larger than the limit of 1048576 bytes"), "{error}");
    // What the socket's buffers take is sent as well; it is a few megabytes, not what the server would give.
    assert!(sent.load(Ordering::Relaxed) < 32 * 1024 * 1024);
}

#[tokio::test]
async fn a_body_that_says_that_it_is_too_large_is_not_read() {
    let url = serve_raw(b"HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n").await;
    // The server sends no byte of it: a client that reads waits, or sees it break off.
    let error = Client::default().send(Request::get(url)).await.unwrap_err();
    assert!(matches!(error, HttpError::TooLarge { limit: 10_485_760, .. }), "{error:?}");
}

#[tokio::test]
async fn a_request_can_have_its_own_limit() {
    let url = serve(Router::new().route("/", get(async || "123456"))).await;
    let client = Client::default();
    assert!(client.send(Request::get(url.clone()).body_limit(6)).await.is_ok());
    let error = client.send(Request::get(url).body_limit(5)).await.unwrap_err();
    assert!(matches!(error, HttpError::TooLarge { limit: 5, .. }), "{error:?}");
}

fn silent() -> Router {
    let half = || {
        let first = stream::iter([Ok::<_, std::io::Error>("first")]);
        async { Body::from_stream(first.chain(stream::pending())) }
    };
    Router::new().route("/head", get(std::future::pending::<()>)).route("/body", get(half))
}

#[tokio::test]
async fn a_silent_server_is_left() {
    let url = serve(silent()).await;
    let client = Client::new(Options::new().idle_timeout(SHORT).timeout(None));
    for (path, waited) in [("head", Waiting::Answer), ("body", Waiting::Body)] {
        let error = client.send(Request::get(url.join(path).unwrap())).await.unwrap_err();
        assert!(error.is_timeout());
        assert!(matches!(error, HttpError::TimedOut { waiting, .. } if waiting == waited), "{error:?}");
        assert!(error.to_string().contains("within 50 ms"), "{error}");
    }
}

#[tokio::test]
async fn the_whole_exchange_has_a_limit() {
    let url = serve(silent()).await;
    let client = Client::new(Options::new().timeout(SHORT));
    for path in ["head", "body"] {
        let error = client.send(Request::get(url.join(path).unwrap())).await.unwrap_err();
        assert!(matches!(error, HttpError::TimedOut { waiting: Waiting::Whole, .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_deadline_that_is_sooner_wins() {
    let url = serve(silent()).await.join("head").unwrap();
    let request = Request::get(url).deadline(Instant::now() + SHORT);
    let error = Client::default().send(request).await.unwrap_err();
    assert!(matches!(error, HttpError::TimedOut { after, .. } if after <= SHORT), "{error:?}");
}
