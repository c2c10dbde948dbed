//! Where in a value the definitions are.

use serde_json::Value;

use crate::text::{found, shorten};

/// Why a value holds no definitions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionsError {
    /// It is something else.
    #[error(
        "not a list of tool definitions, but {found}; expected an array of definitions (OpenAI's, Anthropic's, \
         MCP's, or what `opentool list --json` prints), or an object with the key `tools`"
    )]
    NotDefinitions {
        /// What was there, in words.
        found: Box<str>,
    },
    /// The member that should hold the list holds something else.
    #[error("`{key}` is {found}, and should be a list of tool definitions")]
    NotAList {
        /// The member, such as `tools`.
        key: &'static str,
        /// What was there, in words.
        found: Box<str>,
    },
    /// It is a JSON-RPC answer that carries an error instead of tools.
    #[error("the answer to `tools/list` is an error: {message}")]
    ErrorAnswer {
        /// What the server said, shortened.
        message: Box<str>,
    },
}

/// The entries, and the JSON Pointer of the array that holds them.
pub(super) fn entries(value: &Value) -> Result<(&[Value], &'static str), DefinitionsError> {
    if let Some(message) = value.pointer("/error/message").and_then(Value::as_str) {
        return Err(DefinitionsError::ErrorAnswer { message: shorten(message, 200).into() });
    }
    // An OpenTool document holds `functions` of its own kind.
    let functions = if value.get("opentool").is_some() { "" } else { "/functions" };
    for pointer in ["", "/tools", "/result/tools", functions] {
        if let Some(Value::Array(entries)) = value.pointer(pointer) {
            return Ok((entries, pointer));
        }
    }
    let single = ["function", "inputSchema", "input_schema", "parameters"];
    let named = value.get("name").is_some() || value.get("function").is_some();
    if named && single.iter().any(|key| value.get(key).is_some()) {
        return Ok((std::slice::from_ref(value), ""));
    }
    for key in ["tools", "result/tools", "functions"] {
        if let Some(other) = value.pointer(&format!("/{key}")).filter(|other| !other.is_array()) {
            return Err(DefinitionsError::NotAList { key, found: found(other).into() });
        }
    }
    Err(DefinitionsError::NotDefinitions { found: found(value).into() })
}
