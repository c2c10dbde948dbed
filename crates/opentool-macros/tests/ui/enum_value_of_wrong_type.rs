use opentool::tool;

/// Counts.
#[tool]
fn count(#[arg(enum = ["one", "two"])] most: u8) -> u8 {
    most
}

fn main() {}
