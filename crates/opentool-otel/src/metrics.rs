//! Metrics of what the spans say: how long, how many tokens, what failed.
//!
//! They are taken from spans as they close, sampled or not, so that the crates which make spans need not count as well.
//! Labels are what a host has few of: names of its tools, its agents and its models, and kinds of failure.

use std::fmt::Debug;
use std::time::Instant;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Histogram, Meter};
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// Boundaries of durations, in seconds.
const SECONDS: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/// Those of turns.
const TURNS: [f64; 13] = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];
/// Those of MCP.
const MCP: [f64; 14] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];
/// Boundaries of numbers of tokens.
const TOKENS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];
/// The label of what has no name of the host's.
const OTHER: &str = "_OTHER";

/// Takes the measures of spans.
pub(crate) struct Measure {
    chat: Histogram<f64>,
    tokens: Histogram<u64>,
    tool: Histogram<f64>,
    agent: Histogram<f64>,
    mcp: Histogram<f64>,
    mcp_client: Histogram<f64>,
}

impl Measure {
    pub(crate) fn new(meter: &Meter) -> Self {
        let seconds = |name: &'static str, what: &'static str, boundaries: &[f64]| {
            meter
                .f64_histogram(name)
                .with_unit("s")
                .with_description(what)
                .with_boundaries(boundaries.to_vec())
                .build()
        };
        Self {
            chat: seconds("gen_ai.client.operation.duration", "How long a model took to answer.", &SECONDS),
            tool: seconds("gen_ai.execute_tool.duration", "How long a call of a tool took.", &SECONDS),
            agent: seconds("gen_ai.invoke_agent.duration", "How long a turn of an agent took.", &TURNS),
            mcp: seconds("mcp.server.operation.duration", "How long an MCP request took to serve.", &MCP),
            mcp_client: seconds(
                "mcp.client.operation.duration",
                "How long an MCP server took to answer a request.",
                &MCP,
            ),
            tokens: meter
                .u64_histogram("gen_ai.client.token.usage")
                .with_unit("{token}")
                .with_description("Tokens that a model read or wrote for an answer.")
                .with_boundaries(TOKENS.to_vec())
                .build(),
        }
    }

    fn take(&self, seen: &Seen) {
        let seconds = seen.began.elapsed().as_secs_f64();
        let mut labels = Vec::with_capacity(6);
        let mut label = |key: &'static str, value: &Option<String>| {
            if let Some(value) = value {
                labels.push(KeyValue::new(key, value.clone()));
            }
        };
        match seen.span {
            "chat" => {
                label("gen_ai.operation.name", &seen.operation);
                label("gen_ai.provider.name", &seen.provider);
                label("gen_ai.request.model", &seen.model);
                for (kind, count) in [("input", seen.input), ("output", seen.output)] {
                    if let Some(count) = count {
                        let mut labels = labels.clone();
                        labels.push(KeyValue::new("gen_ai.token.type", kind));
                        self.tokens.record(count, &labels);
                    }
                }
                labels.extend(seen.error.clone().map(|error| KeyValue::new("error.type", error)));
                self.chat.record(seconds, &labels);
            }
            "execute_tool" => {
                label("gen_ai.tool.name", &Some(seen.tool()));
                label("gen_ai.tool.type", &seen.kind);
                label("gen_ai.agent.name", &seen.agent);
                label("error.type", &seen.error);
                self.tool.record(seconds, &labels);
            }
            "invoke_agent" => {
                label("gen_ai.agent.name", &seen.agent);
                label("gen_ai.request.model", &seen.model);
                label("error.type", &seen.error);
                self.agent.record(seconds, &labels);
            }
            "tools/call" => {
                label("mcp.method.name", &Some("tools/call".to_owned()));
                label("gen_ai.tool.name", &Some(seen.tool()));
                label("network.transport", &seen.transport);
                label("error.type", &seen.error);
                self.mcp.record(seconds, &labels);
            }
            "mcp" => {
                label("mcp.method.name", &seen.method);
                // A request about no tool has one word.
                label(
                    "gen_ai.tool.name",
                    &seen.named.as_ref().filter(|name| name.contains(' ')).map(|_| seen.tool()),
                );
                label("network.transport", &seen.transport);
                label("error.type", &seen.error);
                self.mcp_client.record(seconds, &labels);
            }
            _ => {}
        }
    }
}

/// What a span said so far.
struct Seen {
    span: &'static str,
    began: Instant,
    /// The name of the span, in which no invented name stands.
    named: Option<String>,
    operation: Option<String>,
    provider: Option<String>,
    model: Option<String>,
    agent: Option<String>,
    kind: Option<String>,
    transport: Option<String>,
    method: Option<String>,
    error: Option<String>,
    input: Option<u64>,
    output: Option<u64>,
}

impl Seen {
    fn new(span: &'static str) -> Self {
        Self {
            span,
            began: Instant::now(),
            named: None,
            operation: None,
            provider: None,
            model: None,
            agent: None,
            kind: None,
            transport: None,
            method: None,
            error: None,
            input: None,
            output: None,
        }
    }

    /// The name of the tool, if it is one.
    fn tool(&self) -> String {
        let name = self.named.as_deref().and_then(|name| name.split_once(' '));
        name.map_or(OTHER, |(_, tool)| tool).to_owned()
    }
}

impl Visit for Seen {
    fn record_str(&mut self, field: &Field, value: &str) {
        let place = match field.name() {
            "otel.name" => &mut self.named,
            "gen_ai.operation.name" => &mut self.operation,
            "gen_ai.provider.name" => &mut self.provider,
            "gen_ai.request.model" => &mut self.model,
            "gen_ai.agent.name" => &mut self.agent,
            "gen_ai.tool.type" => &mut self.kind,
            "network.transport" => &mut self.transport,
            "mcp.method.name" => &mut self.method,
            "error.type" => &mut self.error,
            _ => return,
        };
        *place = Some(value.to_owned());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        let place = match field.name() {
            "gen_ai.usage.input_tokens" => &mut self.input,
            "gen_ai.usage.output_tokens" => &mut self.output,
            _ => return,
        };
        *place = u64::try_from(value).ok();
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "otel.name" {
            self.named = Some(format!("{value:?}"));
        }
    }
}

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Measure {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut seen = Seen::new(attributes.metadata().name());
        attributes.record(&mut seen);
        span.extensions_mut().replace(seen);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(seen) = span.extensions_mut().get_mut::<Seen>() {
            values.record(seen);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let seen = span.extensions_mut().remove::<Seen>();
        if let Some(seen) = seen {
            self.take(&seen);
        }
    }
}
