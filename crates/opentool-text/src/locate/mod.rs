//! Lines and columns of JSON Pointers, found again in the text.
//!
//! Values do not carry positions: a document has a million nodes and a handful of faults. When there are faults, the
//! text is walked once more and the places of the wanted pointers are noted. A pointer that is not found (it leads
//! through an alias or a merge, or to a member that is missing) has the place of the nearest thing above it that is.

mod json;
mod yaml;

use std::collections::HashMap;

use opentool_core::Location;

pub(crate) use json::locations;

use crate::{Notation, pointer};

/// Which place of a member is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spot<'p> {
    /// The key of the member at this pointer: its name, or that it is there at all. An item of a list and the whole
    /// document have no key; their values stand for it.
    Key(&'p str),
    /// The value at this pointer.
    Value(&'p str),
}

impl<'p> Spot<'p> {
    /// The pointer.
    pub fn pointer(self) -> &'p str {
        match self {
            Self::Key(pointer) | Self::Value(pointer) => pointer,
        }
    }
}

/// The places of these spots in the text, in their order. The text must be one that was read before.
pub fn locate<'p>(
    text: &str,
    notation: Notation,
    spots: impl IntoIterator<Item = Spot<'p>>,
) -> Vec<Option<Location>> {
    let mut wanted = Wanted::default();
    let spots: Vec<Spot<'_>> = spots.into_iter().collect();
    if spots.is_empty() {
        return Vec::new();
    }
    for spot in &spots {
        wanted.add(spot.pointer());
    }
    match notation {
        Notation::Json => json::walk(text, &mut wanted),
        Notation::Yaml => yaml::walk(text, &mut wanted),
    }
    spots.iter().map(|spot| wanted.nearest(*spot)).collect()
}

#[derive(Debug, Clone, Copy, Default)]
enum Place {
    #[default]
    Unknown,
    Byte(usize),
    Known(Location),
}

impl Place {
    fn location(self) -> Option<Location> {
        match self {
            Self::Known(location) => Some(location),
            Self::Unknown | Self::Byte(_) => None,
        }
    }
}

/// The wanted pointers as a tree.
#[derive(Debug, Default)]
struct Wanted {
    key: Place,
    value: Place,
    members: HashMap<String, Wanted>,
}

impl Wanted {
    fn add(&mut self, pointer: &str) {
        let mut node = self;
        for name in pointer::names(pointer) {
            // Most findings share the way to them.
            if !node.members.contains_key(&*name) {
                node.members.insert(name.to_string(), Self::default());
            }
            let Some(next) = node.members.get_mut(&*name) else { return };
            node = next;
        }
    }

    fn nearest(&self, spot: Spot<'_>) -> Option<Location> {
        let mut node = self;
        let mut nearest = node.key.location();
        for name in pointer::names(spot.pointer()) {
            match node.members.get(&*name) {
                Some(next) if next.key.location().is_some() => node = next,
                _ => return nearest,
            }
            nearest = node.key.location();
        }
        match spot {
            Spot::Key(_) => nearest,
            Spot::Value(_) => node.value.location().or(nearest),
        }
    }

    /// Goes over every place.
    fn places(&mut self, visit: &mut impl FnMut(&mut Place)) {
        visit(&mut self.key);
        visit(&mut self.value);
        for member in self.members.values_mut() {
            member.places(visit);
        }
    }

    /// Of equal keys the last one counts: what was found inside the first is not there.
    fn forget(&mut self) {
        if !matches!(self.key, Place::Unknown) {
            self.places(&mut |place| *place = Place::Unknown);
        }
    }
}
