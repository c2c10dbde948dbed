use opentool::{tool, tools};

/// Finds one.
#[tool]
fn find() -> u8 {
    1
}

/// Finds all.
#[tool(name = "find")]
fn find_all() -> u8 {
    2
}

fn set() -> opentool::ToolSet {
    tools![find, find_all]
}

fn main() {}
