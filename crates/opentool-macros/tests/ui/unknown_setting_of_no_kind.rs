use opentool::tool;

/// Greets.
#[tool(banana)]
fn greet() -> String {
    String::new()
}

fn main() {}
