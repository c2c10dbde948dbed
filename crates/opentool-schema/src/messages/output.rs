//! What an output says in a result message: text for all formats, files for those that have a place for them.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool_core::{Content, ToolOutput};

use super::{LEVELS, MessageFormat};
use crate::validator::within;

/// A piece of a result.
#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    /// Text that is not blank.
    Text(String),
    /// A file that the format takes.
    File {
        /// The media type, in lower case and without parameters.
        mime: &'static str,
        /// The bytes in base64.
        base64: String,
    },
}

/// Which files a format takes in a result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Files {
    /// Whose images ([`MessageFormat::image`]); PDF files too.
    pub(super) format: MessageFormat,
    /// The largest file in bytes: a larger one would make the provider refuse the conversation.
    pub(super) largest: usize,
}

/// The text of a result, for formats with a mark for errors. Never blank.
pub(super) fn text(output: &ToolOutput) -> String {
    let text = said(output);
    if !text.trim().is_empty() {
        text.into_owned()
    } else if output.is_error {
        "the tool failed and said nothing".to_owned()
    } else {
        "(no output)".to_owned()
    }
}

/// The text of a result, for formats without a mark for errors.
pub(super) fn marked_text(output: &ToolOutput) -> String {
    let text = text(output);
    if output.is_error { format!("Error: {text}") } else { text }
}

/// The result in pieces, in the order of its blocks; at least one. An error is one text: providers that take files
/// refuse them in errors.
pub(super) fn pieces(output: &ToolOutput, files: Files) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if !output.is_error {
        for block in &output.content {
            match file(block, files) {
                Some(file) => pieces.push(file),
                None => add_text(&mut pieces, &said(&block.clone().into())),
            }
        }
    }
    if pieces.is_empty() {
        pieces.push(Piece::Text(text(output)));
    }
    pieces
}

/// The files of a result.
pub(super) fn files(output: &ToolOutput, files: Files) -> Vec<Piece> {
    if output.is_error {
        return Vec::new();
    }
    output.content.iter().filter_map(|block| file(block, files)).collect()
}

/// Texts that follow each other are one.
fn add_text(pieces: &mut Vec<Piece>, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    match pieces.last_mut() {
        Some(Piece::Text(before)) => {
            before.push('\n');
            before.push_str(text);
        }
        _ => pieces.push(Piece::Text(text.to_owned())),
    }
}

fn file(block: &Content, files: Files) -> Option<Piece> {
    let (data, mime) = match block {
        Content::Image { data, mime } => (data, mime),
        Content::BlobResource { data, mime: Some(mime), .. } => (data, mime),
        _ => return None,
    };
    let is_pdf =
        mime.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/pdf"));
    let mime = if is_pdf { "application/pdf" } else { files.format.image(mime)? };
    (!data.is_empty() && data.len() <= files.largest)
        .then(|| Piece::File { mime, base64: STANDARD.encode(data) })
}

/// [`ToolOutput::to_text`] for outputs of tools that build values without end.
fn said(output: &ToolOutput) -> Cow<'_, str> {
    let blocks = output.content.iter().filter_map(|block| match block {
        Content::Json(value) => Some(value),
        _ => None,
    });
    if blocks.chain(&output.structured).all(|value| within(value, LEVELS)) {
        Cow::Owned(output.to_text())
    } else {
        Cow::Borrowed("(a value that nests too deeply to be shown)")
    }
}
