use opentool::tool;

struct Forecast {
    _degrees: f64,
}

/// Current weather.
#[tool]
fn weather() -> Forecast {
    Forecast { _degrees: 1.0 }
}

fn main() {}
