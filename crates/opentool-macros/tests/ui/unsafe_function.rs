use opentool::tool;

/// Counts.
#[tool]
unsafe fn count() -> u8 {
    1
}

fn main() {}
