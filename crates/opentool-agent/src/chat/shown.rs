//! What a person shows, as far as any provider can be shown it.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool_core::{Content, ToolOutput};
use opentool_schema::MessageFormat;

/// A block for a provider.
pub(super) enum Shown<'a> {
    Text(Cow<'a, str>),
    Image { mime: &'a str, base64: String },
    Audio { mime: &'a str, base64: String },
    Pdf { base64: String },
}

/// A block, by what it is. What the provider has no part for is described in words.
pub(super) fn shown(block: &Content, format: MessageFormat) -> Shown<'_> {
    if let Some((mime, data)) = image(block, format) {
        return Shown::Image { mime, base64: STANDARD.encode(data) };
    }
    match block {
        Content::Text(text) => Shown::Text(text.into()),
        Content::Audio { data, mime } => Shown::Audio { mime, base64: STANDARD.encode(data) },
        Content::BlobResource { data, mime: Some(mime), .. } if mime == "application/pdf" => {
            Shown::Pdf { base64: STANDARD.encode(data) }
        }
        Content::TextResource { uri, text, .. } => Shown::Text(format!("{uri}:\n{text}").into()),
        _ => Shown::Text(described(block).into()),
    }
}

/// An image of a type that the provider takes.
pub(super) fn image(block: &Content, format: MessageFormat) -> Option<(&'static str, &[u8])> {
    let (Content::Image { data, mime } | Content::BlobResource { data, mime: Some(mime), .. }) = block else {
        return None;
    };
    // Gemini takes photographs of phones from people, but not in results, which are not written here.
    let photograph =
        || ["image/heic", "image/heif"].into_iter().find(|known| known.eq_ignore_ascii_case(mime));
    let mime = match format {
        MessageFormat::Gemini => format.image(mime).or_else(photograph)?,
        format => format.image(mime)?,
    };
    Some((mime, data))
}

/// A block in words.
pub(super) fn described(block: &Content) -> String {
    ToolOutput::from(block.clone()).to_text()
}

/// A file as a `data:` address.
pub(super) fn data_url(mime: &str, base64: &str) -> String {
    format!("data:{mime};base64,{base64}")
}
