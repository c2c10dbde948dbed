//! Which operations become tools, and how they are told: by the host's configuration, and by marks in the document.
//!
//! Names are given before anything is chosen, so choosing less never renames the rest. A mark in a document can take an
//! operation away or make it look more dangerous; only the host can make it look safer.

mod apply;
mod budget;
mod config;
mod filter;
mod pattern;
mod read;
mod said;
mod words;

pub(crate) use apply::{Told, apply, unused};
pub(crate) use budget::cut_text;
pub use budget::{Budget, OutputSchemas};
pub use config::{ArgumentConfig, Config, Marked, OperationConfig};
pub use filter::Filter;
