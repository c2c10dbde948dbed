use opentool::tool;

struct Shop<T>(T);

#[tool]
impl<T> Shop<T> {
    /// Counts.
    fn count(&self) -> u8 {
        1
    }
}

fn main() {}
