use opentool::tool;

struct Shop(u8);

#[tool]
impl Shop {
    /// Opens it.
    fn open(number: u8) -> Result<Self, String> {
        Ok(Shop(number))
    }
}

fn main() {}
