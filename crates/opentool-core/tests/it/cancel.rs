//! The cancellation signal.

use std::task::{Context, Poll};

use futures_util::FutureExt as _;
use futures_util::task::noop_waker;
use opentool_core::Cancellation;

#[test]
fn wakes_every_clone_and_stays_triggered() {
    let signal = Cancellation::new();
    let (mut first, mut second) = (signal.cancelled(), signal.clone().cancelled());
    let waker = noop_waker();
    let mut cx = Context::from_waker(&waker);
    assert_eq!(first.poll_unpin(&mut cx), Poll::Pending);
    assert_eq!(second.poll_unpin(&mut cx), Poll::Pending);
    signal.cancel();
    signal.cancel();
    assert_eq!(first.poll_unpin(&mut cx), Poll::Ready(()));
    assert_eq!(second.poll_unpin(&mut cx), Poll::Ready(()));
    assert!(signal.is_cancelled());
    assert_eq!(signal.cancelled().now_or_never(), Some(()));
}

#[test]
fn wakes_the_waiter_that_waits_now() {
    let signal = Cancellation::new();
    let (tx, rx) = std::sync::mpsc::channel();
    let waiting = signal.clone();
    let thread = std::thread::spawn(move || {
        let mut future = waiting.cancelled();
        // Polled once with a waker of no use: the later one must be the one that is woken.
        let waker = noop_waker();
        assert_eq!(future.poll_unpin(&mut Context::from_waker(&waker)), Poll::Pending);
        tx.send(()).unwrap();
        futures_executor(future);
    });
    rx.recv().unwrap();
    signal.cancel();
    thread.join().unwrap();
}

/// Blocks the thread on a future: parking until its waker unparks.
fn futures_executor<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
    let mut cx = Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}
