use opentool::{tool, ToolContext};

/// Greets.
#[tool]
fn greet(cx: ToolContext) -> bool {
    cx.id().is_some()
}

fn main() {}
