//! A tool of a server as a tool of this program.
//!
//! Arguments were validated before they come here. A failure has two texts: the model reads what the tool said, cut, or
//! what it can do about the rest; addresses and causes are for the operator.

use std::time::Instant;

use opentool_core::{
    Arguments, BoxFuture, InvalidArguments, Problem, Tool, ToolContext, ToolDefinition, ToolError,
    ToolOutput, UnknownTool, Upstream, in_units,
};
use opentool_http::{HttpError, bounded};
use opentool_schema::{Repairs, resolve_name};
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest};

use super::{Client, ClientError, content, listing};

/// The code of JSON-RPC for parameters that are not valid, which a tool that does not exist is too.
const INVALID_PARAMS: i32 = -32602;

/// A tool of a server.
#[derive(Debug)]
pub(crate) struct RemoteTool {
    definition: ToolDefinition,
    /// Its name at the server.
    name: String,
    client: Client,
}

impl Tool for RemoteTool {
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

impl RemoteTool {
    pub(crate) fn new(definition: ToolDefinition, client: Client) -> Self {
        Self { name: definition.name.clone(), definition, client }
    }

    async fn run(&self, cx: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ToolError> {
        if cx.event_sink().is_some() {
            cx.sent(format!("tools/call {} at {}", self.name, self.client.place())).await;
        }
        let started = Instant::now();
        match self.ask(cx, arguments).await {
            Ok(output) => {
                let took = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
                Ok(output.metadata("mcp.duration_ms", took))
            }
            Err(ClientError::TimedOut { .. }) if cx.ends_at().is_some_and(|end| end <= Instant::now()) => {
                Err(ToolError::TimedOut(started.elapsed()))
            }
            Err(ClientError::Refused { code: INVALID_PARAMS, message, server }) => {
                Err(self.not_taken(ClientError::Refused { code: INVALID_PARAMS, message, server }).await)
            }
            Err(error) => Err(failure(error)),
        }
    }

    async fn ask(&self, cx: &ToolContext, arguments: Arguments) -> Result<ToolOutput, ClientError> {
        let call = CallToolRequestParams::new(self.name.clone()).with_arguments(arguments.into_map());
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(call));
        let answer = self.client.ask(request, cx.ends_at(), Some(cx)).await?;
        let server = || self.client.name();
        let result = serde_json::to_value(answer)
            .map_err(|error| ClientError::NotMcp { server: server(), reason: error.to_string().into() })?;
        content::output(result).map_err(|what| ClientError::WantsMore { server: server(), what })
    }

    /// Servers say the same of a tool that is gone and of arguments that they do not take; their list tells which it is.
    async fn not_taken(&self, error: ClientError) -> ToolError {
        let ClientError::Refused { message, .. } = &error else { return failure(error) };
        match listing::names(&self.client).await {
            Ok(names) if !names.contains(&self.name) => {
                let gone = self.definition.name.as_str();
                match resolve_name(gone, names.iter().map(String::as_str), Repairs::Off) {
                    Ok(meant) => UnknownTool::new(gone, vec![meant.to_owned()]).into(),
                    Err(unknown) => unknown.into(),
                }
            }
            Ok(_) => {
                let said = format!("the server does not take them: {}", bounded(message));
                InvalidArguments::new(vec![Problem::new("", "server").expected(said)]).into()
            }
            Err(_) => failure(error),
        }
    }
}

/// A failure in two texts.
fn failure(mut error: ClientError) -> ToolError {
    let (status, message) = match &mut error {
        ClientError::Refused { code, message, .. } => {
            // Taken out of the cause: whoever reads the chain has it from the model's text.
            let message = match String::from(std::mem::take(message)) {
                empty if empty.trim().is_empty() => format!("the server refuses the call with the code {code}"),
                message => format!("the server refuses the call: {}", message.trim()),
            };
            (None, message)
        }
        ClientError::Unauthorized { .. } => {
            (Some(401), "the server behind the tool refuses access; only its operator can mend that".to_owned())
        }
        ClientError::NoAccess { .. } | ClientError::Spawn { .. } | ClientError::Redirected { .. } => {
            (None, "the server behind the tool cannot be reached; nothing was run".to_owned())
        }
        ClientError::Busy { status, retry_after, .. } => {
            let wait = retry_after.map(|wait| format!("; try again after {}", in_units(wait)));
            (Some(*status), format!("the server behind the tool is busy{}", wait.unwrap_or_default()))
        }
        ClientError::Status { status, .. } => (
            Some(*status),
            format!("the server behind the tool failed without saying why (HTTP {status}); the call may have run"),
        ),
        ClientError::WantsMore { what, .. } => {
            (None, format!("the tool wants {what} first, which is not possible here; it was not run to its end"))
        }
        ClientError::Lost { .. } => {
            (None, "the connection to the server behind the tool was lost; the call may have run".to_owned())
        }
        ClientError::TimedOut { after, .. } => (
            None,
            format!("the server behind the tool gave no answer within {}; the call may have run", in_units(*after)),
        ),
        ClientError::TooLarge { limit, .. } | ClientError::Http(HttpError::TooLarge { limit, .. }) => {
            (None, format!("the answer is larger than {limit} bytes; ask for less"))
        }
        _ => (
            None,
            "the exchange with the server behind the tool failed; the call may have run, and its operator has the \
             details"
                .to_owned(),
        ),
    };
    let mut upstream = Upstream::new(bounded(&message)).source(error);
    upstream.status = status;
    upstream.into()
}
