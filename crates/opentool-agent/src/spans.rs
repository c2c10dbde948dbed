//! Spans of a run, by OpenTelemetry's conventions for generative AI: `invoke_agent`, `chat MODEL`, `execute_tool NAME`.
//!
//! They are `tracing` spans of the target `opentool::gen_ai`, at `info`, whose fields have the names of the conventions
//! (`gen_ai.tool.name`, `gen_ai.usage.input_tokens`, `error.type`, …) and those that `tracing-opentelemetry` reads
//! (`otel.name`, `otel.kind`, `otel.status_code`), so that a host's own exporter needs no more. A call that failed is
//! marked as failed although the model was told. What was said, arguments and results are never in them: they are
//! content. Without a subscriber nothing is made.

use opentool_core::{
    ChatModel, ChatReply, ModelError, StopReason, ToolCall, ToolDefinition, ToolError, ToolOutput,
};
use tracing::Span;
use tracing::field::Empty;

use crate::drive::Stop;
use crate::{Finish, Run};

/// A longer name of a tool is the model's invention; so much of it is shown, in characters.
const NAME: usize = 64;

/// A turn.
pub(crate) fn invoke_agent(model: &dyn ChatModel) -> Span {
    tracing::info_span!(
        target: "opentool::gen_ai",
        "invoke_agent",
        "otel.kind" = "internal",
        "otel.status_code" = Empty,
        "gen_ai.operation.name" = "invoke_agent",
        "gen_ai.provider.name" = model.provider_name(),
        "gen_ai.request.model" = model.name(),
        "gen_ai.usage.input_tokens" = Empty,
        "gen_ai.usage.output_tokens" = Empty,
        "error.type" = Empty,
    )
}

/// What the turn came to.
pub(crate) fn invoked(span: &Span, run: &Run, result: &Result<Finish, Stop>) {
    if span.is_disabled() {
        return;
    }
    let usage = run.usage();
    span.record("gen_ai.usage.input_tokens", usage.input_tokens);
    span.record("gen_ai.usage.output_tokens", usage.output_tokens);
    if let Err(stop) = result {
        // A run that waits for a person is no failure.
        let code = match stop {
            Stop::Suspended => return,
            Stop::Model(error) => error_of(error),
            Stop::RoundLimit => "round_limit",
            Stop::CallLimit => "call_limit",
            Stop::Tool(_) => "tool",
            Stop::Cancelled => "cancelled",
            Stop::TimedOut => "timed_out",
            _ => "_OTHER",
        };
        failed(span, code);
    }
}

/// A question to the model.
pub(crate) fn chat(model: &dyn ChatModel) -> Span {
    tracing::info_span!(
        target: "opentool::gen_ai",
        "chat",
        "otel.name" = %format_args!("chat {}", model.name()),
        "otel.kind" = "client",
        "otel.status_code" = Empty,
        "gen_ai.operation.name" = "chat",
        "gen_ai.provider.name" = model.provider_name(),
        "gen_ai.request.model" = model.name(),
        "gen_ai.response.finish_reasons" = Empty,
        "gen_ai.usage.input_tokens" = Empty,
        "gen_ai.usage.output_tokens" = Empty,
        "error.type" = Empty,
    )
}

/// What the model answered.
pub(crate) fn answered(span: &Span, result: &Result<ChatReply, ModelError>) {
    if span.is_disabled() {
        return;
    }
    match result {
        Ok(reply) => {
            let reason = match &reply.stop {
                StopReason::End => "stop",
                StopReason::ToolCalls => "tool_call",
                StopReason::Length => "length",
                StopReason::Refusal => "content_filter",
                StopReason::Other(reason) => reason,
                _ => "_OTHER",
            };
            span.record("gen_ai.response.finish_reasons", reason);
            span.record("gen_ai.usage.input_tokens", reply.usage.input_tokens);
            span.record("gen_ai.usage.output_tokens", reply.usage.output_tokens);
        }
        Err(error) => failed(span, error_of(error)),
    }
}

/// A call. A name that no tool has is not part of the span's name: models can invent any number of them.
pub(crate) fn execute_tool(call: &ToolCall, tool: Option<&ToolDefinition>) -> Span {
    let name = tool.map_or("", |tool| tool.name.as_str());
    let shown = match call.name.char_indices().nth(NAME) {
        Some((end, _)) => call.name.get(..end).unwrap_or_default(),
        None => &call.name,
    };
    tracing::info_span!(
        target: "opentool::gen_ai",
        "execute_tool",
        "otel.name" = %format!("execute_tool {name}").trim_end(),
        "otel.kind" = "internal",
        "otel.status_code" = Empty,
        "gen_ai.operation.name" = "execute_tool",
        "gen_ai.tool.name" = shown,
        "gen_ai.tool.call.id" = call.id,
        "gen_ai.tool.type" = "function",
        "gen_ai.tool.description" = tool.map(|tool| tool.description.as_str()),
        "error.type" = Empty,
    )
}

/// What became of the call.
pub(crate) fn executed(span: &Span, result: &Result<ToolOutput, ToolError>) {
    match result {
        Ok(output) if !output.is_error => {}
        Ok(_) => failed(span, "tool_error"),
        Err(error) => failed(span, error.code()),
    }
}

fn failed(span: &Span, code: &str) {
    span.record("error.type", code);
    span.record("otel.status_code", "ERROR");
}

/// A short name for a kind of failure: the labels of a metric are made of it.
fn error_of(error: &ModelError) -> &'static str {
    match error {
        ModelError::Unauthorized(_) => "unauthorized",
        ModelError::RateLimited { .. } => "rate_limited",
        ModelError::Unsupported(_) => "unsupported",
        ModelError::Rejected { .. } => "rejected",
        ModelError::Unreachable { .. } => "unreachable",
        ModelError::Protocol(_) => "protocol",
        ModelError::ScriptEnded(_) => "script_ended",
        _ => "_OTHER",
    }
}
