//! The executor: one tool for any operation, over the one HTTP client.
//!
//! It builds the request, sends it within the call's deadline and reads the answer. It deliberately does not retry:
//! whether a call may be made twice is the host's decision.

use std::sync::Arc;
use std::time::Instant;

use opentool_core::{Arguments, BoxFuture, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};
use opentool_http::Client;

use crate::plan::Operation;
use crate::request::{self, Settings};
use crate::response;

/// An operation as a tool.
#[derive(Debug, Clone)]
pub struct OperationTool {
    definition: ToolDefinition,
    operation: Arc<Operation>,
    settings: Arc<Settings>,
    client: Client,
    parts: Arc<[String]>,
}

impl OperationTool {
    /// The tool that `definition` describes and `operation` runs.
    pub fn new(
        definition: ToolDefinition,
        operation: Arc<Operation>,
        settings: Arc<Settings>,
        client: Client,
    ) -> Self {
        Self { definition, operation, settings, client, parts: Arc::new([]) }
    }

    /// Says which parts of a JSON result are passed on, as JSON Pointers in which `*` stands for any member or item.
    /// Default: all.
    pub fn result_parts(mut self, pointers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.parts = pointers.into_iter().map(Into::into).collect();
        self
    }

    /// The operation.
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// The request that a call with these arguments sends, which is not sent.
    ///
    /// # Errors
    /// Those of [`request::build`].
    pub fn request(&self, arguments: &Arguments) -> Result<request::Request, ToolError> {
        request::build(&self.operation, arguments, &self.settings)
    }

    async fn run(&self, cx: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        let request = self.request(&arguments)?;
        let sending = request.to_http()?.body_limit(self.settings.body_limit);
        // Nothing can refuse the request from here on. The clock of the service does not run while the host listens.
        if cx.event_sink().is_some() {
            cx.sent(request.summary()).await;
        }
        let started = Instant::now();
        let own = self.settings.timeout.and_then(|limit| started.checked_add(limit));
        let deadline = own.into_iter().chain(cx.ends_at()).min();
        let sending = sending.deadline(deadline);
        let received = self.client.send(sending).await;
        let exchange = response::Exchange {
            request: &request,
            started,
            deadline: cx.ends_at(),
            parts: &self.parts,
            longest: self.settings.result_limit,
            headers: &self.settings.result_headers,
        };
        match received {
            Ok(answer) => response::read(answer, &exchange),
            Err(error) => Err(response::unanswered(error, &exchange)),
        }
    }
}

impl Tool for OperationTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(self.run(cx, arguments))
    }
}
