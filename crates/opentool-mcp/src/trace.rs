//! The span of a `tools/call`, by OpenTelemetry's conventions for MCP, as a part of the client's trace.
//!
//! A client says in `_meta` which trace its call belongs to, or else in the headers of its HTTP request; it is believed,
//! because it costs nothing but a link. That needs the feature `otel`; the span itself is `tracing`'s, and is not made
//! where nobody listens. Arguments and results are never in it, nor is the id of a session, which opens the session.

use axum::http::request::Parts;
use opentool_core::{ToolError, ToolOutput};
use opentool_listen::trace::Parent;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tracing::field::Empty;
use tracing::{Level, Span};

use crate::numbers::ClientId;

/// The longest id of a request that is shown, in characters.
const ID: usize = 64;

/// A call of this tool, or of one that does not exist.
pub(crate) fn tools_call(tool: Option<&str>, context: &RequestContext<RoleServer>) -> Span {
    if !tracing::span_enabled!(target: "opentool::gen_ai", Level::INFO) {
        return Span::none();
    }
    let parent = parent(context);
    let _within = parent.within();
    let id = context.extensions.get::<ClientId>().map_or(&context.id, |id| &id.0).to_string();
    let client = context.peer.peer_info();
    let over_http = context.extensions.get::<Parts>().is_some();
    tracing::info_span!(
        target: "opentool::gen_ai",
        "tools/call",
        "otel.name" = tool.map(|tool| format!("tools/call {tool}")),
        "otel.kind" = "server",
        "otel.status_code" = Empty,
        "mcp.method.name" = "tools/call",
        "mcp.protocol.version" = client.map(|client| client.protocol_version.to_string()),
        "jsonrpc.request.id" = id.chars().take(ID).collect::<String>(),
        "network.transport" = if over_http { "tcp" } else { "pipe" },
        "gen_ai.operation.name" = "execute_tool",
        "gen_ai.tool.name" = tool,
        "rpc.response.status_code" = Empty,
        "error.type" = Empty,
    )
}

/// What became of the call.
pub(crate) fn ended(span: &Span, result: &Result<ToolOutput, ToolError>) {
    match result {
        Ok(output) if !output.is_error => {}
        Ok(_) => failed(span, "tool_error"),
        Err(error) => failed(span, error.code()),
    }
}

/// The call was refused with this code of JSON-RPC.
pub(crate) fn refused(span: &Span, code: i32) {
    if !span.is_disabled() {
        let code = code.to_string();
        span.record("rpc.response.status_code", code.as_str());
        failed(span, &code);
    }
}

fn failed(span: &Span, code: &str) {
    span.record("error.type", code);
    span.record("otel.status_code", "ERROR");
}

/// The trace that the client names.
fn parent(context: &RequestContext<RoleServer>) -> Parent {
    #[cfg(feature = "otel")]
    let named = Parent::named_in(&remote::Meta(&context.meta));
    #[cfg(not(feature = "otel"))]
    let named = Parent::default();
    named.or_else(|| {
        context.extensions.get::<Parts>().map(|parts| Parent::of(&parts.headers)).unwrap_or_default()
    })
}

#[cfg(feature = "otel")]
mod remote {
    //! `_meta` as a propagator reads it.

    use opentelemetry::propagation::Extractor;
    use rmcp::model::RequestMetaObject;

    pub(super) struct Meta<'m>(pub(super) &'m RequestMetaObject);

    impl Extractor for Meta<'_> {
        fn get(&self, key: &str) -> Option<&str> {
            self.0.get(key)?.as_str()
        }

        fn keys(&self) -> Vec<&str> {
            self.0.keys().map(String::as_str).collect()
        }
    }
}
