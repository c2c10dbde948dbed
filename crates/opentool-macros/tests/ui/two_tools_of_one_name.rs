use opentool::tool;

struct Shop;

#[tool]
impl Shop {
    /// Finds one.
    fn find(&self) -> u8 {
        1
    }

    /// Finds all.
    #[tool(name = "find")]
    fn find_all(&self) -> u8 {
        2
    }
}

fn main() {}
