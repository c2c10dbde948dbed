use opentool::tool;

struct Counter(u8);

#[tool]
impl Counter {
    /// Counts.
    fn count(self) -> u8 {
        self.0
    }
}

fn main() {}
