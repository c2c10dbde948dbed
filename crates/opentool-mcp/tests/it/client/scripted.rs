//! A server over HTTP that does what a test says, right or wrong.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// What a server was sent: the headers and the message.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) headers: HeaderMap,
    pub(crate) message: Value,
}

/// A server, and all that it was sent.
#[derive(Clone)]
pub(crate) struct Scripted {
    pub(crate) url: String,
    sent: Arc<Mutex<Vec<Sent>>>,
}

impl Scripted {
    /// Answers requests of the 2026 revision; the script gives the `result` or `error` of everything but `server/discover`.
    pub(crate) async fn modern(
        script: impl Fn(&str, &Value) -> Value + Send + Sync + Clone + 'static,
    ) -> Self {
        Self::start(move |sent| {
            let message = &sent.message;
            let method = message["method"].as_str().unwrap_or_default();
            if message.get("id").is_none() {
                return StatusCode::ACCEPTED.into_response();
            }
            let answer = match method {
                "server/discover" => discovered(),
                method => script(method, &message["params"]),
            };
            json_answer(message, answer)
        })
        .await
    }

    /// Answers as the script says.
    pub(crate) async fn start(script: impl Fn(&Sent) -> Response + Send + Sync + Clone + 'static) -> Self {
        let sent: Arc<Mutex<Vec<Sent>>> = Arc::default();
        let kept = Arc::clone(&sent);
        let answer = async move |headers: HeaderMap, body: Bytes| {
            let message = serde_json::from_slice(&body).unwrap_or_default();
            let sent = Sent { headers, message };
            kept.lock().unwrap().push(sent.clone());
            script(&sent)
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let routes = Router::new().fallback(any(answer));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { url, sent }
    }

    /// All that came for this method.
    pub(crate) fn sent(&self, method: &str) -> Vec<Sent> {
        let sent = self.sent.lock().unwrap();
        sent.iter().filter(|sent| sent.message["method"] == method).cloned().collect()
    }
}

/// The result of `server/discover`.
pub(crate) fn discovered() -> Value {
    json!({"result": {
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "scripted", "version": "1"},
        "instructions": "Be\u{200b} kind.",
        "ttlMs": 0,
        "cacheScope": "private",
    }})
}

/// The result of `tools/list` with these entries and no further page.
pub(crate) fn listed(tools: Value) -> Value {
    json!({"result": {"resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private"}})
}

/// A tool without arguments.
pub(crate) fn entry(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

/// An answer to the message: its id, and `result` or `error`.
pub(crate) fn json_answer(message: &Value, answer: Value) -> Response {
    let mut whole = json!({"jsonrpc": "2.0", "id": message["id"]});
    whole.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
    ([(header::CONTENT_TYPE, "application/json")], whole.to_string()).into_response()
}
