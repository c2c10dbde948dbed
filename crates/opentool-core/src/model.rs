//! The chat model, as the loop sees it.
//!
//! A provider's HTTP client, a script for a test, a recording: all are this trait.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::reply_stream::Whole;
use crate::{
    AssistantMessage, BoxError, BoxFuture, Message, ParallelCalls, ReplyStream, Strict, ToolChoice, ToolSet,
};

/// A model that answers a conversation, possibly with tool calls.
pub trait ChatModel: Send + Sync + 'static {
    /// A name for people and logs: `gpt-5`, `script`.
    fn name(&self) -> &str;

    /// Whose service answers, by the names that OpenTelemetry gives providers: `openai`, `anthropic`, `gcp.gemini`.
    /// `None` for a model that is none's, such as a script.
    fn provider_name(&self) -> Option<&str> {
        None
    }

    /// Answers the conversation.
    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>>;

    /// Answers the conversation and tells the answer while it comes. The last event is
    /// [`ReplyEvent::Done`](crate::ReplyEvent::Done) with what [`ChatModel::reply`] would give, or an error.
    ///
    /// A model that does not implement this gives the whole answer in a few events once it is there.
    fn stream<'a>(&'a self, request: ChatRequest<'a>) -> ReplyStream<'a> {
        Box::pin(Whole::new(self.reply(request)))
    }
}

impl<M: ChatModel + ?Sized> ChatModel for Arc<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn provider_name(&self) -> Option<&str> {
        (**self).provider_name()
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        (**self).reply(request)
    }

    fn stream<'a>(&'a self, request: ChatRequest<'a>) -> ReplyStream<'a> {
        (**self).stream(request)
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
    /// Whether it may, must, or must not call them. Without tools it has no meaning.
    pub tool_choice: &'a ToolChoice,
    /// How many calls the answer may hold.
    pub parallel_calls: ParallelCalls,
    /// Whether arguments are held to their schema while they are written.
    pub strict: Strict,
}

impl<'a> ChatRequest<'a> {
    /// A question with these tools, which the model may call as it likes.
    pub fn new(messages: &'a [Message], tools: &'a ToolSet) -> Self {
        Self {
            messages,
            tools,
            tool_choice: &ToolChoice::Auto,
            parallel_calls: ParallelCalls::Any,
            strict: Strict::Never,
        }
    }

    /// Sets whether the model may, must, or must not call tools.
    pub fn tool_choice(mut self, choice: &'a ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// Sets how many calls the answer may hold.
    pub fn parallel_calls(mut self, calls: ParallelCalls) -> Self {
        self.parallel_calls = calls;
        self
    }

    /// Sets whether arguments are held to their schema while they are written.
    pub fn strict(mut self, strict: Strict) -> Self {
        self.strict = strict;
        self
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
    /// The model that answered, as its service names it: often more exact than the name that was asked for. `None` where
    /// the service does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Box<str>>,
}

impl ChatReply {
    /// An answer whose stop reason follows from whether it asks for calls.
    pub fn new(message: AssistantMessage) -> Self {
        let stop = if message.tool_calls.is_empty() { StopReason::End } else { StopReason::ToolCalls };
        Self { message, stop, usage: Usage::default(), model: None }
    }

    /// Whether it wants something called, and waits for the results.
    pub fn has_tool_calls(&self) -> bool {
        !self.message.tool_calls.is_empty()
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

    /// Sets which model answered.
    pub fn model(mut self, name: impl Into<Box<str>>) -> Self {
        self.model = Some(name.into());
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
    /// Tokens read, from a cache or not.
    pub input_tokens: u64,
    /// Tokens written, thoughts included.
    pub output_tokens: u64,
    /// How many of those read came from the provider's cache, which is cheaper.
    #[serde(skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// How many of those read were written into the provider's cache, which some charge extra.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// How many of those written were thoughts.
    #[serde(skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

impl Usage {
    /// Tokens read and written.
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, ..Self::default() }
    }

    /// Sets how many of the tokens read came from a cache.
    pub fn cached(mut self, tokens: u64) -> Self {
        self.cached_tokens = tokens;
        self
    }

    /// Sets how many of the tokens read were written into a cache.
    pub fn cache_writes(mut self, tokens: u64) -> Self {
        self.cache_write_tokens = tokens;
        self
    }

    /// Sets how many of the tokens written were thoughts.
    pub fn reasoning(mut self, tokens: u64) -> Self {
        self.reasoning_tokens = tokens;
        self
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
        self.cache_write_tokens = self.cache_write_tokens.saturating_add(other.cache_write_tokens);
        self.reasoning_tokens = self.reasoning_tokens.saturating_add(other.reasoning_tokens);
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
    #[error("the model's service asks to slow down: {message}")]
    RateLimited {
        /// What the service said, bounded.
        message: Box<str>,
        /// How long it asks to wait, if it says so.
        retry_after: Option<Duration>,
    },
    /// The provider has no way to do what the request asks for, or the request contradicts itself.
    #[error("the model cannot be asked so: {0}")]
    Unsupported(Box<str>),
    /// The service refused the request.
    #[error("the model's service refused the request (HTTP {status}): {message}")]
    Rejected {
        /// The HTTP status.
        status: u16,
        /// What the service said, bounded.
        message: Box<str>,
    },
    /// The service could not be reached, or broke off.
    #[error("no whole answer came from the model's service: {message}")]
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
    #[error("no answer is prepared for this question: {0}")]
    ScriptEnded(Box<str>),
}

impl ModelError {
    /// Whether the same question may be answered a little later: too many requests, a service that is down or
    /// overloaded, an exchange that broke off.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::RateLimited { .. } => true,
            // An address that cannot be asked has no cause behind it: nothing was tried.
            Self::Unreachable { source, .. } => source.is_some(),
            Self::Rejected { status, .. } => matches!(status, 408 | 409 | 425 | 500 | 502..=504 | 520..=529),
            Self::Unauthorized(_) | Self::Unsupported(_) | Self::Protocol(_) | Self::ScriptEnded(_) => false,
        }
    }
}
