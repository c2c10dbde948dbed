use opentool::tool;

/// Counts.
#[tool]
fn count(#[arg(minimum = 9, maximum = 1)] most: u8) -> u8 {
    most
}

fn main() {}
