use opentool::tool;

struct Shop;

#[tool]
impl Shop {
    /// One.
    fn one(&self) -> u8 {
        1
    }
}

#[tool]
impl Shop {
    /// Two.
    fn two(&self) -> u8 {
        2
    }
}

fn main() {}
