use opentool::tool;

struct Shop;

#[tool(register)]
impl Shop {
    /// Orders.
    fn orders(&self) -> u8 {
        1
    }
}

struct Bank;

#[tool]
impl Bank {
    /// Accounts.
    #[tool(register)]
    fn accounts(&self) -> u8 {
        1
    }
}

fn main() {}
