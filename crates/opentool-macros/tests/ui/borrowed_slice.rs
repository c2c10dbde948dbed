use opentool::tool;

/// Adds up.
#[tool]
fn sum(numbers: &[i64]) -> i64 {
    numbers.iter().sum()
}

fn main() {}
