//! OpenTelemetry for opentool: what agents, tools and servers do, as traces and metrics over OTLP.
//!
//! One call, and the variables that every program with OpenTelemetry knows:
//!
//! ```no_run
//! # fn main() -> Result<(), opentool_otel::OtelError> {
//! let _otel = opentool_otel::init()?; // OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME, …
//! // … agents, tools, servers …
//! # Ok(())
//! # } // what was not sent yet is sent here
//! ```
//!
//! Spans are made by the crates themselves with `tracing`, by OpenTelemetry's conventions for generative AI and MCP:
//! `invoke_agent NAME`, `chat MODEL`, `execute_tool NAME`, and `tools/call NAME` of an MCP server; within them, by those for
//! HTTP, one `GET` or `POST` for each request that a tool or a model sends. This crate sends them on, counts them ([metrics](#metrics)), and lets traces go through the program: servers take the trace that a client
//! names, and calls of tools over HTTP name theirs (W3C `traceparent`). A program that has an exporter of its own needs
//! only the spans, and this crate not.
//!
//! The address of a request is shown without user, password, and the values of its query, which are arguments and keys; its
//! path is shown as it is.
//!
//! What is said (prompts, answers, arguments, results) is in no span unless it is switched on, by
//! `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true` or at the agent (`Agent::span_content`).
//!
//! # Variables
//!
//! | variable | meaning |
//! |---|---|
//! | `OTEL_EXPORTER_OTLP_ENDPOINT` | where the collector is; `/v1/traces` and `/v1/metrics` are appended. Default: `http://localhost:4318` |
//! | `OTEL_EXPORTER_OTLP_HEADERS` | headers of the requests: `api-key=…,tenant=…` |
//! | `OTEL_EXPORTER_OTLP_TIMEOUT` | how long one request may take, in milliseconds. Default: 10000 |
//! | `OTEL_EXPORTER_OTLP_CERTIFICATE` | a PEM file of authorities that are trusted as well |
//! | `OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE`, `…_CLIENT_KEY` | PEM files to show to the collector |
//! | `OTEL_EXPORTER_OTLP_PROTOCOL` | `http/protobuf`, which is the only one here |
//! | `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` | who this program is |
//! | `OTEL_TRACES_EXPORTER`, `OTEL_METRICS_EXPORTER` | `otlp`, or `none` |
//! | `OTEL_TRACES_SAMPLER`, `…_ARG`, `OTEL_BSP_…`, `OTEL_METRIC_EXPORT_INTERVAL` | as the SDK has them |
//! | `OTEL_PROPAGATORS` | whether `tracecontext` is in it, which is the default |
//! | `OTEL_SDK_DISABLED` | `true` switches all of it off |
//!
//! `OTEL_EXPORTER_OTLP_TRACES_…` and `OTEL_EXPORTER_OTLP_METRICS_…` say it for one of the two.
//!
//! # Metrics
//!
//! | metric | of | labels |
//! |---|---|---|
//! | `gen_ai.client.operation.duration` (s) | each answer of a model | operation, provider, model, `error.type` |
//! | `gen_ai.client.token.usage` ({token}) | each answer of a model | operation, provider, model, `gen_ai.token.type` |
//! | `gen_ai.execute_tool.duration` (s) | each call of a tool | tool, agent, `error.type` |
//! | `gen_ai.invoke_agent.duration` (s) | each turn of an agent | agent, model, `error.type` |
//! | `mcp.server.operation.duration` (s) | each `tools/call` of an MCP server | tool, transport, `error.type` |
//!
//! The labels are bounded by what the host has: a name that a model or a client invents is `_OTHER`.
//!
//! It deliberately exports no logs, and speaks no gRPC: a second HTTP stack is not worth the port number.

mod environment;
mod error;
mod export;
mod guard;
mod metrics;
mod sender;
mod spans;

pub use environment::is_configured;
pub use error::OtelError;
pub use export::{Export, init};
pub use guard::Guard;
