use opentool::tool;

/// Greets.
#[tool(descripton = "Greets.")]
fn greet() -> String {
    String::new()
}

fn main() {}
