//! The binary as its users meet it: arguments in; standard output, standard error and exit code out.
//!
//! Texts are compared with golden files under `tests/golden`, which `UPDATE=1` rewrites.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../../../../conformance/failures.rs"]
mod failures;
mod support;

mod call;
mod call_mistakes;
mod check;
mod check_args;
mod completions;
mod conformance;
mod convert;
mod demo;
mod export;
mod help;
mod hostile;
mod list;
mod mcp_source;
mod mock;
mod new;
mod opentool_server;
mod opentool_source;
mod parse_calls;
mod peers;
mod readme;
mod references;
mod sending;
mod serve;
mod shape;
mod show;
mod source_mistakes;
mod talk;
mod telemetry;
mod tls;
mod upstream;
