use opentool::tool;

/// A city.
#[tool]
struct City {
    name: String,
}

fn main() {}
