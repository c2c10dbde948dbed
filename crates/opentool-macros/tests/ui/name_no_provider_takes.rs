use opentool::tool;

/// Counts.
#[tool(name = "count things")]
fn count() -> u8 {
    1
}

fn main() {}
