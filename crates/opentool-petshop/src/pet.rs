//! Pets as they come in, as they change, and as the shop keeps them.
//!
//! The types mirror the schemas of the document; what a schema says beyond types (lengths, addresses) is
//! checked here, because not every client validates.

use axum::http::Uri;
use serde::{Deserialize, Serialize};

use crate::Date;
use crate::problem::Problem;

/// What kind of animal a pet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Species {
    Cat,
    Dog,
    Rabbit,
    Bird,
    Tortoise,
}

/// Where a pet stands between arriving and leaving.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Available,
    #[default]
    Pending,
    Sold,
}

impl Status {
    /// In the order of the document.
    pub(crate) const ALL: [Self; 3] = [Self::Available, Self::Pending, Self::Sold];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Pending => "pending",
            Self::Sold => "sold",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// A pet that comes into the shop.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct NewPet {
    pub(crate) name: String,
    pub(crate) species: Species,
    pub(crate) born: Option<Date>,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    #[serde(default)]
    pub(crate) photo_urls: Vec<String>,
    #[serde(default)]
    pub(crate) status: Status,
}

impl NewPet {
    pub(crate) fn check(&self) -> Result<(), Problem> {
        check_text("name", &self.name, 60)?;
        check_tags(&self.tags)?;
        check_photos(&self.photo_urls)
    }
}

/// What changes in the record of a pet.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct PetChange {
    name: Option<String>,
    species: Option<Species>,
    born: Option<Date>,
    tags: Option<Vec<String>>,
    photo_urls: Option<Vec<String>>,
    status: Option<Status>,
}

impl PetChange {
    pub(crate) fn check(&self) -> Result<(), Problem> {
        self.name.as_ref().map_or(Ok(()), |name| check_text("name", name, 60))?;
        self.tags.as_ref().map_or(Ok(()), |tags| check_tags(tags))?;
        self.photo_urls.as_ref().map_or(Ok(()), |photos| check_photos(photos))
    }

    pub(crate) fn apply(self, pet: &mut Pet) {
        replace(&mut pet.name, self.name);
        replace(&mut pet.species, self.species);
        replace(&mut pet.tags, self.tags);
        replace(&mut pet.photo_urls, self.photo_urls);
        replace(&mut pet.status, self.status);
        pet.born = self.born.or(pet.born);
    }
}

fn replace<T>(slot: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *slot = value;
    }
}

/// A pet of the shop, as every operation answers it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pet {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) species: Species,
    pub(crate) status: Status,
    /// Follows from the orders; filled in when a pet is shown.
    pub(crate) reserved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) born: Option<Date>,
    pub(crate) tags: Vec<String>,
    pub(crate) photo_urls: Vec<String>,
}

impl Pet {
    pub(crate) fn new(id: i64, pet: NewPet) -> Self {
        Self {
            id,
            name: pet.name,
            species: pet.species,
            status: pet.status,
            reserved: false,
            born: pet.born,
            tags: pet.tags,
            photo_urls: pet.photo_urls,
        }
    }
}

/// A text of one line that is not empty.
pub(crate) fn check_text(what: &str, text: &str, longest: usize) -> Result<(), Problem> {
    if text.trim().is_empty() {
        return Err(Problem::bad_request(format!("`{what}` must not be empty")));
    }
    if text.chars().count() > longest {
        return Err(Problem::bad_request(format!("`{what}` must have at most {longest} characters")));
    }
    if text.chars().any(char::is_control) {
        return Err(Problem::bad_request(format!(
            "`{what}` must not have control characters or line breaks"
        )));
    }
    Ok(())
}

const MOST: usize = 20;

fn check_tags(tags: &[String]) -> Result<(), Problem> {
    if tags.len() > MOST {
        return Err(Problem::bad_request(format!("`tags` must have at most {MOST} items")));
    }
    tags.iter().try_for_each(|tag| check_text("tags", tag, 40))
}

fn check_photos(photos: &[String]) -> Result<(), Problem> {
    if photos.len() > MOST {
        return Err(Problem::bad_request(format!("`photoUrls` must have at most {MOST} items")));
    }
    photos.iter().try_for_each(|photo| {
        check_text("photoUrls", photo, 500)?;
        let uri = photo.parse::<Uri>().ok();
        match uri.as_ref().map(Uri::scheme_str) {
            Some(Some("http" | "https")) => Ok(()),
            _ => {
                Err(Problem::bad_request("`photoUrls` must be addresses that begin with http:// or https://"))
            }
        }
    })
}
