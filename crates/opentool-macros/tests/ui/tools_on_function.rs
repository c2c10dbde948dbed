use opentool::macros::tools;

/// Adds.
#[tools]
fn add(a: i32, b: i32) -> i32 {
    a + b
}

fn main() {}
