//! What leaves over a stream: whole lines, one after the other.
//!
//! It knows how much still waits to be written, so that a client that does not read is not read either, and when
//! writing has failed, so that the server does not work on for nobody.

use std::io;
use std::sync::{Arc, Mutex as Cell, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Mutex, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// The most bytes of answers that wait before no further request is read.
const MOST_WAITING: usize = 16 * 1024 * 1024;

/// How long the end of the stream may take to be written.
const CLOSING: Duration = Duration::from_millis(500);

/// The writing side of a stream. Clones are the same side.
pub(crate) struct Outbox<W> {
    write: Arc<Mutex<W>>,
    state: Arc<State>,
}

struct State {
    /// Bytes that are not written yet.
    waiting: watch::Sender<usize>,
    /// Writing has failed: nobody reads any more.
    broken: CancellationToken,
    closed: CancellationToken,
    failure: Cell<Option<io::Error>>,
}

/// Lines on their way; counted until they are written or given up.
struct Waiting {
    state: Arc<State>,
    bytes: usize,
}

impl<W> Clone for Outbox<W> {
    fn clone(&self) -> Self {
        Self { write: Arc::clone(&self.write), state: Arc::clone(&self.state) }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Outbox<W> {
    pub(crate) fn new(write: W) -> Self {
        let state = State {
            waiting: watch::Sender::new(0),
            broken: CancellationToken::new(),
            closed: CancellationToken::new(),
            failure: Cell::new(None),
        };
        Self { write: Arc::new(Mutex::new(write)), state: Arc::new(state) }
    }

    /// Writes the line and its end.
    pub(crate) fn write(&self, mut line: Vec<u8>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        line.push(b'\n');
        let waiting = Waiting::new(&self.state, line.len());
        let (write, state) = (Arc::clone(&self.write), Arc::clone(&self.state));
        async move {
            let _waiting = waiting;
            let written = async {
                let mut write = write.lock().await;
                write.write_all(&line).await?;
                write.flush().await
            };
            tokio::select! {
                biased;
                () = state.closed.cancelled() => Err(io::ErrorKind::NotConnected.into()),
                () = state.broken.cancelled() => Err(io::ErrorKind::BrokenPipe.into()),
                written = written => written.inspect_err(|error| state.fail(error)),
            }
        }
    }

    /// Waits until there is room for more answers.
    pub(crate) async fn room(&self) {
        // The sender is in the state, which is here.
        let _ = self.state.waiting.subscribe().wait_for(|waiting| *waiting < MOST_WAITING).await;
    }

    /// Completes when writing has failed.
    pub(crate) async fn broken(&self) {
        self.state.broken.cancelled().await;
    }

    /// Why writing failed, if that was anything but the client going away.
    pub(crate) fn failure(&self) -> Option<io::Error> {
        use io::ErrorKind as Kind;
        let failure = self.state.failure.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let gone = [Kind::BrokenPipe, Kind::ConnectionReset, Kind::ConnectionAborted, Kind::NotConnected];
        (!gone.contains(&failure.kind())).then_some(failure)
    }

    /// Ends the stream. What still waits is given up.
    pub(crate) async fn close(&self) {
        self.state.closed.cancel();
        let ended = timeout(CLOSING, async { self.write.lock().await.shutdown().await }).await;
        if !matches!(ended, Ok(Ok(()))) {
            tracing::debug!("the end of the stream cannot be written");
        }
    }
}

impl State {
    fn fail(&self, error: &io::Error) {
        let copy = error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(copy);
        self.broken.cancel();
    }
}

impl Waiting {
    fn new(state: &Arc<State>, bytes: usize) -> Self {
        state.waiting.send_modify(|waiting| *waiting = waiting.saturating_add(bytes));
        Self { state: Arc::clone(state), bytes }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.state.waiting.send_modify(|waiting| *waiting = waiting.saturating_sub(self.bytes));
    }
}
