//! A cancellation signal that needs no async runtime.
//!
//! Hosts trigger it (a client went away, a deadline passed, a person pressed a key); tools await it or ask
//! for it. It is deliberately not a tree: a host that needs children makes one signal per call.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// A signal that can be triggered once and awaited by many. Clones are the same signal.
#[derive(Clone, Default)]
pub struct Cancellation(Arc<Signal>);

#[derive(Default)]
struct Signal {
    /// Set under the lock of those who wait, so that nobody begins to wait for what has been; read without it, because
    /// every call asks.
    cancelled: AtomicBool,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    next: u64,
    wakers: Vec<(u64, Waker)>,
}

impl Cancellation {
    /// A signal that has not been triggered.
    pub fn new() -> Self {
        Self::default()
    }

    /// Triggers the signal and wakes everyone who waits for it. A second time does nothing.
    pub fn cancel(&self) {
        let wakers = {
            let mut waiting = self.waiting();
            self.0.cancelled.store(true, Ordering::Release);
            std::mem::take(&mut waiting.wakers)
        };
        for (_, waker) in wakers {
            waker.wake();
        }
    }

    /// Whether the signal was triggered.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// Completes when the signal is triggered.
    pub fn cancelled(&self) -> Cancelled {
        Cancelled { signal: self.clone(), key: None }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // What is behind the lock is valid at every point where a panic could happen.
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Cancellation").field(&self.is_cancelled()).finish()
    }
}

/// The future of [`Cancellation::cancelled`].
#[derive(Debug)]
pub struct Cancelled {
    signal: Cancellation,
    key: Option<u64>,
}

impl Future for Cancelled {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let signal = self.signal.clone();
        let mut waiting = signal.waiting();
        if signal.is_cancelled() {
            return Poll::Ready(());
        }
        match self.key {
            Some(key) => {
                if let Some((_, waker)) = waiting.wakers.iter_mut().find(|(k, _)| *k == key) {
                    waker.clone_from(cx.waker());
                }
            }
            None => {
                let key = waiting.next;
                waiting.next = key.wrapping_add(1);
                waiting.wakers.push((key, cx.waker().clone()));
                self.key = Some(key);
            }
        }
        Poll::Pending
    }
}

impl Drop for Cancelled {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.signal.waiting().wakers.retain(|(k, _)| *k != key);
        }
    }
}
