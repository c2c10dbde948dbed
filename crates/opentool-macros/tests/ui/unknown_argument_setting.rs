use opentool::tool;

/// Counts.
#[tool]
fn count(#[arg(max = 3)] most: u8) -> u8 {
    most
}

fn main() {}
