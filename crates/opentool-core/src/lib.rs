//! The tool model of `opentool`: what a tool is, what it is told, what it answers, and how it fails.
//!
//! Everything else is built on these types: sources make [`Tool`]s, exits read their
//! [`ToolDefinition`]s, the loop runs them. The crate holds no I/O, no async runtime, no protocol and no
//! provider, so that a tool written against it can be used by all of them.
//!
//! One public trait, [`Tool`], is object safe and has two methods. Typing belongs to the macros and to
//! [`tool_fn`]; layers ([`Layer`]) wrap a tool in another tool. A call is made through
//! `opentool_schema::ToolSetExt::call`, which validates the arguments first.

mod annotations;
mod arguments;
mod cancel;
mod context;
mod definition;
mod diagnostic;
mod enum_names;
mod error;
mod message;
mod metadata;
mod model;
mod namespace;
mod output;
mod problem;
mod redefined;
#[cfg(feature = "register")]
mod registry;
mod replay;
mod reply_stream;
mod schema;
mod set;
mod set_enum;
mod source;
mod time;
mod tool;
mod tool_choice;
mod tools_macro;
mod typed;
pub mod visible;

#[doc(hidden)]
pub mod __private;

pub use annotations::Annotations;
pub use arguments::{Arguments, ToolCall};
pub use cancel::{Cancellation, Cancelled};
pub use context::{EventSink, MissingContext, Need, Progress, ToolContext, ToolEvent};
pub use definition::{Origin, ToolDefinition};
pub use diagnostic::{Diagnostic, Location, Severity};
pub use error::{BoxError, Failure, InvalidArguments, ToolError, UnknownTool, Upstream};
pub use message::{AssistantMessage, Message, ToolResult};
pub use metadata::Metadata;
pub use model::{ChatModel, ChatReply, ChatRequest, ModelError, StopReason, Usage};
pub use output::{Content, ToolOutput};
pub use problem::Problem;
pub use redefined::Redefined;
pub use replay::Replay;
pub use reply_stream::{ReplyEvent, ReplyStream};
pub use schema::Schema;
pub use set::{NameClash, ToolSet};
pub use set_enum::EnumError;
pub use source::{LiveTools, ToolSource};
pub use time::in_units;
pub use tool::{BoxFuture, Layer, Tool, tool_fn};
pub use tool_choice::{ParallelCalls, Strict, ToolChoice};
pub use typed::ToolReturn;
