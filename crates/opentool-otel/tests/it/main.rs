//! Traces and metrics as a collector gets them: over OTLP, from agents, tools and servers that really run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod collector;
mod content;
mod failures;
mod mcp_upstream;
mod metrics;
mod servers;
mod spans;
mod tools;
mod upstreams;
