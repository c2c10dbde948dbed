//! All connections of a server: accepting them, and waiting for their end.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::connection::Serving;
use crate::places::{Places, Told};
use crate::{Respond, Rules};

/// How long to wait when the system has no more sockets.
const EXHAUSTED: Duration = Duration::from_millis(100);

/// The connections of a server. All end when it is dropped.
pub struct Connections<R> {
    serving: Arc<Serving<R>>,
    places: Places,
    tasks: TaskTracker,
    exhausted: Told,
    _cut: DropGuard,
}

impl<R: Respond> Connections<R> {
    /// No connections yet. Once `closing` is cancelled, each ends after the answer that it is at.
    pub fn new(respond: R, rules: Rules, closing: CancellationToken) -> Self {
        let cut = CancellationToken::new();
        Self {
            places: Places::new(&rules),
            serving: Arc::new(Serving::new(respond, rules, closing, cut.clone())),
            tasks: TaskTracker::new(),
            exhausted: Told::default(),
            _cut: cut.drop_guard(),
        }
    }

    /// Accepts connections for ever, and serves each in a task of its own. Those for which there is no place wait in the
    /// system's queue, which is bounded. Can be dropped and called again.
    pub async fn accept(&mut self, listener: &TcpListener) {
        loop {
            let socket = self.next(listener).await;
            let Some(place) = self.places.take().await else { return };
            self.tasks.spawn(Arc::clone(&self.serving).serve(socket, place));
        }
    }

    /// Completes when all connections have ended.
    pub async fn ended(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    async fn next(&mut self, listener: &TcpListener) -> TcpStream {
        loop {
            match listener.accept().await {
                Ok((socket, _)) => return socket,
                Err(error) if is_clients(&error) => {}
                Err(error) => {
                    if self.exhausted.is_due() {
                        tracing::error!(%error, "no connection can be accepted; idle ones are ended");
                    }
                    // The system has no more sockets: one that is idle gives up its own.
                    self.places.end_the_idlest();
                    sleep(EXHAUSTED).await;
                }
            }
        }
    }
}

impl<R> std::fmt::Debug for Connections<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connections").field("open", &self.tasks.len()).finish_non_exhaustive()
    }
}

/// Whether only the one connection broke, before it was there.
fn is_clients(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
