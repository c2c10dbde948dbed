//! A tool's future behind a wall: whatever panics inside becomes a value.
//!
//! `catch_unwind` of the futures crate guards polling alone. A tool can also panic while its future is made, and
//! while it is dropped: after its end, after a panic, or in the middle when the call is cancelled.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use opentool_core::{BoxFuture, ToolError, ToolOutput};

/// Runs `work`; its panic becomes [`ToolError::Panicked`].
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, ToolError>) -> Result<T, ToolError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(panic) => Err(panicked(panic)),
    }
}

/// The future of one call.
pub(crate) struct Guarded<'a>(Option<BoxFuture<'a, Result<ToolOutput, ToolError>>>);

impl<'a> Guarded<'a> {
    pub(crate) fn new(running: BoxFuture<'a, Result<ToolOutput, ToolError>>) -> Self {
        Self(Some(running))
    }

    /// Drops the tool's future; says what it panicked with if it did.
    fn end(&mut self) -> Result<(), ToolError> {
        let running = self.0.take();
        guarded(|| {
            drop(running);
            Ok(())
        })
    }
}

impl Future for Guarded<'_> {
    type Output = Result<ToolOutput, ToolError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(running) = &mut self.0 else {
            // Polled after its end, which is the caller's mistake; waiting for ever is the least harm.
            return Poll::Pending;
        };
        let polled = match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(cx))) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(result)) => result,
            Err(panic) => Err(panicked(panic)),
        };
        // A result that is there is worth more than the way in which its future went.
        let _ = self.end();
        Poll::Ready(polled)
    }
}

impl Drop for Guarded<'_> {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

fn panicked(panic: Box<dyn Any + Send>) -> ToolError {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let error = ToolError::Panicked(text.into());
    // The payload is the tool's value too, and may panic when it is dropped; that second payload is let go.
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(second);
    }
    error
}
