use opentool::{tool, ToolContext};

/// Greets.
#[tool]
fn greet(cx: &mut ToolContext) -> bool {
    cx.id().is_some()
}

fn main() {}
