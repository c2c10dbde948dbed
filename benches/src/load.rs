//! Clients of an HTTP server in this process, and the comparison of two such servers.
//!
//! A client writes fixed bytes and looks for a text in the answer, so that it costs little beside the server.

#![allow(clippy::expect_used)]

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

use crate::pairs::compare;

/// How many clients call at once.
pub const CLIENTS: u64 = 16;

/// What each client asks, again and again.
#[derive(Debug, Clone)]
pub struct Load {
    request: String,
    /// What stands in every right answer.
    expected: &'static str,
}

impl Load {
    /// `POST` of JSON to the path, with these headers, each with a line end.
    pub fn post(path: &str, headers: &str, body: &str, expected: &'static str) -> Self {
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             {headers}Content-Length: {length}\r\n\r\n{body}"
        );
        Self { request, expected }
    }

    /// How long the clients take, when each makes this many calls.
    pub fn take(&self, runtime: &Runtime, server: SocketAddr, calls: u64) -> Duration {
        runtime.block_on(async {
            let start = Instant::now();
            let clients: Vec<_> =
                (0..CLIENTS).map(|_| tokio::spawn(client(self.clone(), server, calls))).collect();
            for client in clients {
                client.await.expect("a client");
            }
            start.elapsed()
        })
    }

    /// Prints the throughput of ours as a part of the peer's.
    pub fn compare(&self, runtime: &Runtime, peer: SocketAddr, ours: SocketAddr) {
        const CALLS: u64 = 500;
        compare(|| self.take(runtime, peer, CALLS), || self.take(runtime, ours, CALLS));
    }
}

/// One client: a connection that makes `calls` calls, one after the other.
async fn client(load: Load, server: SocketAddr, calls: u64) {
    let mut stream = TcpStream::connect(server).await.expect("connects");
    stream.set_nodelay(true).expect("a socket");
    let expected = load.expected.as_bytes();
    let mut answer = Vec::with_capacity(8192);
    for _ in 0..calls {
        stream.write_all(load.request.as_bytes()).await.expect("writes");
        answer.clear();
        while !is_whole(&answer) {
            assert!(stream.read_buf(&mut answer).await.expect("reads") > 0, "closed");
        }
        let found = answer.windows(expected.len()).any(|part| part == expected);
        assert!(found, "{}", String::from_utf8_lossy(&answer));
    }
}

/// Whether an HTTP response is there as a whole.
fn is_whole(answer: &[u8]) -> bool {
    let Some(end) = answer.windows(4).position(|part| part == b"\r\n\r\n") else { return false };
    let (head, body) = answer.split_at(end + 4);
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    match head.lines().find_map(|line| line.strip_prefix("content-length: ")) {
        Some(length) => body.len() >= length.parse::<usize>().expect("a length"),
        None => body.ends_with(b"0\r\n\r\n"),
    }
}
