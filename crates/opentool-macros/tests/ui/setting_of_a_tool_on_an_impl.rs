use opentool::tool;

struct Shop;

#[tool(name = "shop")]
impl Shop {
    /// Counts.
    fn count(&self) -> u8 {
        1
    }
}

fn main() {}
