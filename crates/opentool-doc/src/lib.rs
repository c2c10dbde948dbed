//! The OpenTool document: types, parse, print, lint, and conversion to tool definitions and back.
//!
//! OpenTool is a JSON document that describes functions. [`parse()`] reads one (JSON or YAML, versions 1.0.0, 1.1.0 and
//! the streaming 2.0.0) and says everything that is wrong with it, each thing with its line; [`Document::print`] writes
//! it back without losing what it does not know.
//!
//! [`Document::definitions`] turns its functions into tool definitions, exactly; [`Export`] turns tools of any origin into
//! a document, and lists what the format cannot hold.
//!
//! Pure: nothing here reads a file or a socket, and nothing runs a function.

mod document;
mod error;
mod export;
mod extra;
mod function;
mod import;
mod lint;
mod members;
mod parse;
mod print;
mod read;
mod reference;
mod schema;
mod target_version;
mod version;
mod words;

pub use document::{Document, Info, Server};
pub use error::DocError;
pub use export::{Export, Exported, Loss};
pub use extra::Extra;
pub use function::{Function, Parameter, Return};
pub use lint::{RULES, Rule};
pub use parse::{Parsed, lint, parse};
pub use schema::{Schema, SchemaType};
pub use version::{UnknownVersion, Version};
