//! HTTP as bytes on a socket, for what no client library would send.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::support::soon;

/// A request that is right until a test changes it.
#[derive(Clone)]
pub(super) struct Ask {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// In small letters.
    pub(super) head: String,
    pub(super) body: String,
}

impl Reply {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

impl Ask {
    pub(super) fn get(path: &str) -> Self {
        let (method, path) = ("GET".to_owned(), path.to_owned());
        Self { method, path, headers: Vec::new(), body: None }.header("Host", "localhost")
    }

    pub(super) fn post(path: &str, body: impl Into<Vec<u8>>) -> Self {
        let ask = Self::get(path).method("POST").header("Content-Type", "application/json");
        Self { body: Some(body.into()), ..ask }
    }

    /// A call of a function.
    pub(super) fn call(function: &str, params: Value) -> Self {
        Self::post("/opentool/call", body(function, params))
    }

    /// A streaming call of a function.
    pub(super) fn stream(function: &str, params: Value) -> Self {
        Self::post("/opentool/streamCall", body(function, params)).header("Accept", "text/event-stream")
    }

    pub(super) fn method(mut self, method: &str) -> Self {
        self.method = method.to_owned();
        self
    }

    /// Sets a header.
    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self = self.without(name);
        self.another(name, value)
    }

    /// Adds a header beside those of the same name.
    pub(super) fn another(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = &self.body {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        text.push_str("\r\n");
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(self.body.as_deref().unwrap_or_default());
        bytes
    }

    /// Sends the request and leaves the connection open.
    pub(super) async fn open(&self, address: SocketAddr) -> TcpStream {
        let mut socket = TcpStream::connect(address).await.unwrap();
        socket.write_all(&self.bytes()).await.unwrap();
        socket
    }

    /// Sends the request on a connection of its own and reads the reply to its end.
    pub(super) async fn send(self, address: SocketAddr) -> Reply {
        let socket = TcpStream::connect(address).await.unwrap();
        self.over(socket).await
    }

    /// Sends the request over this connection, its last one, and reads the reply to its end.
    pub(super) async fn over(self, mut socket: impl AsyncRead + AsyncWrite + Unpin) -> Reply {
        let bytes = self.header("Connection", "close").bytes();
        // A server that refuses the head may close before it has read the body.
        let _ = socket.write_all(&bytes).await;
        end(socket).await
    }
}

/// A call of a function, as JSON.
pub(super) fn body(function: &str, params: Value) -> String {
    serde_json::json!({"jsonrpc": "2.0", "method": function, "params": params, "id": "callId-0"}).to_string()
}

/// Reads the reply to the end of the connection.
pub(super) async fn end(mut socket: impl AsyncRead + Unpin) -> Reply {
    let mut bytes = Vec::new();
    let _ = soon("the reply", socket.read_to_end(&mut bytes)).await;
    reply(&bytes)
}

/// Reads until `mark` was read; what was read so far.
pub(super) async fn until(socket: &mut (impl AsyncRead + Unpin), mark: &str) -> String {
    let mut bytes = Vec::new();
    while !String::from_utf8_lossy(&bytes).contains(mark) {
        let read = soon(mark, socket.read_buf(&mut bytes)).await.unwrap();
        assert!(read > 0, "the connection ended before `{mark}`: {}", String::from_utf8_lossy(&bytes));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The reply that these bytes are.
pub(super) fn reply(bytes: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let head = head.to_ascii_lowercase().replace("\r\n", "\n");
    let body = if head.contains("transfer-encoding: chunked") { unchunked(body) } else { body.to_owned() };
    Reply { status, head, body }
}

/// The body without the marks of its chunks; as far as it came.
pub(super) fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or(0);
        let Some((chunk, rest)) = rest.split_at_checked(size) else { break };
        whole.push_str(chunk);
        body = rest.trim_start_matches("\r\n");
    }
    whole
}
