use opentool::tool;

/// Counts.
#[tool]
fn count<T>(items: Vec<T>) -> usize {
    items.len()
}

fn main() {}
