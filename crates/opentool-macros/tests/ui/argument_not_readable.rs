use opentool::tool;

#[derive(schemars::JsonSchema)]
struct Place {
    city: String,
}

/// Current weather.
#[tool]
fn weather(places: Vec<Place>) -> String {
    places.into_iter().map(|place| place.city).collect()
}

fn main() {}
