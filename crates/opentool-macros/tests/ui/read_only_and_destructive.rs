use opentool::tool;

/// Counts.
#[tool(read_only, destructive)]
fn count() -> u8 {
    1
}

fn main() {}
