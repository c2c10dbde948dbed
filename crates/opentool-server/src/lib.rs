//! The OpenTool wire: JSON-RPC 2.0 over HTTP between an agent's client and a tool's server.
//!
//! [`server`] puts any [`ToolSet`](opentool_core::ToolSet) behind the five endpoints of the protocol, [`client`] calls
//! such a server and makes its functions tools of this program, and [`mock`] lets examples answer in place of a server.
//! Both sides speak through one set of wire types, which stay inside this crate. The crate holds no tool, no document
//! rule (that is `opentool_doc`) and no argument check of its own (that is `opentool_schema`).

#[cfg(feature = "server")]
mod error;
#[doc(hidden)]
pub mod wire;

#[cfg(feature = "client")]
pub mod client;
pub mod mock;
#[cfg(feature = "server")]
pub mod server;

#[cfg(feature = "client")]
pub use client::ClientError;
#[cfg(feature = "server")]
pub use error::ServerError;
