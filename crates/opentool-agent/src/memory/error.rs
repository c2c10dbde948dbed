//! Why a memory could not be read or written.

use opentool_core::BoxError;

/// Why a memory could not be read or written, by what the caller can do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The store cannot be reached, or is busy: later it may work.
    #[error("the memory cannot be reached: {message}")]
    Unavailable {
        /// What happened, without addresses and passwords.
        message: Box<str>,
        /// The cause.
        #[source]
        source: Option<BoxError>,
    },
    /// Somebody else wrote to the conversation meanwhile. Load it and decide anew; nothing was written.
    #[error("the conversation was changed meanwhile: it has {found} messages and not {expected}")]
    Conflict {
        /// How many messages the writer had seen.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// What is stored is no message that this version can read.
    #[error("message {number} of the conversation cannot be read: {source}")]
    Unreadable {
        /// Its number, from 1.
        number: usize,
        /// Why not.
        source: Box<serde_json::Error>,
    },
    /// A message cannot be written as JSON.
    #[error("a message cannot be stored: {0}")]
    Unwritable(#[source] Box<serde_json::Error>),
}

impl MemoryError {
    #[cfg(any(feature = "sqlite", feature = "redis"))]
    pub(super) fn unavailable(message: impl Into<Box<str>>, source: impl Into<BoxError>) -> Self {
        Self::Unavailable { message: message.into(), source: Some(source.into()) }
    }
}

/// Messages as texts, for stores of texts.
#[cfg(any(feature = "sqlite", feature = "redis"))]
pub(super) fn write(messages: &[opentool_core::Message]) -> Result<Vec<String>, MemoryError> {
    let text = |message| serde_json::to_string(message);
    messages
        .iter()
        .map(text)
        .collect::<Result<_, _>>()
        .map_err(|error| MemoryError::Unwritable(Box::new(error)))
}

/// Messages from the texts of a store.
#[cfg(any(feature = "sqlite", feature = "redis"))]
pub(super) fn read(
    texts: impl IntoIterator<Item = String>,
) -> Result<Vec<opentool_core::Message>, MemoryError> {
    let mut messages = Vec::new();
    for (index, text) in texts.into_iter().enumerate() {
        let message = serde_json::from_str(&text).map_err(|error| MemoryError::Unreadable {
            number: index.saturating_add(1),
            source: Box::new(error),
        })?;
        messages.push(message);
    }
    Ok(messages)
}
