//! Answers of a model kept for a while: the same question is not paid for twice.
//!
//! Bounded in number, bytes and age. Only answers that end a turn in words are kept: failures may pass, an answer that was cut
//! off or refused may come whole the next time, and calls have ids of their own and do things each time.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use opentool_core::{
    BoxFuture, ChatModel, ChatReply, ChatRequest, ModelError, ReplyEvent, ReplyStream, StopReason, Usage,
};
use serde_json::{Value, json};

use super::ModelLayer;
use super::store::{Room, Store};

/// Keeps the answers of a model by what it is asked: all messages, the definitions of the tools and the choices among
/// them. An answer that was kept costs nothing: its usage is zero, and a stream tells it at once.
///
/// For questions that come again as they were: classifying, extracting, tests. Whoever asks the same gets the same: models
/// with a temperature no longer vary. Each model that it is put around has a store of its own, which clones of it share.
#[derive(Debug, Clone)]
pub struct AnswerCache {
    ttl: Duration,
    entries: usize,
    bytes: usize,
}

impl AnswerCache {
    /// Answers are good for this long.
    pub fn new(ttl: Duration) -> Self {
        Self { ttl, entries: 1_000, bytes: 16 * 1024 * 1024 }
    }

    /// Sets how many answers are kept at most; the one that was not asked for the longest goes first. Default: 1,000.
    pub fn entries(mut self, most: usize) -> Self {
        self.entries = most;
        self
    }

    /// Sets how many bytes questions and answers may have together. Default: 16 MiB.
    pub fn bytes(mut self, most: usize) -> Self {
        self.bytes = most;
        self
    }
}

impl ModelLayer for AnswerCache {
    type Around<M: ChatModel> = Remembering<M>;

    fn around<M: ChatModel>(&self, model: M) -> Remembering<M> {
        Remembering { cache: self.clone(), model, store: Arc::default() }
    }
}

/// A model whose answers are kept.
#[derive(Clone)]
pub struct Remembering<M> {
    cache: AnswerCache,
    model: M,
    store: Arc<Mutex<Store<ChatReply>>>,
}

impl<M> Remembering<M> {
    fn store(&self) -> std::sync::MutexGuard<'_, Store<ChatReply>> {
        // A panic elsewhere leaves a whole store behind.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self, key: &str) -> Option<ChatReply> {
        let (reply, _) = self.store().get(key, self.cache.ttl)?;
        Some(reply.usage(Usage::default()))
    }

    fn keep(&self, key: String, reply: &ChatReply) {
        if reply.stop != StopReason::End || !reply.message.tool_calls.is_empty() {
            return;
        }
        let Ok(written) = serde_json::to_string(reply) else { return };
        let bytes = key.len().saturating_add(written.len());
        let room = Room { entries: self.cache.entries, bytes: self.cache.bytes };
        self.store().put(key, reply.clone(), bytes, room);
    }
}

/// Everything that a model is asked with; `None` for what cannot be written.
fn key(request: &ChatRequest<'_>) -> Option<String> {
    let tools: Vec<Value> = request
        .tools
        .definitions()
        .map(|tool| json!([tool.name, tool.description, tool.input_schema.as_value()]))
        .collect();
    let asked = (request.messages, tools, request.tool_choice, request.parallel_calls, request.strict);
    serde_json::to_string(&asked).ok()
}

impl<M: ChatModel> ChatModel for Remembering<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn provider_name(&self) -> Option<&str> {
        self.model.provider_name()
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(async move {
            let Some(key) = key(&request) else { return self.model.reply(request).await };
            if let Some(reply) = self.kept(&key) {
                return Ok(reply);
            }
            let reply = self.model.reply(request).await?;
            self.keep(key, &reply);
            Ok(reply)
        })
    }

    fn stream<'a>(&'a self, request: ChatRequest<'a>) -> ReplyStream<'a> {
        let Some(key) = key(&request) else { return self.model.stream(request) };
        if let Some(reply) = self.kept(&key) {
            return Box::pin(iter(ReplyEvent::of(reply).map(Ok)));
        }
        let mut key = Some(key);
        Box::pin(self.model.stream(request).inspect(move |event| {
            if let Ok(ReplyEvent::Done { reply }) = event
                && let Some(key) = key.take()
            {
                self.keep(key, reply);
            }
        }))
    }
}

impl<M: fmt::Debug> fmt::Debug for Remembering<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remembering")
            .field("cache", &self.cache)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}
