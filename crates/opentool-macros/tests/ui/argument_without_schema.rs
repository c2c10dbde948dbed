use opentool::tool;

#[derive(serde::Deserialize)]
struct Place {
    city: String,
}

/// Current weather.
#[tool]
fn weather(place: Place) -> String {
    place.city
}

fn main() {}
