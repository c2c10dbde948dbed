//! JSON Schema work of `opentool`: validation of arguments, the checked call, definition formats.
//!
//! Pure: nothing here reads a file or a socket. The only thing it runs is the tool that it was asked to run.

mod call;
mod definitions;
mod validator;

pub use call::ToolSetExt;
pub use definitions::{DefinitionsError, Dialect, export, parse_definitions};
pub use validator::{SchemaError, Validator};
