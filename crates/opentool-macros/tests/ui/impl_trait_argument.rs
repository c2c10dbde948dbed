use opentool::tool;

/// Greets.
#[tool]
fn greet(name: impl Into<String>) -> String {
    name.into()
}

fn main() {}
