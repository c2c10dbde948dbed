use opentool::tools;

fn set() -> opentool::ToolSet {
    tools![1 + 1]
}

fn main() {}
