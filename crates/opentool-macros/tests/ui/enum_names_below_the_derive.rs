use opentool::enum_names;

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[enum_names]
enum Unit {
    Celsius,
}

#[enum_names]
#[derive(serde::Deserialize, schemars::JsonSchema)]
enum Nothing {}

#[enum_names]
#[derive(serde::Deserialize, schemars::JsonSchema)]
enum Either<T> {
    One(T),
}

#[enum_names]
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    city: String,
}

fn main() {}
