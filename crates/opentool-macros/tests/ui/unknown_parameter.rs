use opentool::tool;

/// Current weather.
#[tool(ignore_parameters = [citty])]
fn weather(city: Option<String>) -> Option<String> {
    city
}

fn main() {}
