//! What a tool answers.

use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::{Metadata, ToolError};

/// The result of one call: blocks for the model, a structured value for programs, a mark for errors.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolOutput {
    /// What the model reads, in order. Empty where the structured value says it all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Content>,
    /// The result as a value, of the shape of the tool's output schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    /// The call failed; the content says why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// For the host only, never sent to a model: an HTTP status, headers, a cost.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

impl ToolOutput {
    /// An output without any block.
    pub fn new() -> Self {
        Self::default()
    }

    /// One text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new().block(Content::Text(text.into()))
    }

    /// A structured value, which is also what the model reads.
    #[inline]
    pub fn json(value: impl Into<Value>) -> Self {
        Self { structured: Some(value.into()), ..Self::default() }
    }

    /// A failure; the text is for the model.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// Adds a block.
    pub fn block(mut self, block: impl Into<Content>) -> Self {
        self.content.push(block.into());
        self
    }

    /// Sets the structured value.
    pub fn structured(mut self, value: impl Into<Value>) -> Self {
        self.structured = Some(value.into());
        self
    }

    /// Keeps a value for the host.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// All that a model can read as text: text and JSON blocks, or else the structured value, joined by line
    /// ends. Images, audio and resources are named, not shown.
    pub fn to_text(&self) -> String {
        if self.content.is_empty() {
            return match &self.structured {
                Some(Value::String(text)) => text.clone(),
                // Not by `Display`, whose formatting machinery costs more than the writing.
                Some(value) => serde_json::to_string(value).unwrap_or_default(),
                None => String::new(),
            };
        }
        let mut text = String::new();
        for (i, block) in self.content.iter().enumerate() {
            if i > 0 {
                text.push('\n');
            }
            block.write_text(&mut text);
        }
        text
    }
}

/// A failed call as a model sees it.
impl From<&ToolError> for ToolOutput {
    fn from(error: &ToolError) -> Self {
        Self::error(error.for_model())
    }
}

impl From<Content> for ToolOutput {
    fn from(block: Content) -> Self {
        Self::new().block(block)
    }
}

impl From<String> for ToolOutput {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&str> for ToolOutput {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<Value> for ToolOutput {
    fn from(value: Value) -> Self {
        Self::json(value)
    }
}

/// One block of content, in a message or in a tool's output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Content {
    /// Plain text.
    Text(String),
    /// A JSON value that is shown to the model as JSON.
    Json(Value),
    /// A picture.
    Image {
        /// The encoded picture.
        #[serde(with = "as_base64")]
        data: Bytes,
        /// Its media type: `image/png`.
        mime: String,
    },
    /// A sound.
    Audio {
        /// The encoded sound.
        #[serde(with = "as_base64")]
        data: Bytes,
        /// Its media type: `audio/wav`.
        mime: String,
    },
    /// A text resource with its address.
    TextResource {
        /// Its address.
        uri: String,
        /// Its media type, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime: Option<String>,
        /// Its text.
        text: String,
    },
    /// A binary resource with its address.
    BlobResource {
        /// Its address.
        uri: String,
        /// Its media type, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime: Option<String>,
        /// Its bytes.
        #[serde(with = "as_base64")]
        data: Bytes,
    },
    /// A resource that the reader can fetch by its address.
    ResourceLink {
        /// Its address.
        uri: String,
        /// Its name.
        name: String,
        /// Its media type, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime: Option<String>,
    },
}

impl Content {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A picture of the media type `mime`.
    pub fn image(data: impl Into<Bytes>, mime: impl Into<String>) -> Self {
        Self::Image { data: data.into(), mime: mime.into() }
    }

    /// A sound of the media type `mime`.
    pub fn audio(data: impl Into<Bytes>, mime: impl Into<String>) -> Self {
        Self::Audio { data: data.into(), mime: mime.into() }
    }

    fn write_text(&self, out: &mut String) {
        use std::fmt::Write as _;
        let result = match self {
            Self::Text(text) | Self::TextResource { text, .. } => out.write_str(text),
            Self::Json(value) => write!(out, "{value}"),
            Self::Image { data, mime } => write!(out, "[image {mime}, {} bytes]", data.len()),
            Self::Audio { data, mime } => write!(out, "[audio {mime}, {} bytes]", data.len()),
            Self::BlobResource { uri, data, .. } => write!(out, "[resource {uri}, {} bytes]", data.len()),
            Self::ResourceLink { uri, name, .. } => write!(out, "[resource {name}: {uri}]"),
        };
        debug_assert!(result.is_ok(), "writing to a String does not fail");
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// Bytes as standard base64 with padding.
mod as_base64 {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::Deserialize as _;

    use super::{Bytes, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Bytes::from).map_err(serde::de::Error::custom)
    }
}
