//! Asking again: a layer around any model.
//!
//! Only what may pass is asked again: too many requests, a service that is down, an exchange that broke off. A stream
//! is begun again only as long as nothing of it was told. Refusals and wrong requests are not: they stay what they are.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use opentool_core::{BoxFuture, ChatModel, ChatReply, ChatRequest, ModelError, ReplyStream};
use tokio::time::sleep;

use super::begun::{beginning_with, begun};

/// A model that is asked again when an answer fails in passing.
///
/// ```
/// use std::time::Duration;
/// use opentool_agent::chat::{Model, Provider, Retry};
///
/// let model = Model::new(Provider::Ollama, "qwen3");
/// let patient = Retry::new(model).attempts(6).longest_wait(Duration::from_secs(120));
/// ```
#[derive(Clone)]
pub struct Retry<M> {
    model: M,
    attempts: u32,
    first: Duration,
    longest: Duration,
}

impl<M: ChatModel> Retry<M> {
    /// A model that is asked three times at most, after half a second and a second.
    pub fn new(model: M) -> Self {
        Self { model, attempts: 3, first: Duration::from_millis(500), longest: Duration::from_secs(30) }
    }

    /// Sets how often a question is asked at most, the first time included. Default: 3.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// Sets the wait before the second attempt, which doubles with each further one. Up to a quarter is taken off by
    /// chance, so that many who were turned away do not come back together. Default: 500 ms.
    pub fn first_wait(mut self, wait: Duration) -> Self {
        self.first = wait;
        self
    }

    /// Sets the longest wait. A service that asks for a longer one is not asked again: the error says how long.
    /// Default: 30 seconds.
    pub fn longest_wait(mut self, wait: Duration) -> Self {
        self.longest = wait;
        self
    }

    /// The model that is asked.
    pub fn inner(&self) -> &M {
        &self.model
    }

    /// How long to wait after this many attempts; `None` to give up.
    fn wait(&self, error: &ModelError, attempts: u32) -> Option<Duration> {
        if attempts >= self.attempts || !error.is_transient() {
            return None;
        }
        if let ModelError::RateLimited { retry_after: Some(asked), .. } = error {
            return (*asked <= self.longest).then_some(*asked);
        }
        let doubled = self.first.saturating_mul(2_u32.saturating_pow(attempts.saturating_sub(1)));
        let chance = u32::try_from(RandomState::new().hash_one(attempts) % 256).unwrap_or(0);
        let whole = doubled.min(self.longest);
        Some(whole.saturating_sub(whole.saturating_mul(chance) / 1_024))
    }

    /// Asks until there is an answer, or the beginning of one.
    async fn ask<T, F>(&self, ask: impl Fn() -> F) -> Result<T, ModelError>
    where
        F: Future<Output = Result<T, ModelError>>,
    {
        let mut attempts = 0_u32;
        loop {
            attempts = attempts.saturating_add(1);
            match ask().await {
                Ok(answer) => return Ok(answer),
                Err(error) => match self.wait(&error, attempts) {
                    Some(wait) => sleep(wait).await,
                    None => return Err(error),
                },
            }
        }
    }
}

impl<M: ChatModel> ChatModel for Retry<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn provider_name(&self) -> Option<&str> {
        self.model.provider_name()
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(self.ask(move || self.model.reply(request)))
    }

    fn stream<'a>(&'a self, request: ChatRequest<'a>) -> ReplyStream<'a> {
        beginning_with(self.ask(move || begun(self.model.stream(request))))
    }
}

impl<M: fmt::Debug> fmt::Debug for Retry<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("model", &self.model)
            .field("attempts", &self.attempts)
            .finish_non_exhaustive()
    }
}
