use opentool::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
enum Unit {
    Celsius,
}

/// Current weather.
#[tool]
fn weather(#[arg(default)] unit: Unit) -> bool {
    matches!(unit, Unit::Celsius)
}

fn main() {}
