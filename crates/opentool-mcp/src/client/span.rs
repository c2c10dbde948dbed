//! The span of one request to a server, by OpenTelemetry's conventions for MCP clients: `tools/call NAME`.
//!
//! It is a `tracing` span of the target `opentool::gen_ai`, at `info`, from the request until its answer, and the parent of
//! what the server is told in `_meta`. It is made only inside another span: a request on nobody's behalf is in no trace. The
//! conventions would rather have its facts in the span of the tool's execution; but a call may be made more than once there, or
//! not at all. Arguments and results are never in it, nor is the id of a session, which opens the session.

use rmcp::model::{ClientRequest, RequestId, ServerResult};
use serde_json::Value;
use tracing::Span;
use tracing::field::Empty;

use super::ClientError;
use super::link::Link;
use super::server::Way;

/// A request under way. Dropped before it ends, it was given up.
pub(crate) struct Open {
    span: Span,
    is_open: bool,
}

impl Open {
    pub(crate) fn begin(request: &ClientRequest, way: &Way, link: &Link) -> Self {
        if Span::current().is_none() {
            return Self { span: Span::none(), is_open: false };
        }
        let method = request.method();
        let tool = match request {
            ClientRequest::CallToolRequest(call) => Some(&*call.params.name),
            _ => None,
        };
        let url = match way {
            Way::Http(post) => Some(post.url()),
            Way::Process(_) => None,
        };
        let info = link.peer().peer_info();
        let span = tracing::info_span!(
            target: "opentool::gen_ai",
            "mcp",
            "otel.name" = tool.map_or_else(|| method.to_owned(), |tool| format!("{method} {tool}")),
            "otel.kind" = "client",
            "otel.status_code" = Empty,
            "mcp.method.name" = method,
            "mcp.protocol.version" = info.map(|info| info.protocol_version.to_string()),
            "jsonrpc.request.id" = Empty,
            "network.transport" = if url.is_some() { "tcp" } else { "pipe" },
            "network.protocol.name" = url.map(|_| "http"),
            "server.address" = url.and_then(|url| url.host_str()),
            "server.port" = url.and_then(|url| url.port_or_known_default()).map(i64::from),
            "gen_ai.operation.name" = tool.map(|_| "execute_tool"),
            "gen_ai.tool.name" = tool,
            "rpc.response.status_code" = Empty,
            "error.type" = Empty,
        );
        let is_open = !span.is_disabled();
        Self { span, is_open }
    }

    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    /// The request went out under this id.
    pub(crate) fn sent(&self, id: &RequestId) {
        if self.is_open {
            self.span.record("jsonrpc.request.id", id.to_string());
        }
    }

    /// There is an answer, or none comes.
    pub(crate) fn ended(mut self, result: &Result<ServerResult, ClientError>) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        match result {
            Ok(ServerResult::CallToolResult(result)) if result.is_error == Some(true) => {
                self.failed("tool_error");
            }
            Ok(ServerResult::CustomResult(result)) if result.0.get("isError") == Some(&Value::Bool(true)) => {
                self.failed("tool_error");
            }
            Ok(_) => {}
            Err(ClientError::Refused { code, .. }) => {
                let code = code.to_string();
                self.span.record("rpc.response.status_code", code.as_str());
                self.failed(&code);
            }
            Err(error) => self.failed(kind(error)),
        }
    }

    fn failed(&self, kind: &str) {
        self.span.record("error.type", kind);
        self.span.record("otel.status_code", "ERROR");
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if self.is_open {
            self.failed("cancelled");
        }
    }
}

/// The kind of a failure: one of a few words.
fn kind(error: &ClientError) -> &'static str {
    match error {
        ClientError::TimedOut { .. } => "timeout",
        ClientError::Lost { .. } => "lost",
        ClientError::Unauthorized { .. } => "unauthorized",
        ClientError::NoAccess { .. } | ClientError::Spawn { .. } => "connect",
        ClientError::Busy { .. } => "busy",
        ClientError::TooLarge { .. } => "too_large",
        _ => "_OTHER",
    }
}
