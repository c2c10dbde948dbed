#![doc = include_str!("../README.md")]
//!
//! # This crate
//!
//! This crate holds no code of its own: it re-exports the others, each behind a feature of its name. Most are on by
//! default; `default-features = false` leaves the tool model and the checked call.

#[cfg(feature = "agent")]
pub use opentool_agent as agent;
#[cfg(feature = "agent")]
pub use opentool_agent::{Agent, chat};
pub use opentool_core::*;
#[cfg(feature = "doc")]
pub use opentool_doc as doc;
#[cfg(feature = "macros")]
pub use opentool_macros as macros;
#[cfg(feature = "macros")]
pub use opentool_macros::enum_names;
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/tool.md")]
pub use opentool_macros::tool;
#[cfg(feature = "mcp")]
pub use opentool_mcp as mcp;
#[cfg(feature = "openapi")]
pub use opentool_openapi as openapi;
#[cfg(feature = "otel")]
pub use opentool_otel as otel;
pub use opentool_schema as schema;
pub use opentool_schema::ToolSetExt;
#[cfg(feature = "server")]
pub use opentool_server::server;
#[cfg(feature = "client")]
pub use opentool_server::{client, mock};

#[cfg(all(feature = "macros", feature = "register"))]
#[doc = include_str!("../docs/tool2schema.md")]
pub mod tool2schema {}
