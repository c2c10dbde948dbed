//! What a person shows, as far as any provider can be shown it.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool_core::{Content, ToolOutput};

/// A block for a provider.
pub(super) enum Shown<'a> {
    Text(Cow<'a, str>),
    Image { mime: &'a str, base64: String },
    Audio { mime: &'a str, base64: String },
    Pdf { base64: String },
}

/// A block, by what it is. What no provider has a part for is described in words.
pub(super) fn shown(block: &Content) -> Shown<'_> {
    match block {
        Content::Text(text) => Shown::Text(text.into()),
        Content::Image { data, mime } => Shown::Image { mime, base64: STANDARD.encode(data) },
        Content::Audio { data, mime } => Shown::Audio { mime, base64: STANDARD.encode(data) },
        Content::BlobResource { data, mime: Some(mime), .. } if mime.starts_with("image/") => {
            Shown::Image { mime, base64: STANDARD.encode(data) }
        }
        Content::BlobResource { data, mime: Some(mime), .. } if mime == "application/pdf" => {
            Shown::Pdf { base64: STANDARD.encode(data) }
        }
        Content::TextResource { uri, text, .. } => Shown::Text(format!("{uri}:\n{text}").into()),
        _ => Shown::Text(described(block).into()),
    }
}

/// A block in words.
pub(super) fn described(block: &Content) -> String {
    ToolOutput::from(block.clone()).to_text()
}

/// A file as a `data:` address.
pub(super) fn data_url(mime: &str, base64: &str) -> String {
    format!("data:{mime};base64,{base64}")
}
