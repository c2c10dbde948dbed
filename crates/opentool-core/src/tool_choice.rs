//! What a request says about the use of tools, beside which tools there are.
//!
//! Wishes, in no provider's words: a codec writes them as its provider has them, and fails where the provider
//! has no way to keep one. Nothing here is checked against a tool set; codecs do that.

use serde::{Deserialize, Serialize};

/// Whether the model may, must, or must not call tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides. The default.
    #[default]
    Auto,
    /// At least one call, of whatever tool.
    Required,
    /// No call, although the model is told of the tools: earlier calls in the conversation stay understandable.
    None,
    /// A call of the tool of this name.
    Tool(String),
    /// The model decides, among the tools of these names only. Others stay in the request where the provider can
    /// keep the model from calling them, so that its cache of the definitions stays good.
    Among(Vec<String>),
    /// At least one call, of a tool of these names.
    OneOf(Vec<String>),
}

impl ToolChoice {
    /// [`ToolChoice::Tool`].
    pub fn tool(name: impl Into<String>) -> Self {
        Self::Tool(name.into())
    }

    /// [`ToolChoice::Among`].
    pub fn among<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::Among(names.into_iter().map(Into::into).collect())
    }

    /// [`ToolChoice::OneOf`].
    pub fn one_of<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::OneOf(names.into_iter().map(Into::into).collect())
    }

    /// The names that calls are limited to; `None` where there is no limit.
    pub fn names(&self) -> Option<&[String]> {
        match self {
            Self::Tool(name) => Some(std::slice::from_ref(name)),
            Self::Among(names) | Self::OneOf(names) => Some(names),
            Self::Auto | Self::Required | Self::None => None,
        }
    }
}

/// How many calls one answer may hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ParallelCalls {
    /// What the provider does by itself: usually any number. The default.
    #[default]
    Any,
    /// One at most, where the provider has a switch for it; others are not told.
    One,
}

/// Whether tools are put into a provider's strict mode, in which the model cannot write arguments that do not fit.
///
/// It has these three values and will get no others: lowering matches on all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strict {
    /// None. The default.
    #[default]
    Never,
    /// Where it costs no valid arguments, and as far as one request allows.
    Auto,
    /// All of them; a tool that cannot be strict is refused.
    Always,
}
