//! The arguments of a call as a person writes them: JSON, or `key=value` typed by the tool's input schema.

mod arguments;
mod typed;

pub(crate) use arguments::read;
