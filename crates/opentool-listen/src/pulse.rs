//! What a connection is doing, for those who decide whether it may be ended: a request that is answered is never in the way
//! of anybody, a client that only holds its place is.
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
use tokio::time::{Instant, sleep_until};

use crate::Untaken;

/// Where a connection is in its exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It waits for a request, or for the rest of its head.
    Reading,
    /// A request is there as a whole, and is being answered.
    Answering,
    /// The answer was made. It may still be on its way, and the next request has not begun.
    Answered,
    /// The head of a request is there, its body is on the way.
    Body,
}

/// The state of one connection.
#[derive(Debug)]
pub(crate) struct Pulse {
    born: Instant,
    untaken: Untaken,
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
    pub(crate) fn new(untaken: Untaken) -> Arc<Self> {
        Arc::new(Self {
            born: Instant::now(),
            untaken,
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
            2 => Stage::Answered,
            _ => Stage::Body,
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
    pub(crate) fn read(&self) {
        if self.state().0 == Stage::Answered {
            self.enter(Stage::Reading);
        }
    }

    /// Whether the client takes what is written.
    pub(crate) fn writes(&self, behind: bool) {
        if self.is_behind() == behind {
            return;
        }
        self.behind.store(behind, Ordering::Relaxed);
        if !behind && self.state().0 == Stage::Answered {
            // Not before the client has its answer does it begin to be idle.
            self.answered();
        }
    }

    fn is_behind(&self) -> bool {
        self.behind.load(Ordering::Relaxed)
    }

    /// The head of a request has come; its bytes may have been there since the request before.
    pub(crate) fn begin(&self) {
        self.begun.store(true, Ordering::Relaxed);
        self.enter(Stage::Body);
    }

    /// Waits until no head has come for `longest`, or none at all for `first`.
    pub(crate) async fn without_head(&self, first: Duration, longest: Duration) {
        loop {
            let now = Instant::now();
            let (stage, since) = self.state();
            let since = match stage {
                Stage::Reading | Stage::Answered if !self.is_behind() => since,
                // Whatever begins to wait from now on waits for longer than the sleep below.
                _ => now,
            };
            let until = since + if self.begun.load(Ordering::Relaxed) { longest } else { first };
            if until <= now {
                return;
            }
            sleep_until(until).await;
        }
    }

    /// Whether it waits for its client to ask, or to go on asking.
    pub(crate) fn is_reading(&self) -> bool {
        matches!(self.state().0, Stage::Reading | Stage::Body) && !self.is_behind()
    }

    /// Since when nothing has been going on that keeps the place; `None` while something is.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let (stage, since) = self.state();
        let taking = self.untaken == Untaken::KeepsPlace && self.is_behind();
        (stage != Stage::Answering && !taking).then_some(since)
    }

    /// Waits until a request is being answered. Only one may wait.
    pub(crate) async fn until_answering(&self) {
        poll_fn(|cx| {
            self.waiting.register(cx.waker());
            if self.state().0 == Stage::Answering { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

/// The body of a request, which tells when it has come as a whole.
pub(crate) struct Arriving<B> {
    inner: B,
    pulse: Arc<Pulse>,
}

impl<B: Body> Arriving<B> {
    pub(crate) fn new(inner: B, pulse: Arc<Pulse>) -> Self {
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
pub(crate) struct Leaving<B> {
    inner: B,
    pulse: Arc<Pulse>,
}

impl<B> Leaving<B> {
    pub(crate) fn new(inner: B, pulse: Arc<Pulse>) -> Self {
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, sleep};

    use super::Pulse;
    use crate::Untaken;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_says_nothing_is_waited_for_so_long_and_a_call_for_as_long_as_it_takes() {
        let seconds = Duration::from_secs;
        let born = Instant::now();
        Pulse::new(Untaken::KeepsPlace).without_head(seconds(5), seconds(30)).await;
        assert_eq!(born.elapsed().as_secs(), 5);

        let pulse = Pulse::new(Untaken::KeepsPlace);
        let client = std::sync::Arc::clone(&pulse);
        let born = Instant::now();
        tokio::spawn(async move {
            for (stage, lasts) in [
                (Pulse::read as fn(&Pulse), 4),
                // The body.
                (Pulse::begin, 100),
                (Pulse::answering, 1_000),
                (|pulse| pulse.writes(true), 0),
                (Pulse::answered, 200),
                // It has taken the answer.
                (|pulse| pulse.writes(false), 29),
                // The next head, byte by byte.
                (Pulse::read, 20),
                (Pulse::read, 20),
            ] {
                stage(&client);
                sleep(seconds(lasts)).await;
            }
        });
        pulse.without_head(seconds(5), seconds(30)).await;
        assert_eq!(born.elapsed().as_secs(), 4 + 100 + 1_000 + 200 + 29 + 30);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_not_taken_keeps_its_place_only_where_that_is_the_rule() {
        for untaken in [Untaken::KeepsPlace, Untaken::GivesWay] {
            let pulse = Pulse::new(untaken);
            pulse.begin();
            assert!(pulse.idle_since().is_some(), "the body of a request holds nothing up");
            pulse.answering();
            assert_eq!(pulse.idle_since(), None);
            pulse.writes(true);
            assert_eq!(pulse.idle_since(), None, "{untaken:?}: the answer is still being made");
            pulse.answered();
            assert_eq!(pulse.idle_since().is_none(), untaken == Untaken::KeepsPlace, "{untaken:?}");
            pulse.writes(false);
            assert!(pulse.idle_since().is_some());
        }
    }
}
