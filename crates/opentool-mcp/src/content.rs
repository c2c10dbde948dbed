//! Content blocks in MCP's terms.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool_core::{Content, ToolOutput};
use rmcp::model::{ContentBlock, Resource, ResourceContents};

/// The block on the wire.
pub(crate) fn block(content: Content) -> ContentBlock {
    match content {
        Content::Text(text) => ContentBlock::text(text),
        Content::Json(value) => ContentBlock::text(value.to_string()),
        Content::Image { data, mime } => ContentBlock::image(STANDARD.encode(data), mime),
        Content::Audio { data, mime } => ContentBlock::audio(STANDARD.encode(data), mime),
        Content::TextResource { uri, mime, text } => {
            ContentBlock::resource(ResourceContents::TextResourceContents {
                uri,
                mime_type: mime,
                text,
                meta: None,
            })
        }
        Content::BlobResource { uri, mime, data } => {
            ContentBlock::resource(ResourceContents::BlobResourceContents {
                uri,
                mime_type: mime,
                blob: STANDARD.encode(data),
                meta: None,
            })
        }
        Content::ResourceLink { uri, name, mime } => {
            let mut link = Resource::new(uri, name);
            link.mime_type = mime;
            ContentBlock::resource_link(link)
        }
        // A kind of block that is newer than this crate is at least named.
        other => ContentBlock::text(ToolOutput::from(other).to_text()),
    }
}
