use opentool::tool;

struct Shop;

#[tool]
impl Clone for Shop {
    /// Copies.
    fn clone(&self) -> Self {
        Shop
    }
}

fn main() {}
