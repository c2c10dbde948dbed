//! Panics of others' code as values.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use opentool_core::ToolError;

/// Runs `work`; its panic becomes [`ToolError::Panicked`].
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, ToolError>) -> Result<T, ToolError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(panic) => Err(panicked(panic)),
    }
}

/// The error that a panic becomes.
pub fn panicked(panic: Box<dyn Any + Send>) -> ToolError {
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
