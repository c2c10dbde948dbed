//! A span around every call of a tool, or question to a model, that no agent makes.

use std::sync::Arc;

use opentool_core::{Arguments, Layer, Tool, ToolContext, ToolError, ToolOutput};
use serde_json::Value;
use tracing::Instrument as _;

use super::around::Around;
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
        self.clone().around(inner)
    }
}

impl Around for Trace {
    async fn call(
        &self,
        inner: &dyn Tool,
        cx: &ToolContext,
        arguments: Arguments,
    ) -> Result<ToolOutput, ToolError> {
        if spans::is_in_call() {
            return inner.call(cx, arguments).await;
        }
        let tool = inner.definition();
        let asked = Asked { id: cx.id().unwrap_or_default(), name: &tool.name };
        let open = spans::execute_tool(&self.settings, &asked, Some(tool));
        let span = open.span();
        if self.settings.records_on(&span) {
            let given = Value::Object(arguments.clone().into_map());
            spans::record_arguments(&self.settings, &span, &given);
        }
        let result = inner.call(cx, arguments).instrument(span).await;
        spans::executed(&self.settings, open, &result);
        result
    }
}
