use opentool::tool;

/// Counts.
#[tool]
fn count<const N: usize>() -> usize {
    N
}

fn main() {}
