//! Define a tool once, call it from any model, over any protocol.
//!
//! ```
//! use opentool::{ToolCall, ToolContext, ToolSetExt, tool, tools};
//!
//! /// Adds two numbers.
//! #[tool]
//! fn add(
//!     /// The first number.
//!     a: i32,
//!     /// The second number.
//!     b: i32,
//! ) -> i64 {
//!     i64::from(a) + i64::from(b)
//! }
//!
//! # async fn run() -> Result<(), opentool::ToolError> {
//! let tools = tools![add];
//! let call = ToolCall::new("1", "add", serde_json::json!({"a": 2, "b": 3}));
//! let output = tools.call(&ToolContext::new(), &call).await?;
//! assert_eq!(output.to_text(), "5");
//! # Ok(())
//! # }
//! # futures_util::FutureExt::now_or_never(run()).unwrap().unwrap();
//! ```
//!
//! This crate holds no code of its own: it re-exports the others, each behind a feature of its name. All are on by
//! default; `default-features = false` leaves the tool model and the checked call.

#[cfg(feature = "agent")]
pub use opentool_agent as agent;
#[cfg(feature = "agent")]
pub use opentool_agent::{Agent, chat};
pub use opentool_core::*;
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/tool.md")]
pub use opentool_macros::tool;
#[cfg(feature = "mcp")]
pub use opentool_mcp as mcp;
#[cfg(feature = "openapi")]
pub use opentool_openapi as openapi;
pub use opentool_schema as schema;
pub use opentool_schema::ToolSetExt;
