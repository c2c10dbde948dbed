//! Tests of the MCP server with real clients: the SDK's own, and bytes on a socket; and of the client with real servers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod calls;
mod cancellation;
mod changes;
#[cfg(feature = "client")]
mod client;
mod connections;
mod http_rules;
mod limits;
mod lines;
mod listing;
mod many_clients;
mod opening;
mod progress;
mod raw;
mod request_ids;
mod shutdown;
mod streams;
mod structured;
mod support;
