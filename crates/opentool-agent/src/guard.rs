//! Panics in code of the host, as values.
//!
//! Policies, observers, converters, summaries, models: a host gives an agent code that runs in the middle of its work. A
//! panic in there must not unwind through a run, which would lose what was done. It ends the run with an error that holds
//! the run, or fails the one call; other runs of the same agent never notice. Tools have a wall of their own
//! (`opentool_schema::ToolSetExt::call`). With `panic = "abort"` nothing of this can work.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt as _;
use opentool_core::{Failure, ToolError};
use opentool_schema::__private::panicked;

/// Code that the host gave to an agent panicked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place} panicked: {message}")]
#[non_exhaustive]
pub struct HostPanic {
    /// Which code it was: `a rule of approval`, `an observer`, `the model`.
    pub place: &'static str,
    /// What the panic said.
    pub message: Box<str>,
}

impl HostPanic {
    fn new(place: &'static str, payload: Box<dyn Any + Send>) -> Self {
        let message = match panicked(payload) {
            ToolError::Panicked(message) => message,
            other => other.to_string().into(),
        };
        Self { place, message }
    }

    /// The error of a call that this panic kept from running; the model reads that its host failed.
    pub(crate) fn before_the_call(self) -> ToolError {
        let told = "the call was not run: its host failed; the operator has the details";
        Failure::new(told).source(self).into()
    }
}

/// Runs code of the host.
pub(crate) fn guarded<T>(place: &'static str, work: impl FnOnce() -> T) -> Result<T, HostPanic> {
    // What the code may have left half done is the host's own.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| HostPanic::new(place, payload))
}

/// Waits for a future of the host.
pub(crate) async fn guarded_future<F: Future>(
    place: &'static str,
    future: F,
) -> Result<F::Output, HostPanic> {
    AssertUnwindSafe(future).catch_unwind().await.map_err(|payload| HostPanic::new(place, payload))
}
