//! What a host keeps beside an output: mostly nothing, which takes one word.

use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// Named values for the host, never sent to a model. It is used like the map that it stands for.
///
/// ```
/// # use opentool_core::ToolOutput;
/// let output = ToolOutput::text("done").metadata("http.status", 200);
/// assert_eq!(output.metadata["http.status"], 200);
/// assert!(ToolOutput::text("done").metadata.is_empty());
/// ```
#[derive(Clone, Default)]
pub struct Metadata(Option<Box<Map<String, Value>>>);

impl Metadata {
    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|values| values.is_empty())
    }

    /// The values as a map.
    pub fn into_map(self) -> Map<String, Value> {
        self.0.map(|values| *values).unwrap_or_default()
    }
}

impl Deref for Metadata {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        self.0.as_deref().unwrap_or(&NOTHING)
    }
}

impl DerefMut for Metadata {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.get_or_insert_default()
    }
}

impl From<Map<String, Value>> for Metadata {
    fn from(values: Map<String, Value>) -> Self {
        Self((!values.is_empty()).then(|| Box::new(values)))
    }
}

impl PartialEq for Metadata {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl std::fmt::Debug for Metadata {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self::from)
    }
}
