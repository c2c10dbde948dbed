//! What a connection is doing, for those who decide whether it may be ended: a call that runs is never in the way of
//! anybody, a client that only holds its place is.
//!
//! It is written several times a request and hardly ever read, so it is a few atomics and no lock.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::task::AtomicWaker;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Instant;

/// Where a connection is in its exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// It waits for a request, or for the rest of one.
    Reading,
    /// A request is there as a whole, and is being answered.
    Answering,
    /// The answer was made. It may still be on its way, and the next request has not begun.
    Answered,
}

/// The state of one connection.
#[derive(Debug)]
pub(super) struct Pulse {
    born: Instant,
    /// The stage and since when: microseconds since the birth times four, and the stage.
    state: AtomicU64,
    /// Who waits for a request to be answered: one at most, the connection itself.
    waiting: AtomicWaker,
    /// The client has not taken all that was written.
    behind: AtomicBool,
    /// A request has come.
    begun: AtomicBool,
}

impl Pulse {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            born: Instant::now(),
            state: AtomicU64::new(Stage::Reading as u64),
            waiting: AtomicWaker::new(),
            behind: AtomicBool::new(false),
            begun: AtomicBool::new(false),
        })
    }

    fn enter(&self, stage: Stage) {
        let since = u64::try_from(self.born.elapsed().as_micros()).unwrap_or(u64::MAX >> 2);
        self.state.store(since << 2 | stage as u64, Ordering::SeqCst);
    }

    fn state(&self) -> (Stage, Instant) {
        let state = self.state.load(Ordering::SeqCst);
        let stage = match state & 3 {
            0 => Stage::Reading,
            1 => Stage::Answering,
            _ => Stage::Answered,
        };
        (stage, self.born + Duration::from_micros(state >> 2))
    }

    /// A whole request is there.
    fn answering(&self) {
        self.enter(Stage::Answering);
        self.waiting.wake();
    }

    fn answered(&self) {
        self.enter(Stage::Answered);
    }

    /// Bytes came. After an answer they are those of the next request.
    pub(super) fn read(&self) {
        if self.state().0 == Stage::Answered {
            self.enter(Stage::Reading);
        }
    }

    /// Whether the client takes what is written.
    pub(super) fn writes(&self, behind: bool) {
        self.behind.store(behind, Ordering::Relaxed);
    }

    /// The head of a request has come; its bytes may have been there since the request before.
    pub(super) fn begin(&self) {
        self.begun.store(true, Ordering::Relaxed);
        self.read();
    }

    /// Whether the head of a request has ever come.
    pub(super) fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Relaxed)
    }

    /// Whether it waits for its client to ask, or to go on asking.
    pub(super) fn is_reading(&self) -> bool {
        self.state().0 == Stage::Reading && !self.behind.load(Ordering::Relaxed)
    }

    /// Since when nothing has been going on; `None` while something is.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let (stage, since) = self.state();
        (stage != Stage::Answering && !self.behind.load(Ordering::Relaxed)).then_some(since)
    }

    /// Waits until a request is being answered. Only one may wait.
    pub(super) async fn until_answering(&self) {
        poll_fn(|cx| {
            self.waiting.register(cx.waker());
            if self.state().0 == Stage::Answering { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}
/// The body of a request, which tells when it has come as a whole.
pub(super) struct Arriving<B> {
    inner: B,
    pulse: Arc<Pulse>,
}

impl<B: Body> Arriving<B> {
    pub(super) fn new(inner: B, pulse: Arc<Pulse>) -> Self {
        let arriving = Self { inner, pulse };
        arriving.look();
        arriving
    }

    fn look(&self) {
        if self.inner.is_end_stream() {
            self.pulse.answering();
        }
    }
}

impl<B: Body + Unpin> Body for Arriving<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let frame = Pin::new(&mut self.inner).poll_frame(cx);
        match &frame {
            Poll::Ready(None) => self.pulse.answering(),
            Poll::Ready(Some(Ok(_))) => self.look(),
            _ => {}
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// The body of an answer, which tells when it has left.
pub(super) struct Leaving<B> {
    inner: B,
    pulse: Arc<Pulse>,
}

impl<B> Leaving<B> {
    pub(super) fn new(inner: B, pulse: Arc<Pulse>) -> Self {
        Self { inner, pulse }
    }
}

impl<B: Body + Unpin> Body for Leaving<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.inner).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl<B> Drop for Leaving<B> {
    fn drop(&mut self) {
        self.pulse.answered();
    }
}
