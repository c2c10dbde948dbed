//! What `#[tool]` and `tools!` expand to. Not part of the public interface: it changes without notice.
//!
//! The expansions stay small and call into here, so that what a tool does is ordinary, tested code. Types of
//! users that do not fit are reported by traits with a message of their own (`argument`, `returned`): each has
//! an inherent method for types that fit, which wins over a trait method for those that do not.

mod argument;
mod default;
mod describe;
mod input;
mod names;
mod reader;
mod returned;
mod stateful;
mod straight;

pub use std::sync::{Arc, OnceLock};

pub use crate::enum_names::{EnumNames, mark_names};
#[cfg(feature = "register")]
pub use crate::registry::Registered;
pub use argument::{Argument, NoDefault, NoSchema, NotReadable, NotWritable};
pub use default::{DefaultFor, default_for};
pub use describe::describe;
pub use input::{Input, Property};
#[cfg(feature = "register")]
pub use inventory;
pub use names::{Named, NamedTool, assert_distinct, set_of};
pub use reader::Reader;
pub use returned::{NotAnError, NotReturnable, PlainReturn, ResultReturn, Returned};
pub use schemars;
pub use serde;
pub use serde_json;
pub use stateful::{PutAllMethodsIntoOneToolImplBlock, SharedState, assert_send_and_sync, assert_shared};
pub use straight::{NotStraight, Straight};

pub use crate::tool::Started;
pub use crate::{
    Annotations, Arguments, BoxFuture, Origin, Schema, Tool, ToolContext, ToolDefinition, ToolError,
    ToolOutput, ToolSet,
};
