//! A tool that answers with an example.

use opentool_core::{Arguments, BoxFuture, Schema, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};
use opentool_schema::Examples;

use crate::wire::endpoint::{GIVES_NOTHING, REPEATS_PARTIALS};

/// What says what it gives, without what it does.
#[derive(Debug)]
pub(super) struct MockTool {
    definition: ToolDefinition,
    /// What a streaming call emits before its end.
    events: Vec<Schema>,
}

impl MockTool {
    pub(super) fn new(definition: ToolDefinition, events: Vec<Schema>) -> Self {
        Self { definition, events }
    }

    async fn run(&self, cx: &ToolContext) -> ToolOutput {
        let mut last = None;
        for event in &self.events {
            let output = ToolOutput::json(Examples::new().value(event.as_value()));
            cx.partial(output.clone()).await;
            last = Some(output.metadata(REPEATS_PARTIALS, true));
        }
        match &self.definition.output_schema {
            Some(schema) => ToolOutput::json(Examples::new().value(schema.as_value())),
            None => last.unwrap_or_else(|| ToolOutput::text("Done.").metadata(GIVES_NOTHING, true)),
        }
    }
}

impl Tool for MockTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        _arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move { Ok(self.run(cx).await.metadata("mock", true)) })
    }
}
