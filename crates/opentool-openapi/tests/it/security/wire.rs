//! The other side: a server that keeps what comes as it comes, and documents that name it.

use std::sync::{Arc, Mutex};

use opentool_core::{Arguments, Tool as _, ToolContext, ToolError, ToolOutput};
use opentool_http::Url;
use opentool_openapi::Api;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// A server that answers 200 with `seen`, and the heads of the requests that reached it, byte for byte.
#[derive(Clone)]
pub(super) struct Wire {
    pub(super) url: Url,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Wire {
    pub(super) async fn open() -> Self {
        Self::answering(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nseen".to_vec())
            .await
    }

    /// Answers every request with these bytes, and closes.
    pub(super) async fn answering(answer: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let kept = Arc::clone(&heads);
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut head = Vec::new();
                while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                    let Ok(byte) = stream.read_u8().await else { break };
                    head.push(byte);
                }
                kept.lock().unwrap().push(String::from_utf8_lossy(&head).into_owned());
                let _ = stream.write_all(&answer).await;
                let _ = stream.shutdown().await;
            }
        });
        Self { url, heads }
    }

    /// The heads since the last time.
    pub(super) fn heads(&self) -> Vec<String> {
        std::mem::take(&mut *self.heads.lock().unwrap())
    }

    /// The one head since the last time.
    pub(super) fn head(&self) -> String {
        let heads = self.heads();
        let [head] = heads.as_slice() else { panic!("{heads:?}") };
        head.clone()
    }

    /// What the one request since the last time asked for: `GET /path?query`.
    pub(super) fn target(&self) -> String {
        let head = self.head();
        head.lines().next().unwrap().strip_suffix(" HTTP/1.1").unwrap().to_owned()
    }
}

/// A document of the host's own.
pub(super) fn document(text: &Value) -> Api {
    opentool_openapi::parse(text.to_string(), "api.json").unwrap()
}

/// Calls the only tool of an API. The arguments are not validated before: the guards stand alone.
pub(super) async fn call(api: &Api, arguments: Value) -> Result<ToolOutput, ToolError> {
    let tools = api.tools().unwrap();
    let tool = tools.iter().next().unwrap();
    tool.call(&ToolContext::new(), given(arguments)).await
}

pub(super) fn given(arguments: Value) -> Arguments {
    arguments.as_object().cloned().unwrap().into()
}
