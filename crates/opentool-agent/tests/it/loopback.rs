//! A server on loopback that keeps what it is sent and answers what a test says.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use serde_json::Value;

/// What was sent.
pub(crate) struct Received {
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) base: String,
    pub(crate) received: Arc<Mutex<Vec<Received>>>,
}

type Answers = dyn Fn(usize, &Value) -> Response + Send + Sync;

#[derive(Clone)]
struct Shared(Arc<Mutex<Vec<Received>>>, Arc<Answers>);

/// A server that gives the `n`th question the `n`th answer, from 0.
pub(crate) async fn server(answers: impl Fn(usize) -> Response + Send + Sync + 'static) -> Server {
    reading_server(move |number, _| answers(number)).await
}

/// The same, which reads what it is asked.
pub(crate) async fn reading_server(
    answers: impl Fn(usize, &Value) -> Response + Send + Sync + 'static,
) -> Server {
    async fn take(State(shared): State<Shared>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
        let mut received = shared.0.lock().unwrap();
        let number = received.len();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        received.push(Received { uri, headers, body: body.clone() });
        drop(received);
        (shared.1)(number, &body)
    }
    let received: Arc<Mutex<Vec<Received>>> = Arc::default();
    let app = Router::new()
        .route("/{*path}", any(take))
        .with_state(Shared(Arc::clone(&received), Arc::new(answers)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    Server { base, received }
}

pub(crate) fn json_answer(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// A stream in pieces of `size` bytes, each a chunk of its own.
pub(crate) fn streamed(kind: &'static str, text: &str, size: usize) -> Response {
    let pieces: Vec<Result<Bytes, std::io::Error>> =
        text.as_bytes().chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let body = Body::from_stream(futures_util::stream::iter(pieces));
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}
