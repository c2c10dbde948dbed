use opentool::ToolSet;

struct Shop;

fn set() -> ToolSet {
    ToolSet::from(Shop)
}

fn main() {}
