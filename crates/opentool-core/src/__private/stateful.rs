//! Tools that share the value whose methods they are.

use std::sync::Arc;

use crate::ToolSet;

/// A type whose methods are tools, by `#[tool]` on its `impl` block. The compiler shows the name to users who
/// write a second block.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tools",
    label = "no `impl` block of this type has `#[tool]`",
    note = "put `#[tool]` on `impl {Self} {{ .. }}`; every method there that has no `#[tool(skip)]` becomes a tool",
    note = "a function is taken by its name: `tools![my_function]`"
)]
pub trait OneToolBlockPerType: Send + Sync + 'static {
    /// The tools; each holds the value.
    fn into_tools(self: Arc<Self>) -> ToolSet;
}

/// The methods of a value with `#[tool]` on its `impl` block.
impl<S: OneToolBlockPerType> From<S> for ToolSet {
    fn from(state: S) -> Self {
        Arc::new(state).into_tools()
    }
}

/// The methods of a value that the host keeps using too.
impl<S: OneToolBlockPerType> From<Arc<S>> for ToolSet {
    fn from(state: Arc<S>) -> Self {
        state.into_tools()
    }
}
