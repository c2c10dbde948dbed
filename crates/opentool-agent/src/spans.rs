//! Spans of a run, by OpenTelemetry's conventions for generative AI: `invoke_agent NAME`, `chat MODEL`,
//! `execute_tool NAME`.
//!
//! They are `tracing` spans of the target `opentool::gen_ai`, at `info`, whose fields have the names of the conventions
//! (`gen_ai.tool.name`, `gen_ai.usage.input_tokens`, `error.type`, …) and those that `tracing-opentelemetry` reads
//! (`otel.name`, `otel.kind`, `otel.status_code`), so that a host's own exporter needs no more. A call that failed is
//! marked as failed although the model was told. What was said, arguments and results are in them only where the host
//! says so ([`SpanContent`]). Without a subscriber nothing is made. It deliberately exports nothing and counts nothing.

mod content;
mod settings;

use opentool_core::{
    ChatModel, ChatReply, ChatRequest, ModelError, StopReason, ToolDefinition, ToolError, ToolOutput, Usage,
};
use tracing::Span;
use tracing::field::Empty;

use crate::drive::Stop;
use crate::{Agent, Finish, Run};
pub use settings::SpanContent;
pub(crate) use settings::SpanSettings;

/// A longer name of a tool is the model's invention; so much of it is shown, in characters.
const NAME: usize = 64;
/// Who answers where it is nobody's service: the conventions want a name.
const NOBODY: &str = "_OTHER";

/// A span of something that goes on. Dropped before its end is told, it was given up.
pub(crate) struct Open(Option<Span>);

impl Open {
    /// The span, for what happens in it.
    pub(crate) fn span(&self) -> Span {
        self.0.clone().unwrap_or_else(Span::none)
    }

    fn ended(mut self) -> Span {
        self.0.take().unwrap_or_else(Span::none)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(span) = &self.0 {
            failed(span, "cancelled");
        }
    }
}

/// A turn.
pub(crate) fn invoke_agent(agent: &Agent, run: &Run) -> Open {
    let settings = &agent.dispatcher.spans;
    let model = agent.model();
    let span = tracing::info_span!(
        target: "opentool::gen_ai",
        "invoke_agent",
        "otel.name" = settings.agent.as_ref().map(|name| format!("invoke_agent {name}")),
        "otel.kind" = "internal",
        "otel.status_code" = Empty,
        "gen_ai.operation.name" = "invoke_agent",
        "gen_ai.provider.name" = model.provider_name().unwrap_or(NOBODY),
        "gen_ai.request.model" = model.name(),
        "gen_ai.agent.name" = settings.agent.as_deref(),
        "gen_ai.conversation.id" = settings.conversation.as_deref(),
        "gen_ai.usage.input_tokens" = Empty,
        "gen_ai.usage.output_tokens" = Empty,
        "gen_ai.usage.cache_read.input_tokens" = Empty,
        "gen_ai.usage.cache_creation.input_tokens" = Empty,
        "gen_ai.usage.reasoning.output_tokens" = Empty,
        "gen_ai.system_instructions" = Empty,
        "gen_ai.tool.definitions" = Empty,
        "gen_ai.input.messages" = Empty,
        "gen_ai.output.messages" = Empty,
        "error.type" = Empty,
    );
    if settings.records_on(&span) {
        content::record_input(&span, run.messages(), agent.tools());
    }
    Open(Some(span))
}

/// What the turn came to.
pub(crate) fn invoked(agent: &Agent, open: Open, run: &Run, result: &Result<Finish, Stop>) {
    let span = open.ended();
    if span.is_disabled() {
        return;
    }
    record_usage(&span, run.usage());
    if agent.dispatcher.spans.records_on(&span) {
        content::record_output(&span, run.messages());
    }
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
        failed(&span, code);
    }
}

/// A question to the model.
pub(crate) fn chat(settings: &SpanSettings, model: &dyn ChatModel, request: &ChatRequest<'_>) -> Open {
    let span = tracing::info_span!(
        target: "opentool::gen_ai",
        "chat",
        "otel.name" = %format_args!("chat {}", model.name()),
        "otel.kind" = "client",
        "otel.status_code" = Empty,
        "gen_ai.operation.name" = "chat",
        "gen_ai.provider.name" = model.provider_name().unwrap_or(NOBODY),
        "gen_ai.request.model" = model.name(),
        "gen_ai.request.stream" = Empty,
        "gen_ai.conversation.id" = settings.conversation.as_deref(),
        "gen_ai.response.model" = Empty,
        "gen_ai.response.finish_reasons" = Empty,
        "gen_ai.response.time_to_first_chunk" = Empty,
        "gen_ai.usage.input_tokens" = Empty,
        "gen_ai.usage.output_tokens" = Empty,
        "gen_ai.usage.cache_read.input_tokens" = Empty,
        "gen_ai.usage.cache_creation.input_tokens" = Empty,
        "gen_ai.usage.reasoning.output_tokens" = Empty,
        "gen_ai.system_instructions" = Empty,
        "gen_ai.tool.definitions" = Empty,
        "gen_ai.input.messages" = Empty,
        "gen_ai.output.messages" = Empty,
        "error.type" = Empty,
    );
    if settings.records_on(&span) {
        content::record_input(&span, request.messages, request.tools);
    }
    Open(Some(span))
}

