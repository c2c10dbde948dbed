use opentool::tool;

/// Zählt.
#[tool]
fn zähle() -> u8 {
    1
}

fn main() {}
