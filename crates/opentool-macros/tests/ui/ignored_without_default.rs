use opentool::tool;

/// Counts.
#[tool(ignore_parameters = [most])]
fn count(most: u8) -> u8 {
    most
}

fn main() {}