/// The first piece of an answer that comes in pieces, so many seconds after it was asked for.
pub(crate) fn first_piece(seconds: f64) {
    let span = Span::current();
    span.record("gen_ai.request.stream", true);
    span.record("gen_ai.response.time_to_first_chunk", seconds);
}

/// What the model answered.
pub(crate) fn answered(settings: &SpanSettings, open: Open, result: &Result<ChatReply, ModelError>) {
    let span = open.ended();
    if span.is_disabled() {
        return;
    }
    match result {
        Ok(reply) => {
            let reason = finish_reason(&reply.stop);
            span.record("gen_ai.response.finish_reasons", reason);
            if let Some(model) = &reply.model {
                span.record("gen_ai.response.model", &**model);
            }
            record_usage(&span, reply.usage);
            if settings.records_on(&span) {
                content::record_reply(&span, &reply.message, reason);
            }
        }
        Err(error) => failed(&span, error_of(error)),
    }
}

/// A call as somebody asks for it. The name may be a model's invention.
pub(crate) struct Asked<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
}

/// A call. A name that no tool has is not part of the span's name: models can invent any number of them.
pub(crate) fn execute_tool(settings: &SpanSettings, call: &Asked<'_>, tool: Option<&ToolDefinition>) -> Open {
    let name = tool.map_or("", |tool| tool.name.as_str());
    // Of a call that means no tool only what the model wrote is known.
    let shown = tool.map_or(call.name, |tool| tool.name.as_str());
    let shown = match shown.char_indices().nth(NAME) {
        Some((end, _)) => shown.get(..end).unwrap_or_default(),
        None => shown,
    };
    Open(Some(tracing::info_span!(
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
        "gen_ai.agent.name" = settings.agent.as_deref(),
        "gen_ai.conversation.id" = settings.conversation.as_deref(),
        "gen_ai.tool.call.arguments" = Empty,
        "gen_ai.tool.call.result" = Empty,
        "error.type" = Empty,
    )))
}

/// What became of the call.
pub(crate) fn executed(settings: &SpanSettings, open: Open, result: &Result<ToolOutput, ToolError>) {
    let span = open.ended();
    if span.is_disabled() {
        return;
    }
    match result {
        Ok(output) if !output.is_error => {}
        Ok(_) => failed(&span, "tool_error"),
        Err(error) => failed(&span, error.code()),
    }
    if let Ok(output) = result
        && settings.records_on(&span)
    {
        content::record_result(&span, output);
    }
}

/// What a call that runs was given, where content is recorded.
pub(crate) fn record_arguments(settings: &SpanSettings, span: &Span, arguments: &serde_json::Value) {
    if settings.records_on(span) {
        content::record_arguments(span, arguments);
    }
}

/// Whether the code that runs now is inside a span of a call already.
pub(crate) fn is_in_call() -> bool {
    let is_call = |metadata: &tracing::Metadata<'_>| {
        metadata.target() == "opentool::gen_ai" && metadata.name() == "execute_tool"
    };
    Span::current().metadata().is_some_and(is_call)
}

/// Whether the code that runs now is inside a span of a question already.
pub(crate) fn is_in_question() -> bool {
    let is_chat = |metadata: &tracing::Metadata<'_>| {
        metadata.target() == "opentool::gen_ai" && metadata.name() == "chat"
    };
    Span::current().metadata().is_some_and(is_chat)
}

/// Usage that nobody told is left out. As signed integers: exporters write others as text.
fn record_usage(span: &Span, usage: Usage) {
    if usage == Usage::default() {
        return;
    }
    let tokens = |field: &str, count: u64| {
        span.record(field, i64::try_from(count).unwrap_or(i64::MAX));
    };
    tokens("gen_ai.usage.input_tokens", usage.input_tokens);
    tokens("gen_ai.usage.output_tokens", usage.output_tokens);
    for (field, count) in [
        ("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens),
        ("gen_ai.usage.cache_creation.input_tokens", usage.cache_write_tokens),
        ("gen_ai.usage.reasoning.output_tokens", usage.reasoning_tokens),
    ] {
        if count > 0 {
            tokens(field, count);
        }
    }
}

/// A reason in the words of the conventions, or in the provider's.
fn finish_reason(stop: &StopReason) -> &str {
    match stop {
        StopReason::End => "stop",
        StopReason::ToolCalls => "tool_call",
        StopReason::Length => "length",
        StopReason::Refusal => "content_filter",
        StopReason::Other(reason) => reason,
        _ => "_OTHER",
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
