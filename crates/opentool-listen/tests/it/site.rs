//! A server to connect to, and a client that says what a test wants it to say.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use futures_util::stream;
use opentool_listen::{Connections, Respond, Rules};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};

/// More than the buffers of both sides take.
pub(crate) const LARGE: usize = 64 * 1024 * 1024;

/// What the server tells a test, and waits for.
#[derive(Default)]
pub(crate) struct Seen {
    /// An answer that waits, or a large one, has begun.
    pub(crate) started: Notify,
    /// An answer that waits has been given up, or was given.
    pub(crate) stopped: Notify,
    /// An answer that waits may be given.
    pub(crate) finish: Notify,
}

struct Site(Arc<Seen>);

struct Stopped(Arc<Seen>);

impl Drop for Stopped {
    fn drop(&mut self) {
        self.0.stopped.notify_one();
    }
}

impl Respond for Site {
    type Connection = AtomicUsize;

    fn connect(&self) -> AtomicUsize {
        AtomicUsize::new(0)
    }

    async fn respond(&self, request: Request<Body>, requests: &AtomicUsize) -> Response<Body> {
        let number = requests.fetch_add(1, Ordering::Relaxed) + 1;
        Response::new(match request.uri().path() {
            "/waits" => {
                let _stopped = Stopped(Arc::clone(&self.0));
                self.0.started.notify_one();
                self.0.finish.notified().await;
                Body::from("finished")
            }
            "/large" => {
                self.0.started.notify_one();
                Body::from(vec![b'x'; LARGE])
            }
            "/length" => {
                let whole = axum::body::to_bytes(request.into_body(), 1_000).await;
                Body::from(
                    whole.map_or_else(|error| error.to_string(), |body| format!("{} bytes", body.len())),
                )
            }
            "/stream" => Body::from_stream(stream::iter(["one ", "two"].map(Ok::<_, std::io::Error>))),
            _ => Body::from(format!("request {number} of its connection")),
        })
    }
}

/// A server that runs until this is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) seen: Arc<Seen>,
    /// It accepts nothing any more, and lets connections end.
    pub(crate) closing: CancellationToken,
    _gone: DropGuard,
}

impl Server {
    pub(crate) async fn new(rules: Rules) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Seen::default());
        let (closing, gone) = (CancellationToken::new(), CancellationToken::new());
        let mut connections = Connections::new(Site(Arc::clone(&seen)), rules, closing.clone());
        let (ending, end) = (closing.clone(), gone.clone());
        tokio::spawn(async move {
            let serving = async {
                tokio::select! {
                    () = connections.accept(&listener) => {}
                    () = ending.cancelled() => {}
                }
                connections.ended().await;
            };
            tokio::select! {
                () = serving => {}
                () = end.cancelled() => {}
            }
        });
        Self { address, seen, closing, _gone: gone.drop_guard() }
    }

    /// A client that has sent this.
    pub(crate) async fn says(&self, text: &str) -> TcpStream {
        let mut socket = TcpStream::connect(self.address).await.unwrap();
        socket.write_all(text.as_bytes()).await.unwrap();
        socket
    }

    /// The whole answer to a request of its own connection.
    pub(crate) async fn get(&self, path: &str) -> String {
        let mut socket =
            self.says(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).await;
        rest(&mut socket).await
    }
}

/// The request, on a connection that stays open.
pub(crate) fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

/// Waits for what happens at once, unless something is broken.
pub(crate) async fn soon(what: &Notify) {
    tokio::time::timeout(Duration::from_secs(60), what.notified()).await.expect("it happens");
}

/// What comes until the connection ends; nothing if it is cut.
pub(crate) async fn rest(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    match tokio::time::timeout(Duration::from_secs(120), socket.read_to_end(&mut bytes)).await {
        Ok(_) => String::from_utf8(bytes).unwrap(),
        Err(_) => panic!("the connection does not end; it said {:?}", String::from_utf8_lossy(&bytes)),
    }
}

/// What comes until these words do.
pub(crate) async fn until(socket: &mut TcpStream, words: &str) {
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains(words) {
        assert_ne!(socket.read_buf(&mut seen).await.unwrap(), 0, "it ended before {words:?}");
    }
}
