use opentool::tool;

/// Gives a function that adds.
#[tool]
fn adder(by: i64) -> Box<dyn Fn(i64) -> i64 + Send> {
    Box::new(move |n| n + by)
}

fn main() {}
