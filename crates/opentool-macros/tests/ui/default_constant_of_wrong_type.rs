use opentool::tool;

const MOST: &str = "3";

/// Counts.
#[tool]
fn count(#[arg(default = MOST)] most: u8) -> u8 {
    most
}

fn main() {}
