use opentool::tools;

struct Weather;

fn set() -> opentool::ToolSet {
    tools![Weather]
}

fn main() {}
