//! Server-Sent Events, as far as our protocols need them: events with a name and a text.
//!
//! The decoder reads what the standard allows (and is the same for every split of the bytes); the encoder writes the
//! one form that every implementation reads. Ids and reconnecting are deliberately left out: a call is not made twice.

mod decoder;
mod encoder;

pub use decoder::{Decoder, EventTooLarge};
pub use encoder::frame;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its name; `message` where the stream gave none.
    pub name: String,
    /// Its text; lines are joined by `\n`.
    pub data: String,
}
