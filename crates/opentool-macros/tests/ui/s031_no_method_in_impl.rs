use opentool::tool;

struct Shop;

#[tool]
impl Shop {
    #[tool(skip)]
    fn open() -> Self {
        Shop
    }
}

fn main() {}
