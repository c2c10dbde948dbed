//! Definitions as other parties write them: providers' formats out, files of definitions in.

use opentool_core::ToolSet;
use serde_json::Value;

/// A format of tool definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI Chat Completions: `[{"type":"function","function":{..}}]`.
    OpenAi,
    /// Anthropic Messages: `[{"name","description","input_schema"}]`.
    Anthropic,
    /// MCP `tools/list`: `[{"name","description","inputSchema",..}]`.
    Mcp,
}

/// Why a value is not a list of definitions.
#[derive(Debug, Clone, thiserror::Error)]
#[error("not a list of tool definitions: {0}")]
pub struct DefinitionsError(String);

/// The definitions of the tools in a dialect.
pub fn export(_tools: &ToolSet, _dialect: Dialect) -> Value {
    Value::Null
}

/// Tools that are known by their definitions only: they can be listed and exported, and refuse to run.
///
/// # Errors
/// [`DefinitionsError`].
pub fn parse_definitions(_value: &Value) -> Result<ToolSet, DefinitionsError> {
    Err(DefinitionsError(String::new()))
}
