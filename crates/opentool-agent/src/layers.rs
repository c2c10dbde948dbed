//! Layers around tools and models: limits, caches and changes that every one of them can get, whoever wrote it.
//!
//! A layer is put around one tool (`layer.layer(tool)`) or around all of a set (`tools.layer(&layer)?`); several are
//! put on one after the other, the last one outermost. The checked call stays outside all of them: arguments are
//! validated before a layer sees them.
//!
//! ```
//! use std::time::Duration;
//! use opentool_agent::layers::{Cache, RateLimit, Retry, Timeout};
//! # use opentool_core::{NameClash, ToolSet};
//! # fn f(tools: ToolSet) -> Result<ToolSet, NameClash> {
//! let tools = tools
//!     .layer(&Timeout::new(Duration::from_secs(10)))?
//!     .layer(&Retry::new())?
//!     .layer(&RateLimit::new(5, Duration::from_secs(1)))?
//!     .layer(&Cache::shared(Duration::from_secs(60)))?;
//! # Ok(tools)
//! # }
//! ```
//!
//! Models are layered the same way: [`LayeredModel::layer`] takes [`AnswerCache`], [`Redact`], [`Trace`] and [`RateLimit`].
//!
//! ```
//! use std::time::Duration;
//! use opentool_agent::chat;
//! use opentool_agent::layers::{AnswerCache, LayeredModel as _, Redact, Trace};
//!
//! # fn f() -> Result<(), opentool_core::ModelError> {
//! let model = chat::model("ollama:qwen3")?
//!     .layer(&Redact::secrets())
//!     .layer(&AnswerCache::new(Duration::from_secs(3_600)))
//!     .layer(&Trace::new());
//! # Ok(())
//! # }
//! ```
//!
//! Whether a call is allowed at all, [`Approve`] asks for tools that are served or called by hand. An agent has approvals of
//! its own, which are better there: a person may have to be asked, and a run can wait for that in another process.

mod answers;
mod approve;
mod around;
mod augment;
mod cache;
mod child;
mod model;
mod rate_limit;
mod redact;
mod retry;
mod store;
mod timeout;
mod trace;

pub use answers::{AnswerCache, Remembering};
pub use approve::Approve;
pub use augment::{Augment, Filled};
pub use cache::Cache;
pub use model::{Discreet, LayeredModel, ModelLayer, Traced};
pub use rate_limit::{Limited, RateLimit};
pub use redact::Redact;
pub use retry::Retry;
pub use timeout::Timeout;
pub use trace::Trace;

/// Which tools a layer that repeats or leaves out calls may touch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scope {
    /// Those whose author says that it does no harm. The default.
    #[default]
    Harmless,
    /// Every tool that the layer is put around: the host knows better.
    All,
}
