//! Define a tool once, call it from any model, over any protocol.

#[cfg(feature = "agent")]
pub use opentool_agent as agent;
pub use opentool_core::*;
#[cfg(feature = "macros")]
pub use opentool_macros::{tool, tools};
#[cfg(feature = "mcp")]
pub use opentool_mcp as mcp;
#[cfg(feature = "openapi")]
pub use opentool_openapi as openapi;
pub use opentool_schema as schema;
pub use opentool_schema::ToolSetExt;
