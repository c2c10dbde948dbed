//! The chat model, as the loop sees it.
//!
//! A provider's HTTP client, a script for a test, a recording: all are this trait.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{AssistantMessage, BoxError, BoxFuture, Message, ToolSet};

/// A model that answers a conversation, possibly with tool calls.
pub trait ChatModel: Send + Sync + 'static {
    /// A name for people and logs: `gpt-5`, `script`.
    fn name(&self) -> &str;

    /// Answers the conversation.
    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>>;
}

impl<M: ChatModel + ?Sized> ChatModel for Arc<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        (**self).reply(request)
    }
}

/// One question to a model.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ChatRequest<'a> {
    /// The conversation so far.
    pub messages: &'a [Message],
    /// The tools that the model may ask for.
    pub tools: &'a ToolSet,
}

impl<'a> ChatRequest<'a> {
    /// A question with these tools.
    pub fn new(messages: &'a [Message], tools: &'a ToolSet) -> Self {
        Self { messages, tools }
    }
}

/// One answer of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChatReply {
    /// What it said and wants called.
    pub message: AssistantMessage,
    /// Why it stopped.
    pub stop: StopReason,
    /// What it cost.
    pub usage: Usage,
}

impl ChatReply {
    /// An answer whose stop reason follows from whether it asks for calls.
    pub fn new(message: AssistantMessage) -> Self {
        let stop = if message.tool_calls.is_empty() { StopReason::End } else { StopReason::ToolCalls };
        Self { message, stop, usage: Usage::default() }
    }

    /// Sets the stop reason.
    pub fn stop(mut self, stop: StopReason) -> Self {
        self.stop = stop;
        self
    }

    /// Sets the usage.
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// It had said everything.
    End,
    /// It waits for the results of its calls.
    ToolCalls,
    /// It ran into its output limit; its last call may be cut off.
    Length,
    /// The provider or the model refused.
    Refusal,
    /// Anything else, in the provider's word.
    Other(String),
}

/// Tokens that a request took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
}

impl Usage {
    /// Tokens read and written.
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens }
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
    }
}

/// Why a model gave no answer, by what the caller can do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// There is no key, or it was refused.
    #[error("the model's key is missing or was refused: {0}")]
    Unauthorized(Box<str>),
    /// Too many requests; later it may work.
    #[error("the model's service asks to slow down: {0}")]
    RateLimited(Box<str>),
    /// The service refused the request.
    #[error("the model's service refused the request (HTTP {status}): {message}")]
    Rejected {
        /// The HTTP status.
        status: u16,
        /// What the service said, bounded.
        message: Box<str>,
    },
    /// The service could not be reached, or broke off.
    #[error("the model's service could not be reached: {message}")]
    Unreachable {
        /// What happened.
        message: Box<str>,
        /// The cause.
        #[source]
        source: Option<BoxError>,
    },
    /// The service answered something that is not its documented format.
    #[error("the model's service answered something unexpected: {0}")]
    Protocol(Box<str>),
    /// A script or a recording has no answer for this question.
    #[error("the scripted model has no further answer: {0}")]
    ScriptEnded(Box<str>),
}
