use opentool::tool;

/// Counts.
#[tool]
fn count(#[arg(default = 300)] most: u8) -> u8 {
    most
}

fn main() {}
