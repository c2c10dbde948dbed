//! A time limit for a tool, whoever calls it.

use std::sync::Arc;
use std::time::Duration;

use opentool_core::{Arguments, Layer, Tool, ToolContext, ToolError, ToolOutput};
use tokio::time::timeout_at;

use super::around::Around;
use super::child::Child;

/// Ends a call that takes longer than this with [`ToolError::TimedOut`], and tells the tool by its cancellation.
///
/// The tool also finds the sooner deadline in its context. A dispatcher has a limit for all tools; this one is for one
/// tool or one source, and holds without a dispatcher too.
#[derive(Debug, Clone, Copy)]
pub struct Timeout {
    limit: Duration,
}

impl Timeout {
    /// Calls take this long at most.
    pub fn new(limit: Duration) -> Self {
        Self { limit }
    }
}

impl Layer for Timeout {
    fn layer(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        self.around(inner)
    }
}

impl Around for Timeout {
    async fn call(
        &self,
        inner: &dyn Tool,
        cx: &ToolContext,
        arguments: Arguments,
    ) -> Result<ToolOutput, ToolError> {
        let (mut child, end) = Child::new(cx, self.limit);
        let own = child.cx.clone();
        let running = inner.call(&own, arguments);
        let result = match end {
            Some(end) => timeout_at(end, running).await,
            None => Ok(running.await),
        };
        match result {
            Ok(result) => {
                child.finish();
                result
            }
            Err(_) => Err(ToolError::TimedOut(self.limit)),
        }
    }
}
