use opentool::tool;

/// Greets.
#[tool]
fn greet(name: Option<&str>) -> bool {
    name.is_some()
}

fn main() {}
