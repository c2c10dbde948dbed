//! The frame that all layers around tools share: each says what it does with a call, and nothing else.

use std::sync::Arc;

use opentool_core::{Arguments, BoxFuture, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};

/// What a layer does with a call of the tool that it is around.
pub(super) trait Around: Send + Sync + 'static {
    fn call(
        &self,
        inner: &dyn Tool,
        cx: &ToolContext,
        arguments: Arguments,
    ) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send;

    /// The tool with this around it; the model is told of it what it was told before.
    fn around(self, inner: Arc<dyn Tool>) -> Arc<dyn Tool>
    where
        Self: Sized,
    {
        Arc::new(Layered { layer: self, inner })
    }
}

struct Layered<L> {
    layer: L,
    inner: Arc<dyn Tool>,
}

impl<L: Around> Tool for Layered<L> {
    fn definition(&self) -> &ToolDefinition {
        self.inner.definition()
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(self.layer.call(&*self.inner, cx, arguments))
    }
}
