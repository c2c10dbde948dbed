use opentool::tool;

/// Fails.
#[tool]
fn fail() -> Result<u8, Box<dyn std::error::Error>> {
    Ok(1)
}

fn main() {}
