//! Definitions as other parties write them: one file a format, always the same parts.
//!
//! `lower` writes a definition, `raise` reads one. Schemas pass through untouched, their order kept. Rules that a
//! provider has about names and schemas are not applied here: what leaves is what came in.

pub(crate) mod anthropic;
pub(crate) mod listing;
pub(crate) mod mcp;
pub(crate) mod openai;
pub(crate) mod raised;

use std::fmt;
use std::str::FromStr;

use opentool_core::{ToolDefinition, ToolSet};
use serde_json::Value;

use crate::nearest::nearest;
use crate::text::shorten;

/// A format of tool definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI Chat Completions: `[{"type":"function","function":{"name","description","parameters"}}]`.
    OpenAi,
    /// Anthropic Messages: `[{"name","description","input_schema"}]`.
    Anthropic,
    /// MCP `tools/list`: `[{"name","title"?,"description","inputSchema","outputSchema"?,"annotations"?}]`.
    Mcp,
}

impl Dialect {
    /// All dialects, in the order in which they are named to people.
    pub fn all() -> &'static [Self] {
        &[Self::OpenAi, Self::Anthropic, Self::Mcp]
    }

    /// The name by which [`FromStr`] finds it: `openai`, `anthropic`, `mcp`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Mcp => "mcp",
        }
    }

    /// One definition in this dialect.
    pub fn definition(self, definition: &ToolDefinition) -> Value {
        match self {
            Self::OpenAi => openai::lower(definition),
            Self::Anthropic => anthropic::lower(definition),
            Self::Mcp => mcp::lower(definition),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        let dialect = Self::all().iter().copied().find(|dialect| dialect.name().eq_ignore_ascii_case(name));
        dialect.ok_or_else(|| UnknownDialect {
            name: shorten(name, 60),
            nearest: nearest(name, Self::all().iter().map(|dialect| dialect.name())),
        })
    }
}

/// No dialect of this name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownDialect {
    /// The name that was asked for, shortened.
    pub name: String,
    /// The one that looks like it.
    pub nearest: Option<&'static str>,
}

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no dialect `{}`", self.name)?;
        match self.nearest {
            Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
            None => {
                let names: Vec<&str> = Dialect::all().iter().map(|dialect| dialect.name()).collect();
                write!(f, "; there are {}", names.join(", "))
            }
        }
    }
}

impl std::error::Error for UnknownDialect {}

/// The definitions of the tools in a dialect, in the order of the set: an array.
pub fn export(tools: &ToolSet, dialect: Dialect) -> Value {
    tools.definitions().map(|definition| dialect.definition(definition)).collect()
}

/// The definitions with what other hosts need as well, in the order of the set: an array of
/// `{name, title?, description, inputSchema, outputSchema?, annotations?, tags?, source}`.
///
/// `source` says where a tool came from, in words. [`crate::parse_definitions`] reads it.
pub fn list(tools: &ToolSet) -> Value {
    tools.definitions().map(list_entry).collect()
}

/// One entry of [`list`].
pub fn list_entry(definition: &ToolDefinition) -> Value {
    listing::lower(definition)
}
