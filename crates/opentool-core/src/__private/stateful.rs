//! Tools that share the value whose methods they are.

use std::sync::Arc;

use crate::ToolSet;

/// A type whose methods are tools, by `#[tool]` on its `impl` block.
pub trait StatefulTools: Send + Sync + 'static {
    /// The tools; each holds the value.
    fn into_tools(self: Arc<Self>) -> ToolSet;
}

/// Tools of a value that the host keeps using too.
impl<S: StatefulTools> From<Arc<S>> for ToolSet {
    fn from(state: Arc<S>) -> Self {
        state.into_tools()
    }
}
