//! The span of a call, by OpenTelemetry's conventions for generative AI, as a part of the client's trace.
//!
//! A client says by W3C's header `traceparent` which trace its call belongs to; it is believed, because it costs nothing
//! but a link. That needs the feature `otel`; the span itself is `tracing`'s, and is not made where nobody listens.
//! Arguments and results are never in it.

use axum::http::HeaderMap;
use opentool_core::{ToolError, ToolOutput};
use tracing::field::Empty;
use tracing::{Level, Span};

/// The longest id of a call that is shown, in characters.
const ID: usize = 64;

/// The trace that a client names.
#[derive(Debug, Clone, Default)]
pub(super) struct Parent {
    #[cfg(feature = "otel")]
    context: Option<opentelemetry::Context>,
}

impl Parent {
    /// The trace in the headers of a request; none where nobody listens.
    #[cfg(feature = "otel")]
    pub(super) fn of(headers: &HeaderMap) -> Self {
        use opentelemetry::global;
        use opentelemetry::trace::TraceContextExt as _;

        if !is_wanted() {
            return Self::default();
        }
        let named =
            global::get_text_map_propagator(|propagator| propagator.extract(&remote::Headers(headers)));
        Self { context: Some(named).filter(|named| named.span().span_context().is_remote()) }
    }

    /// None: traces of clients need the feature `otel`.
    #[cfg(not(feature = "otel"))]
    pub(super) fn of(_headers: &HeaderMap) -> Self {
        Self::default()
    }
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
    #[cfg(feature = "otel")]
    let _within = parent.context.clone().map(opentelemetry::Context::attach);
    #[cfg(not(feature = "otel"))]
    let Parent {} = parent;
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

#[cfg(feature = "otel")]
mod remote {
    //! Headers as a propagator reads them.

    use axum::http::HeaderMap;
    use opentelemetry::propagation::Extractor;

    pub(super) struct Headers<'h>(pub(super) &'h HeaderMap);

    impl Extractor for Headers<'_> {
        fn get(&self, key: &str) -> Option<&str> {
            self.0.get(key)?.to_str().ok()
        }

        fn keys(&self) -> Vec<&str> {
            self.0.keys().map(|name| name.as_str()).collect()
        }
    }
}
