//! The id of a call: a text by the specification, a number by some of its implementations.

use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The id of a call, as it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Id {
    /// What the specification says.
    Text(String),
    /// What some clients send: a number, in the very characters that it was written in. So it goes back.
    Number(String),
    /// None, or `null`.
    #[default]
    Absent,
}

impl Id {
    /// The id as a text; a number as its digits. `None` where there is none.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Number(number) => Some(number.clone()),
            Self::Absent => None,
        }
    }

    /// Whether this is the id that was sent as `text`, as a text or as a number. No id is nobody's.
    pub fn is(&self, text: &str) -> bool {
        match self {
            Self::Text(own) | Self::Number(own) => own == text,
            Self::Absent => false,
        }
    }

    /// Reads an id from JSON text; `None` if it is neither a text nor a number nor `null`.
    pub(crate) fn read(json: &str) -> Option<Self> {
        let json = json.trim_ascii();
        match json.bytes().next()? {
            b'"' => serde_json::from_str(json).ok().map(Self::Text),
            b'-' | b'0'..=b'9' => serde_json::from_str::<&RawValue>(json)
                .ok()
                .map(|number| Self::Number(number.get().to_owned())),
            _ => (json == "null").then_some(Self::Absent),
        }
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
            Self::Number(number) => {
                RawValue::from_string(number.clone()).map_err(S::Error::custom)?.serialize(serializer)
            }
            Self::Absent => serializer.serialize_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Id;

    #[test]
    fn a_number_goes_back_in_its_own_characters() {
        for number in ["7", "12345678901234567890123", "1e2", "-0", "1.50", "1e999"] {
            let id = Id::read(number).unwrap();
            assert_eq!(serde_json::to_string(&id).unwrap(), number);
            assert!(id.is(number));
        }
        assert_eq!(Id::read("null"), Some(Id::Absent));
        for wrong in ["[]", "{}", "true", "-", "1 2", "01", ""] {
            assert_eq!(Id::read(wrong), None, "{wrong}");
        }
    }
}
