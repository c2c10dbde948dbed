//! Documents as text: JSON and YAML to values, the places of their parts, and diagnostics shown with their line.
//!
//! Every reader of documents needs these, and readers may not import each other. Texts are taken to be hostile: depth
//! and expansion have limits, and what is shown of a text cannot drive a terminal.
//!
//! Values do not carry positions. A document is read into a plain [`serde_json::Value`] with its order kept; when there
//! is something to say about it, [`locate()`] finds the places of the few parts in question. Who keeps nothing of a document
//! reads it into a [`Tree`], which borrows its texts. Nothing here knows what a document means, and nothing reads a file.
//!
//! [`event_stream`] is here for the same reason: the OpenTool wire and the chat models both read Server-Sent Events, and
//! neither may import the other.

mod build;
mod decode;
pub mod event_stream;
mod flood;
mod json;
mod kind;
mod locate;
mod mended;
mod notation;
pub mod pointer;
mod read;
mod render;
mod tree;
mod yaml;

pub use decode::{Decoded, decode};
pub use flood::count_values;
pub use kind::kind;
pub use locate::{Spot, locate};
pub use notation::Notation;
pub use opentool_core::visible::{printable, printable_json, printable_line};
pub use pointer::Pointer;
pub use read::{Expected, Parsed, parse, parse_tree};
pub use render::{Renderer, render};
pub use tree::{Members, Tree};
