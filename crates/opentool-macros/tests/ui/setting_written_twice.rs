use opentool::tool;

/// Counts.
#[tool(title = "Count", title = "Counter")]
fn count() -> u8 {
    1
}

fn main() {}
