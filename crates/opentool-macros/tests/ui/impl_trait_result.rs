use opentool::tool;

/// Greets.
#[tool]
fn greet() -> impl serde::Serialize {
    1
}

fn main() {}
