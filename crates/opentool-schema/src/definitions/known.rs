//! A tool that is known by its definition only: everything but running it.

use opentool_core::{Arguments, BoxFuture, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};

use crate::text::name;

pub(super) struct Known {
    definition: ToolDefinition,
}

impl Known {
    pub(super) fn new(definition: ToolDefinition) -> Self {
        Self { definition }
    }
}

impl Tool for Known {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let why = format!(
            "{} is known by its definition only, and nothing here can run it",
            name(&self.definition.name)
        );
        Box::pin(std::future::ready(Err(ToolError::Refused(why.into()))))
    }
}
