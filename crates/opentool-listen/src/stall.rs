//! A connection that ends when its client does not take what it asked for.
//!
//! Without this a client that asks and never reads the answer would hold the answer, its place among the connections and,
//! for a stream, whatever makes it, for as long as it likes.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use crate::pulse::Pulse;

/// How long a client may take nothing at all.
pub(crate) const LONGEST: Duration = Duration::from_secs(30);

/// Both directions of a connection, of which the writing one must move.
pub(crate) struct Moving<T> {
    inner: T,
    limit: Duration,
    pulse: Arc<Pulse>,
    /// Made when the client first falls behind, which most never do.
    timer: Option<Pin<Box<Sleep>>>,
    stalled: bool,
}

impl<T> Moving<T> {
    pub(crate) fn new(inner: T, limit: Duration, pulse: Arc<Pulse>) -> Self {
        Self { inner, limit, pulse, timer: None, stalled: false }
    }

    /// Passes on what the connection said, unless it has said "wait" for too long.
    fn watch<R>(&mut self, cx: &mut Context<'_>, said: Poll<io::Result<R>>) -> Poll<io::Result<R>> {
        self.pulse.writes(said.is_pending());
        if said.is_ready() {
            self.stalled = false;
            return said;
        }
        let limit = self.limit;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(limit)));
        if !self.stalled {
            self.stalled = true;
            timer.as_mut().reset(Instant::now() + limit);
        }
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not take its answer")))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Moving<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(cx, buf);
        if buf.filled().len() > before {
            self.pulse.read();
        }
        read
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Moving<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let said = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.watch(cx, said)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let said = Pin::new(&mut self.inner).poll_flush(cx);
        self.watch(cx, said)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let said = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.watch(cx, said)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let said = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.watch(cx, said)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::{Moving, Pulse};
    use crate::Untaken;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_cut_and_one_that_is_slow_is_not() {
        let (ours, mut theirs) = duplex(10);
        let mut ours = Moving::new(ours, Duration::from_secs(30), Pulse::new(Untaken::KeepsPlace));
        let slow = tokio::spawn(async move {
            let mut byte = [0];
            for _ in 0..20 {
                tokio::time::sleep(Duration::from_secs(20)).await;
                theirs.read_exact(&mut byte).await.unwrap();
            }
            theirs
        });
        ours.write_all(&[7; 30]).await.unwrap();
        let _theirs = slow.await.unwrap();
        let error = ours.write_all(&[7; 30]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }
}
