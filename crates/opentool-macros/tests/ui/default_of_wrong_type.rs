use opentool::tool;

/// Counts.
#[tool]
fn count(#[arg(default = "three")] most: u8) -> u8 {
    most
}

fn main() {}
