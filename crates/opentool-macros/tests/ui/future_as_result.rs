use opentool::tool;

/// Greets.
#[tool]
fn greet() -> impl Future<Output = u8> {
    async { 1 }
}

fn main() {}
