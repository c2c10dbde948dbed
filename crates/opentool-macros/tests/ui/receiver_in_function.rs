use opentool::tool;

/// Counts.
#[tool]
fn count(&self, step: u8) -> u8 {
    self.0 + step
}

fn main() {}
