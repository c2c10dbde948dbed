//! What a definition said and the format cannot hold.

use std::fmt;

use opentool_core::Diagnostic;
use serde::Serialize;

/// One thing that was lost, or changed, on the way from a tool definition to a function.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Loss {
    /// The name of the tool; empty for the whole document.
    pub tool: String,
    /// The JSON Pointer of what was lost, in the definition as it is listed: `/inputSchema/properties/days/minimum`.
    pub pointer: String,
    /// The keyword or member: `minimum`.
    pub keyword: String,
    /// What was done instead.
    pub message: String,
}

impl Loss {
    /// The same as a warning; its pointer begins with the tool's name.
    pub fn diagnostic(&self) -> Diagnostic {
        let pointer = if self.tool.is_empty() {
            self.pointer.clone()
        } else {
            opentool_text::pointer::join("", &self.tool) + &self.pointer
        };
        Diagnostic::warning("not-held", pointer, &self.message)
    }
}

/// One line: `get_weather /inputSchema/properties/days/minimum: …`.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}{}: {}",
            self.tool,
            if self.tool.is_empty() { "" } else { " " },
            self.pointer,
            self.message
        )
    }
}
