use opentool::tool;

///
#[tool(description = " ")]
fn weather(city: String) -> String {
    city
}

fn main() {}
