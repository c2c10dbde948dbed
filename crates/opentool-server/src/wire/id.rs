//! The id of a call: a text by the specification, a number by some of its implementations.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Number;

/// The id of a call, as it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Id {
    /// What the specification says.
    Text(String),
    /// What some clients send. It goes back as a number.
    Number(Number),
    /// None, or `null`.
    #[default]
    Absent,
}

impl Id {
    /// The id as a text; a number as its digits. `None` where there is none.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Number(number) => Some(number.to_string()),
            Self::Absent => None,
        }
    }

    /// Whether this is the id that was sent as `text`, as a text or as a number. No id is nobody's.
    pub fn is(&self, text: &str) -> bool {
        match self {
            Self::Text(own) => own == text,
            Self::Number(number) => number.to_string() == text,
            Self::Absent => false,
        }
    }

    /// Reads an id from JSON text; `None` if it is neither a text nor a number nor `null`.
    pub(crate) fn read(json: &str) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Raw {
            Text(String),
            Number(Number),
            Null(()),
        }
        Some(match serde_json::from_str(json).ok()? {
            Raw::Text(text) => Self::Text(text),
            Raw::Number(number) => Self::Number(number),
            Raw::Null(()) => Self::Absent,
        })
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// As it was written; no id is `null`.
impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(number) => number.serialize(serializer),
            Self::Absent => serializer.serialize_none(),
        }
    }
}
