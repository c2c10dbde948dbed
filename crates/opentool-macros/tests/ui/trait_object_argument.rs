use opentool::tool;

/// Greets.
#[tool]
fn greet(name: Box<dyn std::fmt::Display>) -> String {
    name.to_string()
}

fn main() {}
