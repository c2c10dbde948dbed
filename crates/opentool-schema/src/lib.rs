//! JSON Schema work of `opentool`: validation of arguments, the checked call, definition formats.
//!
//! Pure: nothing here reads a file or a socket, and [`profile::save`] alone writes one. The only thing it runs is the
//! tool that it was asked to run.
//! Schemas, arguments and definitions are all taken to be hostile: every function here comes back, within bounds
//! that it names.

mod call;
mod calling;
mod change;
mod coerce;
mod definitions;
mod dialect;
mod error;
mod exact;
mod example;
mod explain;
mod guard;
mod halves;
mod intake;
mod keywords;
mod messages;
mod names;
mod nearest;
pub mod profile;
mod read;
mod refs;
mod repair;
mod repairs;
mod text;
mod text_calls;
mod validator;

/// For `opentool-agent`: panics of others' code become values in one place, and so do numbers that nothing holds.
#[doc(hidden)]
pub mod __private {
    pub use crate::exact::with_zeros;
    pub use crate::guard::panicked;
    pub use crate::halves::{escape, with_whole_characters};
    pub use crate::messages::{deep, exact_event};
}

pub use call::ToolSetExt;
pub use change::{Change, Stage};
pub use definitions::{DefinitionsError, ParsedDefinitions, parse_definitions};
pub use dialect::{
    Decoder, Dialect, Effect, Finding, LowerError, LowerOptions, Lowered, LoweredSet, NameMap, Refused,
    Rewrite, Strict, Strictness, UnknownDialect, export, lint, lint_request, list, list_entry, lower,
    lower_all,
};
pub use error::SchemaError;
pub use exact::{holds_all, inexact_number};
pub use example::{Examples, Look, Optional};
pub use intake::{Examined, problem_code};
pub use messages::{
    CallIds, MessageError, MessageFormat, ParsedCalls, Reply, parse_calls, parse_calls_of, write_calls,
    write_results,
};
pub use names::resolve_name;
pub use repairs::{RepairPolicy, Repairs};
pub use text_calls::{TextCall, TextCalls, parse_text_calls, parse_text_calls_of};
pub use validator::Validator;
