//! The two Rust functions that stand beside the imported API in the demo.

use opentool::tool;
use opentool_petshop::Date;
use serde::{Deserialize, Serialize};

/// The date of today (UTC), as YYYY-MM-DD.
#[tool(title = "Today's date", read_only)]
pub(super) fn today() -> String {
    Date::today().to_string()
}

/// The kinds of animals that the shop has, as its document names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Species {
    Cat,
    Dog,
    Rabbit,
    Bird,
    Tortoise,
}

/// What somebody pays for taking a pet home.
#[derive(Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(super) struct Fee {
    /// The amount in whole euros.
    euros: u32,
    /// How it came about.
    reason: String,
}

/// The fee for taking a pet home. Young animals cost more, because they still need their vaccinations.
#[tool(title = "Fee for taking a pet home", read_only, idempotent)]
pub(super) fn adoption_fee(
    /// What kind of animal it is.
    species: Species,
    /// Its age in whole months; leave it out where nobody knows.
    age_in_months: Option<u32>,
) -> Fee {
    let base = match species {
        Species::Dog => 180,
        Species::Cat => 110,
        Species::Tortoise => 90,
        Species::Rabbit | Species::Bird => 40,
    };
    match age_in_months {
        Some(0..12) => {
            Fee { euros: base + 25, reason: "25 of it for the vaccinations of the first year".to_owned() }
        }
        Some(96..) if species != Species::Tortoise => {
            Fee { euros: base / 2, reason: "half, because the animal is 8 years or older".to_owned() }
        }
        _ => Fee { euros: base, reason: "the regular fee".to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::{Species, adoption_fee};

    #[test]
    fn the_fee_depends_on_the_age() {
        let euros = |species, age| adoption_fee(species, age).euros;
        assert_eq!(euros(Species::Cat, Some(20)), 110);
        assert_eq!(euros(Species::Cat, Some(11)), 135);
        assert_eq!(euros(Species::Dog, Some(96)), 90);
        assert_eq!(euros(Species::Tortoise, Some(300)), 90);
        assert_eq!(euros(Species::Bird, None), 40);
    }
}
