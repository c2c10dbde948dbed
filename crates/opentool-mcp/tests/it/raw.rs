//! HTTP as bytes on a socket, for what no client library would send.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::soon;

/// A request that is right until a test changes it.
pub(crate) struct Post {
    headers: Vec<(String, String)>,
    body: String,
    method: &'static str,
    path: &'static str,
}

/// What came back.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {} {}", self.head, self.body))
    }
}

impl Post {
    /// A request of the modern revision.
    pub(crate) fn modern(method: &str, params: Value) -> Self {
        let name = params["name"].as_str().map(str::to_owned);
        let mut post = Self::plain(body(method, params, "2026-07-28"));
        post = post.header("MCP-Protocol-Version", "2026-07-28").header("Mcp-Method", method);
        match name {
            Some(name) => post.header("Mcp-Name", &name),
            None => post,
        }
    }

    /// A body with the headers that every revision wants.
    pub(crate) fn plain(body: impl ToString) -> Self {
        let post = Self { headers: Vec::new(), body: body.to_string(), method: "POST", path: "/mcp" };
        post.header("Host", "localhost")
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
    }

    /// Sets a header.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a header beside those of the same name.
    pub(crate) fn another(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn method(mut self, method: &'static str) -> Self {
        self.method = method;
        self
    }

    pub(crate) fn path(mut self, path: &'static str) -> Self {
        self.path = path;
        self
    }

    /// Sends the request and leaves the connection open.
    pub(crate) async fn open(&self, address: SocketAddr) -> TcpStream {
        let mut socket = TcpStream::connect(address).await.unwrap();
        let headers: String =
            self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let (method, path, length) = (self.method, self.path, self.body.len());
        let head = format!("{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n");
        socket.write_all(head.as_bytes()).await.unwrap();
        // A server that refuses the head may close before it has read the body.
        let _ = socket.write_all(self.body.as_bytes()).await;
        socket
    }

    /// Sends the request and reads the reply to its end.
    pub(crate) async fn send(self, address: SocketAddr) -> Reply {
        let mut socket = self.header("Connection", "close").open(address).await;
        let mut bytes = Vec::new();
        let _ = soon("the reply", socket.read_to_end(&mut bytes)).await;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Reply { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }
}

/// A modern request body.
pub(crate) fn body(method: &str, mut params: Value, version: &str) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"}
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}
