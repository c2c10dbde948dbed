use opentool::tool;

use std::borrow::Cow;

/// Greets.
#[tool]
fn greet(name: Cow<'_, str>) -> String {
    name.into_owned()
}

fn main() {}
