use opentool::{tool, ToolContext};

/// Greets.
#[tool]
fn greet(#[arg(description = "The context.")] cx: &ToolContext) -> bool {
    cx.id().is_some()
}

fn main() {}
