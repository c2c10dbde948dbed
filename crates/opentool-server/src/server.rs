//! The tool side: any tool set behind the five endpoints of the protocol.
//!
//! [`Server`] says what is served and within which limits, [`Bound`] listens and serves. A call goes through the checked
//! call of `opentool_schema`, whose text for the model is what the client is told.
//!
//! | endpoint | answer |
//! |---|---|
//! | `GET /version` | `{"version": "1.0.0"}`: the version that the document bears in its `info` |
//! | `POST /call` | a JSON-RPC response; failures are `200` with `error`: 405 no such function, 400 invalid arguments, 500 |
//! | `POST /streamCall` | an event stream: `start`, `data` for every partial output and the final one, `done` or `error` |
//! | `GET /load` | the document that describes the tools, or `{}` |
//! | `POST /stop` | `{"status": "stopped"}`, and the server ends; 403 unless [`Server::allow_stop`] |
//!
//! A `result` is always an object. A tool's value that is not one is a member of it, under the name that the document
//! gives to the function's return value, which is `result` unless somebody chose another.
//!
//! Statuses other than 200: 400 a body that is no call (as a JSON-RPC error: -32700 not a JSON object, -32600 not a
//! request, -32602 parameters that are no object), 401 no key, 403 a foreign host or page, 404, 405 with `Allow`, 408
//! and 413 for a body that is slow or large, 503 with `Retry-After` while as many calls as allowed run already.

mod answer;
mod auth;
mod body;
mod bound;
mod builder;
mod call;
mod catalog;
mod cutoff;
mod endpoints;
mod host;
mod reply;
mod routes;
mod settings;
mod stream;
mod tls;
mod trace;
mod trust;

use std::fmt::Display;

use opentool_core::ToolSource;
use tokio::net::ToSocketAddrs;

pub use bound::Bound;
pub use builder::Server;
pub use settings::Stop;

pub use crate::ServerError;

/// The address at which servers of this protocol are looked for, on this machine alone.
pub const DEFAULT_ADDRESS: &str = "127.0.0.1:17001";

/// Serves the tools at the address, with the defaults of [`Server`], until the future is dropped. Use [`Server::bind`] to
/// learn a free port, or to stop gracefully.
///
/// # Errors
/// See [`Server::bind`] and [`Bound::serve`].
pub async fn serve(tools: impl ToolSource, address: impl ToSocketAddrs + Display) -> Result<(), ServerError> {
    Server::new(tools).bind(address).await?.serve().await
}
