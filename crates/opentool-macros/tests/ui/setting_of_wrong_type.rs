use opentool::tool;

/// Counts.
#[tool(title = 1, tags = "a", read_only = "yes")]
fn count() -> u8 {
    1
}

fn main() {}
