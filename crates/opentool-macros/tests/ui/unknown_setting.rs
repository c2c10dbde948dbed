use opentool::tool;

/// Greets.
#[tool(readonly)]
fn greet() -> String {
    String::new()
}

fn main() {}
