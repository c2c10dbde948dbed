use opentool::tool;

struct Oops;

/// Fails.
#[tool]
fn fail() -> Result<u8, Oops> {
    Err(Oops)
}

fn main() {}
