//! What users of the macros and of the facade rely on.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[cfg(feature = "agent")]
mod agent;
mod agreement;
mod calls;
mod definitions;
mod methods;
mod statements;
mod straight;
mod strict;
#[cfg(feature = "register")]
mod tool2schema;

/// The future's result; nothing in these tests waits for anything outside.
fn run<T>(future: impl Future<Output = T>) -> T {
    futures_util::FutureExt::now_or_never(future).expect("nothing here waits")
}

/// One call with validation, as every exit makes it.
fn call(
    tools: &opentool::ToolSet,
    name: &str,
    arguments: serde_json::Value,
) -> Result<opentool::ToolOutput, opentool::ToolError> {
    call_in(&opentool::ToolContext::new(), tools, name, arguments)
}

/// One call in a context.
fn call_in(
    cx: &opentool::ToolContext,
    tools: &opentool::ToolSet,
    name: &str,
    arguments: serde_json::Value,
) -> Result<opentool::ToolOutput, opentool::ToolError> {
    run(opentool::ToolSetExt::call(tools, cx, &opentool::ToolCall::new("1", name, arguments)))
}
