//! What becomes of a tool's output before it is a result: hidden characters written out, and cut at a size.
//!
//! What a tool returns is hostile if it came from elsewhere: text that no reader sees can instruct a model, and fifty
//! megabytes end a conversation. It deliberately judges no meaning.

use std::borrow::Cow;

use opentool_core::{Content, ToolDefinition, ToolOutput};
use opentool_text::{printable, printable_json};
use serde_json::json;

/// How many bytes of a result the model gets if nobody says otherwise.
pub(crate) const RESULT_LIMIT: usize = 256 * 1024;
/// Pictures and sounds are larger than texts, and count as less for a model.
const MEDIA: usize = 64;

/// The output as a model may read it.
pub(crate) fn fit(output: ToolOutput, tool: Option<&ToolDefinition>, limit: Option<usize>) -> ToolOutput {
    let output = match tool {
        Some(tool) if is_imported(tool) => visible(output),
        _ => output,
    };
    match limit {
        Some(limit) => bounded(output, limit),
        None => output,
    }
}

/// Whether the tool answers with texts of strangers.
fn is_imported(tool: &ToolDefinition) -> bool {
    !matches!(tool.origin.kind.as_str(), "" | "rust")
}

/// The output with hidden characters written out. The structured value stays for programs; a model then reads the text.
fn visible(mut output: ToolOutput) -> ToolOutput {
    if output.content.is_empty()
        && let Some(value) = &output.structured
        && let Ok(text) = serde_json::to_string(value)
        && let Cow::Owned(shown) = printable_json(&text)
    {
        output.content.push(Content::Text(shown));
    }
    for block in &mut output.content {
        match block {
            Content::Text(text) | Content::TextResource { text, .. } => {
                if let Cow::Owned(shown) = printable(text) {
                    *text = shown;
                }
            }
            Content::Json(value) => {
                if let Cow::Owned(shown) = printable_json(&value.to_string()) {
                    *block = Content::Text(shown);
                }
            }
            Content::ResourceLink { uri, name, .. } => {
                for text in [uri, name] {
                    if let Cow::Owned(shown) = printable(text) {
                        *text = shown;
                    }
                }
            }
            _ => {}
        }
    }
    output
}

/// The output, or its beginning with a notice.
fn bounded(mut output: ToolOutput, limit: usize) -> ToolOutput {
    let bytes = output.content.iter().map(weight).sum::<usize>();
    let structured = output.structured.as_ref().map_or(0, |value| json_size(value, limit));
    if bytes <= limit && structured <= limit {
        return output;
    }
    let whole = if output.content.is_empty() { output.to_text().len() } else { bytes };
    let blocks = if output.content.is_empty() {
        vec![Content::Text(output.to_text())]
    } else {
        std::mem::take(&mut output.content)
    };
    let mut left = limit;
    let mut shown = 0_usize;
    for mut block in blocks {
        let size = weight(&block);
        if size <= left {
            left = left.saturating_sub(size);
        } else {
            let (Content::Text(text) | Content::TextResource { text, .. }) = &mut block else {
                // Half a picture, and half a JSON value, are none.
                block = Content::Text(format!("[{} bytes are left out here]", size));
                output.content.push(block);
                continue;
            };
            text.truncate(text.floor_char_boundary(left));
            text.shrink_to_fit();
            left = 0;
            if text.is_empty() {
                continue;
            }
        }
        shown = shown.saturating_add(weight(&block));
        output.content.push(block);
    }
    // A value that is too large to be read is too large to be carried through the conversation.
    output.structured = None;
    output.content.push(Content::Text(format!(
        "[the result is cut: {shown} of {whole} bytes are shown; ask for less, or for a part]"
    )));
    output.metadata("result.shortened", json!({"bytes": whole, "shown": shown}))
}

fn weight(block: &Content) -> usize {
    match block {
        Content::Text(text) | Content::TextResource { text, .. } => text.len(),
        Content::Json(value) => json_size(value, usize::MAX),
        Content::Image { data, .. } | Content::Audio { data, .. } | Content::BlobResource { data, .. } => {
            data.len().checked_div(MEDIA).unwrap_or_default()
        }
        Content::ResourceLink { uri, name, .. } => uri.len().saturating_add(name.len()),
        _ => 0,
    }
}

/// How long the value is as JSON, counted as far as the limit; nothing is written.
fn json_size(value: &serde_json::Value, limit: usize) -> usize {
    struct Count {
        bytes: usize,
        limit: usize,
    }
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.bytes = self.bytes.saturating_add(bytes.len());
            if self.bytes > self.limit {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count { bytes: 0, limit };
    // Only the limit makes this fail.
    let _ = serde_json::to_writer(&mut count, value);
    count.bytes
}
