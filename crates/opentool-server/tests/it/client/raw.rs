//! A server made by hand, which says exactly what a test wants, byte for byte.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Notify;

/// What the server does next on a connection.
#[derive(Clone)]
pub(super) enum Do {
    /// Writes these bytes at once.
    Send(Vec<u8>),
    /// Writes them one by one, each in a packet of its own.
    EachByte(Vec<u8>),
    /// Writes these bytes again and again, until the client goes away.
    Flood(Vec<u8>),
    /// Waits until the client goes away.
    Hang,
    /// Closes the connection.
    Close,
}

/// One request.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    /// Method and path: `GET /opentool/version`.
    pub(super) line: String,
    /// The headers, in lower case, one a line.
    pub(super) headers: String,
    pub(super) body: String,
}

impl Asked {
    pub(super) fn body(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

pub(super) struct Raw {
    pub(super) url: String,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    asked: Mutex<Vec<Asked>>,
    written: AtomicUsize,
    gone: Notify,
}

impl Raw {
    /// A server that answers every request by this script.
    pub(super) async fn start(script: impl Fn(&Asked) -> Vec<Do> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::serve(listener, script)
    }

    pub(super) fn serve(
        listener: TcpListener,
        script: impl Fn(&Asked) -> Vec<Do> + Send + Sync + 'static,
    ) -> Self {
        let url = format!("http://{}/opentool", listener.local_addr().unwrap());
        let seen = Arc::new(Seen::default());
        let script = Arc::new(script);
        tokio::spawn({
            let seen = Arc::clone(&seen);
            async move {
                while let Ok((socket, _)) = listener.accept().await {
                    socket.set_nodelay(true).unwrap();
                    seen.connections.fetch_add(1, Ordering::SeqCst);
                    let (seen, script) = (Arc::clone(&seen), Arc::clone(&script));
                    tokio::spawn(async move {
                        connection(socket, &*script, &seen).await;
                        seen.gone.notify_one();
                    });
                }
            }
        });
        Self { url, seen }
    }

    pub(super) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.seen.asked.lock().unwrap().clone()
    }

    /// Bytes that floods wrote.
    pub(super) fn written(&self) -> usize {
        self.seen.written.load(Ordering::SeqCst)
    }

    /// Waits until a connection has ended.
    pub(super) async fn gone(&self) {
        self.seen.gone.notified().await;
    }
}

async fn connection(mut socket: TcpStream, script: &(dyn Fn(&Asked) -> Vec<Do> + Send + Sync), seen: &Seen) {
    while let Some(asked) = read(&mut socket).await {
        seen.asked.lock().unwrap().push(asked.clone());
        for step in script(&asked) {
            match step {
                Do::Send(bytes) => {
                    if socket.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
                Do::EachByte(bytes) => {
                    for byte in bytes {
                        if socket.write_all(&[byte]).await.is_err() {
                            return;
                        }
                        tokio::task::yield_now().await;
                    }
                }
                Do::Flood(bytes) => loop {
                    match socket.write(&bytes).await {
                        Ok(count) => seen.written.fetch_add(count, Ordering::SeqCst),
                        Err(_) => return,
                    };
                },
                Do::Hang => {
                    let mut rest = Vec::new();
                    let _ = socket.read_to_end(&mut rest).await;
                    return;
                }
                Do::Close => return,
            }
        }
    }
}

async fn read(socket: &mut TcpStream) -> Option<Asked> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let (line, headers) = head.split_once("\r\n").unwrap();
    let headers = headers.to_lowercase();
    let length = headers.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    socket.read_exact(&mut body).await.ok()?;
    Some(Asked {
        line: line.trim_end_matches(" HTTP/1.1").to_owned(),
        headers,
        body: String::from_utf8(body).unwrap(),
    })
}

/// A whole answer.
pub(super) fn answer(status: u16, body: &str) -> Do {
    Do::Send(
        format!(
            "HTTP/1.1 {status} Some\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes(),
    )
}

/// The head of an event stream that ends with its connection.
pub(super) fn stream_head() -> Do {
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n";
    Do::Send(head.as_bytes().to_vec())
}

/// A whole event stream that ends with its connection.
pub(super) fn stream(body: &str) -> Vec<Do> {
    vec![stream_head(), Do::Send(body.as_bytes().to_vec()), Do::Close]
}

/// An address at which nobody takes connections, for as long as the socket lives and does not listen.
pub(super) fn refusing() -> (TcpSocket, String) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}", socket.local_addr().unwrap());
    (socket, url)
}
