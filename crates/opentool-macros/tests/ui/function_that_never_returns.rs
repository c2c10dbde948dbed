use opentool::tool;

/// Waits.
#[tool]
fn wait() -> ! {
    loop {}
}

fn main() {}
