//! A span around every call of a tool, or question to a model, that no agent makes.

use std::sync::Arc;

use opentool_core::{Arguments, BoxFuture, Layer, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};
use serde_json::Value;
use tracing::Instrument as _;

use crate::SpanContent;
use crate::spans::{self, Asked, SpanSettings};

/// Makes a span `execute_tool NAME` of each call, and around a model ([`ModelLayer`](super::ModelLayer)) a span `chat MODEL`
/// of each question, by OpenTelemetry's conventions for generative AI.
///
/// An agent and a [`Dispatcher`](crate::Dispatcher) make these spans by themselves, and so do the servers; this is for tools
/// that a program calls on its own. Within such a span it makes no second one.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    pub(super) settings: Arc<SpanSettings>,
}

impl Trace {
    /// Spans without content, unless the environment says otherwise: [`SpanContent::Environment`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether arguments and results are in the spans.
    pub fn content(mut self, content: SpanContent) -> Self {
        Arc::make_mut(&mut self.settings).content = content;
        self
    }
}

impl Layer for Trace {
    fn layer(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        Arc::new(Traced { settings: Arc::clone(&self.settings), inner })
    }
}

struct Traced {
    settings: Arc<SpanSettings>,
    inner: Arc<dyn Tool>,
}

impl Traced {
    async fn run(&self, cx: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        if spans::is_in_call() {
            return self.inner.call(cx, arguments).await;
        }
        let tool = self.inner.definition();
        let asked = Asked { id: cx.id().unwrap_or_default(), name: &tool.name };
        let open = spans::execute_tool(&self.settings, &asked, Some(tool));
        let span = open.span();
        if self.settings.records_on(&span) {
            let given = Value::Object(arguments.clone().into_map());
            spans::record_arguments(&self.settings, &span, &given);
        }
        let result = self.inner.call(cx, arguments).instrument(span).await;
        spans::executed(&self.settings, open, &result);
        result
    }
}

impl Tool for Traced {
    fn definition(&self) -> &ToolDefinition {
        self.inner.definition()
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(self.run(cx, arguments))
    }
}
