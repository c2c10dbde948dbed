use opentool::tool;

/// Counts.
#[tool]
fn count(#[arg(minimum = 1, default = 0)] most: u8) -> u8 {
    most
}

fn main() {}
