use opentool::tool;

struct Counter(u8);

#[tool]
impl Counter {
    /// Counts.
    fn count(&mut self) -> u8 {
        self.0 += 1;
        self.0
    }
}

fn main() {}
