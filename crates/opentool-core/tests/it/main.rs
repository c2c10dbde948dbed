//! Behaviour of the tool model.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod cancel;
mod context;
mod model;
mod output;
mod set;
mod source;

use opentool_core::{Arguments, BoxFuture, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};

/// A tool that answers its own name.
struct Named(ToolDefinition);

fn named(name: &str) -> Named {
    Named(ToolDefinition::new(name, format!("The tool {name}.")))
}

impl Tool for Named {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn call<'a>(&'a self, _: &'a ToolContext, _: Arguments) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async { Ok(ToolOutput::text(self.0.name.clone())) })
    }
}
