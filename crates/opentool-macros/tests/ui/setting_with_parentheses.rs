use opentool::tool;

/// Counts.
#[tool(tags("a", "b"))]
fn count() -> u8 {
    1
}

fn main() {}
