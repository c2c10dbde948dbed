//! The tool that a name means, however the model wrote it: what a host said about a tool holds for every way to call it.
//!
//! It asks for more than the call itself will take: where a name turns out to mean nothing, nothing was run.

use opentool_core::{ToolDefinition, ToolSet};
use opentool_schema::{Repairs, resolve_name};

/// The tool of this name, or the one that could be meant by it.
pub(crate) fn meant<'t>(tools: &'t ToolSet, written: &str) -> Option<&'t ToolDefinition> {
    let tool = tools.get(written).or_else(|| {
        let name = resolve_name(written, tools.names(), Repairs::Wide).ok()?;
        tools.get(name)
    });
    tool.map(|tool| tool.definition())
}
