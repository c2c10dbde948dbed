use opentool::tool;

/// Counts.
#[tool]
fn count(#[arg(pattern = "[0-9]+")] most: u8) -> u8 {
    most
}

fn main() {}
