use opentool::tool;

use std::cell::Cell;

struct Counter(Cell<u8>);

#[tool]
impl Counter {
    /// Counts.
    fn count(&self) -> u8 {
        self.0.get()
    }
}

fn main() {}
