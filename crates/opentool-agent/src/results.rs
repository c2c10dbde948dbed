//! What becomes of a tool's output before it is a result: hidden characters written out, and cut at a size.
//!
//! What a tool returns is hostile if it came from elsewhere: text that no reader sees can instruct a model, and fifty
//! megabytes end a conversation. Why a call failed is such an output too. It deliberately judges no meaning.

use std::borrow::Cow;

use opentool_core::{Content, ToolDefinition, ToolOutput};
use opentool_text::printable;
use serde_json::json;

/// How many bytes of a result the model gets if nobody says otherwise.
pub(crate) const RESULT_LIMIT: usize = 256 * 1024;
/// Pictures and sounds are larger than texts, and count as less for a model.
const MEDIA: usize = 64;
/// What each block costs beside its bytes, but for the first: its brackets on the wire, and its place in the conversation.
const BLOCK: usize = 64;

/// Whose words an output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// The host's.
    Own,
    /// Those of strangers: a service, a server.
    Imported,
}

impl Words {
    /// Whose words a tool answers with.
    pub(crate) fn of(tool: Option<&ToolDefinition>) -> Self {
        match tool.map(|tool| tool.origin.kind.as_str()) {
            None | Some("" | "rust") => Self::Own,
            Some(_) => Self::Imported,
        }
    }
}

/// The output as a model may read it: of every call, whether it went well or not.
pub(crate) fn fit(output: ToolOutput, words: Words, limit: Option<usize>) -> ToolOutput {
    let output = match words {
        Words::Imported => visible(output),
        Words::Own => output,
    };
    match limit {
        Some(limit) => bounded(output, limit),
        None => output,
    }
}

/// The output without hidden characters. The structured value stays for programs; a model then reads the text.
fn visible(mut output: ToolOutput) -> ToolOutput {
    if output.content.is_empty()
        && let Some(value) = &output.structured
        && let Ok(text) = serde_json::to_string(value)
        && let Cow::Owned(shown) = shown(&text)
    {
        output.content.push(Content::Text(shown));
    }
    for block in &mut output.content {
        let texts = match block {
            Content::Json(value) => {
                if let Cow::Owned(shown) = shown(&value.to_string()) {
                    *block = Content::Text(shown);
                }
                continue;
            }
            Content::Text(text) => [Some(text), None, None],
            Content::Image { mime, .. } | Content::Audio { mime, .. } => [Some(mime), None, None],
            Content::TextResource { uri, mime, text } => [Some(uri), mime.as_mut(), Some(text)],
            Content::BlobResource { uri, mime, .. } => [Some(uri), mime.as_mut(), None],
            Content::ResourceLink { uri, name, mime } => [Some(uri), mime.as_mut(), Some(name)],
            _ => continue,
        };
        for text in texts.into_iter().flatten() {
            if let Cow::Owned(shown) = shown(text) {
                *text = shown;
            }
        }
    }
    output
}

/// A stranger's text without what no reader sees and a model reads: it can hold a whole sentence. JSON stays JSON, because
/// nothing is put in where JSON may have a character; controls that it may not have (`ESC`) are written out.
///
/// What scripts and pictures need stays: marks of direction, soft hyphens, joiners and selectors that stand alone behind
/// what they can change, and the flags that are spelt with tags.
fn shown(text: &str) -> Cow<'_, str> {
    /// The longest name of a flag, with its end: `gbsct` and the cancelling tag.
    const FLAG: u8 = 7;
    // Most texts hide nothing.
    if matches!(printable(text), Cow::Borrowed(_)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let (mut before, mut of_flag) = (' ', 0_u8);
    for c in text.chars() {
        of_flag = if is_tag_of_flag(c) { of_flag.saturating_sub(1) } else { 0 };
        match c {
            '\n' | '\t' => {}
            '\r' | '\u{7f}'..='\u{9f}' => continue,
            c if c.is_control() => {
                shown.extend(c.escape_unicode());
                before = c;
                continue;
            }
            '\u{200c}' | '\u{200d}' if before.is_ascii() || is_joiner(before) => continue,
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}'
                if is_selector(before) || (before.is_ascii() && !matches!(before, '0'..='9' | '#' | '*')) =>
            {
                continue;
            }
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {}
            '\u{1f3f4}' => of_flag = FLAG,
            c if is_tag_of_flag(c) && of_flag > 0 => {}
            '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}' => continue,
            _ => {}
        }
        shown.push(c);
        before = c;
    }
    if shown == text { Cow::Borrowed(text) } else { Cow::Owned(shown) }
}

