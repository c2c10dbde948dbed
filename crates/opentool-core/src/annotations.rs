//! Hints about a tool's behaviour, with the meaning that MCP gives them.
//!
//! They are hints: a host decides from them what to ask a person about, never what is safe by itself.

use serde::{Deserialize, Serialize};

/// What a tool does to the world, as far as its author says. `None` means "not said".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Annotations {
    /// The tool changes nothing.
    #[serde(rename = "readOnlyHint", skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// The tool may destroy or overwrite something. Meaningful only when it is not read-only.
    #[serde(rename = "destructiveHint", skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// A second call with the same arguments changes nothing more.
    #[serde(rename = "idempotentHint", skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// The tool talks to things outside the host's control (the web, a third party).
    #[serde(rename = "openWorldHint", skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl Annotations {
    /// Nothing said.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says whether the tool changes nothing.
    pub fn read_only(mut self, yes: bool) -> Self {
        self.read_only = Some(yes);
        self
    }

    /// Says whether the tool may destroy something.
    pub fn destructive(mut self, yes: bool) -> Self {
        self.destructive = Some(yes);
        self
    }

    /// Says whether a repeated call changes nothing more.
    pub fn idempotent(mut self, yes: bool) -> Self {
        self.idempotent = Some(yes);
        self
    }

    /// Says whether the tool reaches outside the host's control.
    pub fn open_world(mut self, yes: bool) -> Self {
        self.open_world = Some(yes);
        self
    }

    /// Whether nothing is said at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
