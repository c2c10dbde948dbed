use opentool::tool;

/// Counts.
#[tool(skip)]
fn count() -> u8 {
    1
}

fn main() {}
