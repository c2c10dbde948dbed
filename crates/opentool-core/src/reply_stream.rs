//! An answer as it comes: pieces for those who watch, and at the end the whole answer for those who go on.
//!
//! Whatever a model streams, the last event is the same [`ChatReply`] that [`ChatModel::reply`](crate::ChatModel)
//! would have given, so that a loop needs one way to go on. The pieces before it are for people and are never put
//! together again by hosts. A model without a stream of its own tells its answer at once, in the same events.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{BoxFuture, ChatReply, ModelError, Usage};

/// What [`ChatModel::stream`](crate::ChatModel::stream) gives: events, the last of which is [`ReplyEvent::Done`] or an
/// error. Dropping it ends the exchange.
pub type ReplyStream<'a> = Pin<Box<dyn Stream<Item = Result<ReplyEvent, ModelError>> + Send + 'a>>;

/// One piece of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReplyEvent {
    /// The model goes on speaking.
    Text {
        /// What it adds.
        text: String,
    },
    /// The model goes on thinking, as far as the provider shows it.
    Reasoning {
        /// What it adds.
        text: String,
    },
    /// The model begins to write a call.
    CallStarted {
        /// How many calls of this answer began before it. That is its place among the calls of the answer, unless a server
        /// numbers them in another order than it sends them: the whole answer then has them by their numbers.
        index: usize,
        /// The name of the tool.
        name: String,
    },
    /// The arguments of a call grow. They are JSON once the answer is done, in the form in which the provider knows
    /// the tool; what the tool gets is in [`ReplyEvent::Done`].
    Arguments {
        /// Which call it is: the number that it began with.
        index: usize,
        /// What is added to their text.
        text: String,
    },
    /// What the answer costs so far; a later one replaces it.
    Usage {
        /// The tokens.
        usage: Usage,
    },
    /// The whole answer. Nothing follows.
    Done {
        /// The answer, as [`ChatModel::reply`](crate::ChatModel::reply) gives it.
        reply: ChatReply,
    },
}

impl ReplyEvent {
    /// A whole answer in events, [`ReplyEvent::Done`] last.
    pub fn of(reply: ChatReply) -> impl Iterator<Item = Self> {
        let mut events = Vec::new();
        let message = &reply.message;
        if !message.reasoning.is_empty() {
            events.push(Self::Reasoning { text: message.reasoning.clone() });
        }
        let text = message.to_text();
        if !text.is_empty() {
            events.push(Self::Text { text });
        }
        for (index, call) in message.tool_calls.iter().enumerate() {
            events.push(Self::CallStarted { index, name: call.name.clone() });
            let text = match &call.arguments {
                Value::Null => continue,
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            events.push(Self::Arguments { index, text });
        }
        if reply.usage != Usage::default() {
            events.push(Self::Usage { usage: reply.usage });
        }
        events.push(Self::Done { reply });
        events.into_iter()
    }
}

/// The stream of a model that gives its answers whole.
pub(crate) struct Whole<'a> {
    reply: Option<BoxFuture<'a, Result<ChatReply, ModelError>>>,
    events: VecDeque<ReplyEvent>,
}

impl<'a> Whole<'a> {
    pub(crate) fn new(reply: BoxFuture<'a, Result<ChatReply, ModelError>>) -> Self {
        Self { reply: Some(reply), events: VecDeque::new() }
    }
}

impl Stream for Whole<'_> {
    type Item = Result<ReplyEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(reply) = &mut self.reply {
            let reply = ready!(reply.as_mut().poll(cx));
            self.reply = None;
            match reply {
                Ok(reply) => self.events.extend(ReplyEvent::of(reply)),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
        Poll::Ready(self.events.pop_front().map(Ok))
    }
}