/// A letter or digit of the name of a flag, or its end.
fn is_tag_of_flag(c: char) -> bool {
    matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}' | '\u{e007f}')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// The output, or its beginning with a notice.
fn bounded(mut output: ToolOutput, limit: usize) -> ToolOutput {
    let bytes = output.content.iter().map(weight).fold(0_usize, usize::saturating_add);
    let between = output.content.len().saturating_sub(1).saturating_mul(BLOCK);
    let structured = output.structured.as_ref().map_or(0, |value| json_size(value, limit));
    if bytes.saturating_add(between) <= limit && structured <= limit {
        return output;
    }
    let whole = if output.content.is_empty() { output.to_text().len() } else { bytes };
    let blocks = if output.content.is_empty() {
        vec![Content::Text(output.to_text())]
    } else {
        std::mem::take(&mut output.content)
    };
    let mut left = limit;
    let (mut shown, mut left_out) = (0_usize, 0_usize);
    for mut block in blocks {
        let cost = if output.content.is_empty() { 0 } else { BLOCK };
        let size = weight(&block);
        match left.checked_sub(cost) {
            Some(room) if size <= room => left = room.saturating_sub(size),
            // Half a picture, and half a JSON value, are none.
            Some(room) if room > 0 && shorten(&mut block, room) => left = 0,
            _ => {
                left_out = left_out.saturating_add(1);
                continue;
            }
        }
        shown = shown.saturating_add(weight(&block));
        output.content.push(block);
    }
    // A value that is too large to be read is too large to be carried through the conversation.
    output.structured = None;
    let parts = match left_out {
        0 => String::new(),
        1 => ", and 1 part is left out".to_owned(),
        more => format!(", and {more} parts are left out"),
    };
    output.content.push(Content::Text(format!(
        "[the result is cut: {shown} of {whole} bytes are shown{parts}; ask for less, or for a part]"
    )));
    output.metadata("result.shortened", json!({"bytes": whole, "shown": shown}))
}

/// Cuts the text of a block so that the block fits; says whether anything of it is left.
fn shorten(block: &mut Content, room: usize) -> bool {
    let around = weight(block);
    let (Content::Text(text) | Content::TextResource { text, .. }) = block else { return false };
    let Some(room) = room.checked_sub(around.saturating_sub(text.len())) else { return false };
    text.truncate(text.floor_char_boundary(room));
    text.shrink_to_fit();
    !text.is_empty()
}

/// What a block brings, in bytes: its text, its place and its type whole.
fn weight(block: &Content) -> usize {
    let sum = |bytes: &[usize]| bytes.iter().copied().fold(0_usize, usize::saturating_add);
    let length = |mime: &Option<String>| mime.as_ref().map_or(0, String::len);
    let media = |data: &[u8]| data.len().checked_div(MEDIA).unwrap_or_default();
    match block {
        Content::Text(text) => text.len(),
        Content::TextResource { uri, mime, text } => sum(&[uri.len(), length(mime), text.len()]),
        Content::Json(value) => json_size(value, usize::MAX),
        Content::Image { data, mime } | Content::Audio { data, mime } => sum(&[media(data), mime.len()]),
        Content::BlobResource { uri, mime, data } => sum(&[uri.len(), length(mime), media(data)]),
        Content::ResourceLink { uri, name, mime } => sum(&[uri.len(), name.len(), length(mime)]),
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
