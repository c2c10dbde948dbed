//! The span of a call, by OpenTelemetry's conventions for generative AI, as a part of the client's trace.
//!
//! A client says by W3C's header `traceparent` which trace its call belongs to; it is believed, because it costs nothing
//! but a link. That needs the feature `otel`; the span itself is `tracing`'s, and is not made where nobody listens.
//! Arguments and results are never in it.

use axum::http::HeaderMap;
use opentool_core::{ToolError, ToolOutput};
use opentool_listen::trace::Parent;
use tracing::field::Empty;
use tracing::{Level, Span};

/// The longest id of a call that is shown, in characters.
const ID: usize = 64;

/// The trace in the headers of a request; none where nobody listens.
pub(super) fn parent(headers: &HeaderMap) -> Parent {
    if is_wanted() { Parent::of(headers) } else { Parent::default() }
}

fn is_wanted() -> bool {
    tracing::span_enabled!(target: "opentool::gen_ai", Level::INFO)
}

/// A call of this function, or of one that does not exist. The name is asked for only where somebody listens.
pub(super) fn execute_tool<'f>(
    parent: &Parent,
    id: Option<&str>,
    function: impl FnOnce() -> Option<&'f str>,
) -> Span {
    if !is_wanted() {
        return Span::none();
    }
    let function = function();
    let _within = parent.within();
    tracing::info_span!(
        target: "opentool::gen_ai",
        "execute_tool",
        "otel.name" = function.map(|function| format!("execute_tool {function}")),
        "otel.kind" = "server",
        "otel.status_code" = Empty,
        "gen_ai.operation.name" = "execute_tool",
        "gen_ai.tool.name" = function,
        "gen_ai.tool.call.id" = id.map(|id| id.chars().take(ID).collect::<String>()),
        "gen_ai.tool.type" = "function",
        "error.type" = Empty,
    )
}

/// What became of the call.
pub(super) fn ended(span: &Span, result: &Result<ToolOutput, ToolError>) {
    match result {
        Ok(output) if !output.is_error => {}
        Ok(_) => failed(span, "tool_error"),
        Err(error) => failed(span, error.code()),
    }
}

/// Nobody waits for the call any more.
pub(super) fn abandoned(span: &Span) {
    failed(span, ToolError::Cancelled.code());
}

fn failed(span: &Span, code: &str) {
    span.record("error.type", code);
    span.record("otel.status_code", "ERROR");
}
