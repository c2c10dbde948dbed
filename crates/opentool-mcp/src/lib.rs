//! The Model Context Protocol for opentool: a server for any tool set, and (feature `client`) any server as a tool set.
//!
//! ```no_run
//! # async fn run(tools: opentool_core::ToolSet) -> Result<(), opentool_mcp::McpError> {
//! opentool_mcp::serve_stdio(tools.clone()).await?;               // until the client closes the stream
//! opentool_mcp::serve_http(tools, "127.0.0.1:3000").await?;      // at http://127.0.0.1:3000/mcp
//! # Ok(()) }
//! ```
//!
//! Every protocol revision of the SDK is spoken on one endpoint: clients that open with `initialize` (up to
//! 2025-11-25) and clients that do not (2026-07-28). [`Server`] has the settings.
//!
//! What a client may rely on:
//!
//! * Every call is answered, whatever the tool does: bad arguments, a failure, a panic and an overrun deadline
//!   are results with `isError` whose text the model can act on. Only an unknown tool and a malformed request
//!   are protocol errors. Details of a failure go to `tracing`, never to the client.
//! * A call that the client gives up (a cancel notification, over modern HTTP a closed response) stops the
//!   tool. In the legacy revisions a lost HTTP connection is not a cancellation, by their own rule; the time
//!   limit ends such a call.
//! * A value that is not an object travels as `{"result": value}` in `structuredContent`, in all revisions, and
//!   its schema is wrapped alike. The text block holds the value itself.
//! * Progress needs a progress token. Partial outputs have no notion in MCP: they travel as the messages of
//!   progress notifications, and the final result holds everything.
//!
//! * Nobody is shut out by others who do nothing: heads, bodies, idle connections and answers that nobody takes have
//!   their time, and where there are too many connections the one that has been idle longest gives way. Requests
//!   under way have a bound on their memory; who finds no room is told so.
//!
//! Over stdio, standard output belongs to the protocol: a tool that prints breaks the stream.
//!
//! What it deliberately does not do: it knows no authentication (bind to loopback, or put a gateway in front),
//! offers no prompts and no resources, and handles no process signals.

mod body;
mod budget;
mod call;
mod catalog;
#[cfg(feature = "client")]
pub mod client;
mod content;
mod cursor;
mod definition;
mod error;
mod handler;
mod host;
mod http;
mod in_flight;
mod lines;
mod numbers;
mod opening;
mod outbox;
mod output_schema;
mod progress;
mod refusal;
mod result;
mod server;
mod sessions;
mod skim;
mod stream;
mod trace;
mod trust;
mod wire;

use std::fmt::Display;

use opentool_core::ToolSource;
use tokio::net::ToSocketAddrs;

#[cfg(feature = "client")]
pub use client::{connect, spawn};
pub use error::McpError;
pub use http::Bound;
pub use output_schema::OutputSchemas;
pub use server::Server;

/// Serves the tools over standard input and output, with the defaults of [`Server`], until the client closes
/// the stream.
///
/// # Errors
/// See [`Server::stdio`].
pub async fn serve_stdio(tools: impl ToolSource) -> Result<(), McpError> {
    Server::new(tools).stdio().await
}

/// Serves the tools over HTTP at `/mcp` of the address, with the defaults of [`Server`], until the future is
/// dropped. Use [`Server::bind`] to learn a free port, or to stop gracefully.
///
/// # Errors
/// See [`Server::bind`] and [`Bound::serve_until`].
pub async fn serve_http(
    tools: impl ToolSource,
    address: impl ToSocketAddrs + Display,
) -> Result<(), McpError> {
    Server::new(tools).bind(address).await?.serve().await
}
