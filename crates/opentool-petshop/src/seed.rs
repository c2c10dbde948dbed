//! The pets that are in every shop when it opens, always the same.

use crate::pet::Species::{Bird, Cat, Dog, Rabbit, Tortoise};
use crate::pet::Status::{Available, Pending, Sold};
use crate::pet::{NewPet, Species, Status};
use crate::shelf::Shelf;

type Row = (&'static str, Species, Status, &'static str, &'static [&'static str]);

const PETS: [Row; 8] = [
    ("Biscuit", Dog, Available, "2022-06-01", &["playful", "good-with-children"]),
    ("Miso", Cat, Pending, "2025-03-14", &["quiet", "good-with-children"]),
    ("Clover", Rabbit, Available, "2025-09-02", &["quiet"]),
    ("Hugo", Dog, Sold, "2019-11-23", &["calm"]),
    ("Pepper", Bird, Pending, "2024-05-30", &["talkative"]),
    ("Olive", Tortoise, Available, "1998-07-07", &["quiet", "calm"]),
    ("Juniper", Cat, Available, "2026-01-19", &["playful"]),
    ("Ziggy", Bird, Sold, "2023-02-11", &["talkative", "playful"]),
];

/// A shop on the first morning.
pub(crate) fn shelf() -> Shelf {
    let mut shelf = Shelf::default();
    for (number, (name, species, status, born, tags)) in (1..).zip(PETS) {
        let added = shelf.add_pet(NewPet {
            name: name.to_owned(),
            species,
            born: born.parse().ok(),
            tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
            photo_urls: vec![format!("https://photos.pet-shop.example/{number}.jpg")],
            status,
        });
        debug_assert!(added.is_ok(), "the table follows the shop's own rules");
    }
    shelf
}
