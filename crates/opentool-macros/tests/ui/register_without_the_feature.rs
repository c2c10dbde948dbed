use opentool::tool;

/// Now.
#[tool(register)]
fn now() -> u64 {
    0
}

fn main() {}
