//! A call inside a call: its own cancellation, which is triggered when the outer one gives it up.

use std::time::Duration;

use opentool_core::{Cancellation, ToolContext};
use tokio::time::Instant;

/// The context of an inner call. Dropping it before [`Child::finish`] cancels the call.
pub(super) struct Child {
    pub(super) cx: ToolContext,
    signal: Option<Cancellation>,
}

impl Child {
    /// A call that may take this long at most, and not longer than the outer one.
    pub(super) fn new(cx: &ToolContext, limit: Duration) -> (Self, Option<Instant>) {
        let own = Instant::now().checked_add(limit);
        let host = cx.ends_at().map(Instant::from_std);
        let end = match (own, host) {
            (Some(own), Some(host)) => Some(own.min(host)),
            (own, host) => own.or(host),
        };
        let signal = Cancellation::new();
        let mut inner = cx.clone().cancellation(signal.clone());
        if let Some(end) = end {
            inner = inner.deadline(end.into_std());
        }
        (Self { cx: inner, signal: Some(signal) }, own)
    }

    /// The call came to its own end.
    pub(super) fn finish(&mut self) {
        self.signal = None;
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(signal) = &self.signal {
            signal.cancel();
        }
    }
}
