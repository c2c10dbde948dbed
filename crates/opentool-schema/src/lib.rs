//! JSON Schema work of `opentool`: validation of arguments, the checked call, definition formats.
//!
//! Pure: nothing here reads a file or a socket. The only thing it runs is the tool that it was asked to run.
//! Schemas, arguments and definitions are all taken to be hostile: every function here comes back, within bounds
//! that it names.

mod call;
mod definitions;
mod dialect;
mod error;
mod explain;
mod guard;
mod keywords;
mod nearest;
mod read;
mod refs;
mod text;
mod validator;

pub use call::ToolSetExt;
pub use definitions::{DefinitionsError, ParsedDefinitions, parse_definitions};
pub use dialect::{Dialect, UnknownDialect, export, list, list_entry};
pub use error::SchemaError;
pub use validator::Validator;
