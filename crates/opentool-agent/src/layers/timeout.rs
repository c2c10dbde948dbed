//! A time limit for a tool, whoever calls it.

use std::sync::Arc;
use std::time::Duration;

use opentool_core::{Arguments, BoxFuture, Layer, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};
use tokio::time::timeout_at;

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
        Arc::new(Timed { limit: self.limit, inner })
    }
}

struct Timed {
    limit: Duration,
    inner: Arc<dyn Tool>,
}

impl Tool for Timed {
    fn definition(&self) -> &ToolDefinition {
        self.inner.definition()
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let (mut child, end) = Child::new(cx, self.limit);
            let inner = child.cx.clone();
            let running = self.inner.call(&inner, arguments);
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
        })
    }
}
