//! Tools that share the value whose methods they are.

use std::sync::Arc;

use crate::ToolSet;

/// A type whose methods are tools, by `#[tool]` on its `impl` block.
///
/// The name is advice because a second block is refused by the compiler, not by us, and its words (E0119) have
/// no place for ours: "conflicting implementations of trait `PutAllMethods..` for type `Shop`".
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tools: put `#[tool]` on `impl {Self} {{ .. }}`",
    label = "no `impl` block of this type has `#[tool]`",
    note = "every method of the block that has no `#[tool(skip)]` becomes a tool",
    note = "a function is taken by its name: `tools![my_function]`"
)]
pub trait PutAllMethodsIntoOneToolImplBlock: Send + Sync + 'static {
    /// The tools; each holds the value.
    fn into_tools(self: Arc<Self>) -> ToolSet;
}

/// A value that many calls can use at the same time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used by calls that run at the same time; use `Mutex` or an atomic instead of `Cell` and `RefCell`, and `Arc` instead of `Rc`",
    label = "this is not `Send + Sync`"
)]
pub trait SharedState: Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<S: Send + Sync + 'static> SharedState for S {}

/// Says, in our words, that a type cannot be the state of tools.
pub const fn assert_shared<S: SharedState>() {}

/// Says, in the compiler's words, which part of a type is the reason.
pub const fn assert_send_and_sync<S: Send + Sync>() {}

/// The methods of a value with `#[tool]` on its `impl` block.
impl<S: PutAllMethodsIntoOneToolImplBlock> From<S> for ToolSet {
    fn from(state: S) -> Self {
        Arc::new(state).into_tools()
    }
}

/// The methods of a value that the host keeps using too.
impl<S: PutAllMethodsIntoOneToolImplBlock> From<Arc<S>> for ToolSet {
    fn from(state: Arc<S>) -> Self {
        state.into_tools()
    }
}
