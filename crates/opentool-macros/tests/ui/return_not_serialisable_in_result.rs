use opentool::tool;

struct Forecast {
    _degrees: f64,
}

/// Current weather.
#[tool]
async fn weather() -> Result<Vec<Forecast>, String> {
    Ok(vec![Forecast { _degrees: 1.0 }])
}

fn main() {}
