//! The end of a call that somebody else decides: its time is over, or the server cannot wait any longer.
//!
//! The tool runs in a task of its own and is stopped there, but one that blocks its thread cannot be. So the side that
//! waits watches the time as well. A timer and a signal for every call would cost more than a short call itself; a
//! connection has one of each for all its calls, which come one after the other.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures_util::task::AtomicWaker;
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

/// Why nobody waits for a call any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// It took longer than it may.
    Overrun,
    /// The server ends.
    Aborted,
}

/// No call runs.
const NOTHING: u64 = 0;

/// The call that runs has taken too long.
const OVERRUN: u64 = 1;

/// The clock of one connection's calls.
#[derive(Debug)]
pub(super) struct Clock {
    born: Instant,
    limit: Duration,
    /// [`NOTHING`], [`OVERRUN`], or when the time of the call is over, in microseconds since the birth.
    ends: AtomicU64,
    aborted: AtomicBool,
    waiting: AtomicWaker,
}

impl Clock {
    /// A clock for calls that may take `limit`. It does not run by itself: [`Clock::run`].
    pub(super) fn new(limit: Duration) -> Arc<Self> {
        Arc::new(Self {
            born: Instant::now(),
            limit,
            ends: AtomicU64::new(NOTHING),
            aborted: AtomicBool::new(false),
            waiting: AtomicWaker::new(),
        })
    }

    /// Tells the calls, one after the other, when they are over. Never ends.
    pub(super) async fn run(&self, aborting: &CancellationToken) {
        loop {
            // A call that begins after this line ends after the sleep below does.
            let idle = Instant::now().checked_add(self.limit);
            let ends = self.ends.load(Ordering::SeqCst);
            let at = if ends > OVERRUN { self.born.checked_add(Duration::from_micros(ends)) } else { idle };
            let over = async {
                match at {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = aborting.cancelled() => {
                    self.aborted.store(true, Ordering::SeqCst);
                    self.waiting.wake();
                    return std::future::pending().await;
                }
                () = over => {
                    // Not if another call has begun in the meantime.
                    if ends > OVERRUN
                        && self.ends.compare_exchange(ends, OVERRUN, Ordering::SeqCst, Ordering::SeqCst).is_ok()
                    {
                        self.waiting.wake();
                    }
                }
            }
        }
    }
}

/// Watches one call. Dropping it ends the watch.
pub(super) enum Watch {
    /// By the clock of its connection.
    Connection(Arc<Clock>),
    /// By itself, where the connection is somebody else's.
    Alone { overrun: Pin<Box<Sleep>>, aborting: CancellationToken },
}

impl Watch {
    /// Begins now.
    pub(super) fn new(clock: Option<&Arc<Clock>>, limit: Duration, aborting: &CancellationToken) -> Self {
        let Some(clock) = clock else {
            return Self::Alone { overrun: Box::pin(sleep(limit)), aborting: aborting.clone() };
        };
        let ends = clock.born.elapsed().saturating_add(clock.limit).as_micros().saturating_add(1);
        let ends = u64::try_from(ends).unwrap_or(u64::MAX).max(OVERRUN + 1);
        clock.ends.store(ends, Ordering::SeqCst);
        Self::Connection(Arc::clone(clock))
    }

    /// Waits until the call is to be given up. Can be dropped and called again.
    pub(super) async fn cut(&mut self) -> Cut {
        match self {
            Self::Connection(clock) => {
                poll_fn(|cx| {
                    clock.waiting.register(cx.waker());
                    if clock.aborted.load(Ordering::SeqCst) {
                        return Poll::Ready(Cut::Aborted);
                    }
                    match clock.ends.load(Ordering::SeqCst) {
                        OVERRUN => Poll::Ready(Cut::Overrun),
                        _ => Poll::Pending,
                    }
                })
                .await
            }
            Self::Alone { overrun, aborting } => tokio::select! {
                biased;
                () = aborting.cancelled() => Cut::Aborted,
                () = overrun => Cut::Overrun,
            },
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Self::Connection(clock) = self {
            clock.ends.store(NOTHING, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::time::{Instant, sleep};
    use tokio_util::sync::CancellationToken;

    use super::{Clock, Cut, Watch};

    const LIMIT: Duration = Duration::from_secs(10);

    fn running() -> (Arc<Clock>, CancellationToken) {
        let (clock, aborting) = (Clock::new(LIMIT), CancellationToken::new());
        let (runs, token) = (Arc::clone(&clock), aborting.clone());
        tokio::spawn(async move { runs.run(&token).await });
        (clock, aborting)
    }

    #[tokio::test(start_paused = true)]
    async fn every_call_of_a_connection_has_its_whole_time_and_no_more() {
        let (clock, aborting) = running();
        for pause in [0, 3, 9, 10, 25] {
            sleep(Duration::from_secs(pause)).await;
            let short = Watch::new(Some(&clock), LIMIT, &aborting);
            sleep(Duration::from_secs(7)).await;
            drop(short);
            let begun = Instant::now();
            let mut long = Watch::new(Some(&clock), LIMIT, &aborting);
            assert_eq!(long.cut().await, Cut::Overrun);
            let took = begun.elapsed();
            assert!(took >= LIMIT && took < LIMIT + Duration::from_millis(10), "{pause}: {took:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_ends_gives_up_what_runs_and_what_begins() {
        let (clock, aborting) = running();
        let mut early = Watch::new(Some(&clock), LIMIT, &aborting);
        let ending = aborting.clone();
        tokio::spawn(async move {
            sleep(Duration::from_secs(1)).await;
            ending.cancel();
        });
        assert_eq!(early.cut().await, Cut::Aborted);
        drop(early);
        assert_eq!(Watch::new(Some(&clock), LIMIT, &aborting).cut().await, Cut::Aborted);
        assert_eq!(Watch::new(None, LIMIT, &aborting).cut().await, Cut::Aborted);
    }
}
