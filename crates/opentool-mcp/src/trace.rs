//! The span of a `tools/call`, by OpenTelemetry's conventions for MCP, as a part of the client's trace.
//!
//! A client says in `_meta` which trace its call belongs to, or else in the headers of its HTTP request; it is believed,
//! because it costs nothing but a link. That needs the feature `otel`; the span itself is `tracing`'s, and is not made
//! where nobody listens. Arguments and results are never in it, nor is the id of a session, which opens the session.

use opentool_core::{ToolError, ToolOutput};
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
    #[cfg(feature = "otel")]
    let _within = remote::parent(context).map(opentelemetry::Context::attach);
    let id = context.extensions.get::<ClientId>().map_or(&context.id, |id| &id.0).to_string();
    let client = context.peer.peer_info();
    let over_http = context.extensions.get::<axum::http::request::Parts>().is_some();
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

#[cfg(feature = "otel")]
mod remote {
    //! The trace that a client names.

    use axum::http::HeaderMap;
    use axum::http::request::Parts;
    use opentelemetry::propagation::Extractor;
    use opentelemetry::trace::TraceContextExt as _;
    use opentelemetry::{Context, global};
    use rmcp::RoleServer;
    use rmcp::model::RequestMetaObject;
    use rmcp::service::RequestContext;

    /// The span of the client, if it names one.
    pub(super) fn parent(context: &RequestContext<RoleServer>) -> Option<Context> {
        let meta = Meta(&context.meta);
        let headers = context.extensions.get::<Parts>().map(|parts| Headers(&parts.headers));
        let places =
            std::iter::once(&meta as &dyn Extractor).chain(headers.as_ref().map(|h| h as &dyn Extractor));
        places
            .map(|place| global::get_text_map_propagator(|propagator| propagator.extract(place)))
            .find(|parent| parent.span().span_context().is_remote())
    }

    struct Meta<'m>(&'m RequestMetaObject);

    impl Extractor for Meta<'_> {
        fn get(&self, key: &str) -> Option<&str> {
            self.0.get(key)?.as_str()
        }

        fn keys(&self) -> Vec<&str> {
            self.0.keys().map(String::as_str).collect()
        }
    }

    struct Headers<'h>(&'h HeaderMap);

    impl Extractor for Headers<'_> {
        fn get(&self, key: &str) -> Option<&str> {
            self.0.get(key)?.to_str().ok()
        }

        fn keys(&self) -> Vec<&str> {
            self.0.keys().map(|name| name.as_str()).collect()
        }
    }
}
