//! Conversations in files: what `/save` and `--save` write, and `--continue` reads.

use std::io;
use std::path::Path;

use opentool::Message;

use crate::error::CliError;
use crate::write::{self, Existing};

/// The messages of a conversation that was saved.
///
/// # Errors
/// [`CliError::Usage`].
pub(super) fn saved(file: &Path) -> Result<Vec<Message>, CliError> {
    let help = "`--continue` takes a file that `--save`, or `/save` in a chat, wrote";
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| CliError::usage(format!("{shown}: cannot be read: {error}"), help))?;
    serde_json::from_str(&text)
        .map_err(|error| CliError::usage(format!("{shown}: this is no saved conversation: {error}"), help))
}

/// Writes a conversation, for its owner alone if it makes the file.
///
/// # Errors
/// If the file is there and is to stay, or cannot be written.
pub(crate) fn save(file: &Path, messages: &[Message], existing: Existing) -> io::Result<()> {
    let text = serde_json::to_string_pretty(messages).map_err(io::Error::other)?;
    write::private(file, &text, existing)
}
