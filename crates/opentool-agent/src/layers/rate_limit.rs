//! How often tools, or a model, are called: for services that count.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::stream::{StreamExt as _, once};
use opentool_core::{
    Arguments, BoxFuture, ChatModel, ChatReply, ChatRequest, Layer, ModelError, ReplyStream, Tool,
    ToolContext, ToolError, ToolOutput,
};
use tokio::time::{Instant, sleep_until};

use super::around::Around;

/// So many calls in so much time, of all tools (and models) together that this layer and its clones are around.
///
/// After a quiet time as many calls go at once as the limit has; then they are spread evenly. A call whose turn comes
/// later than the longest wait, or than the call may take, is refused at once, with words that tell the model when to try
/// again. Limits that each tool has for itself are made of one layer a tool.
#[derive(Clone)]
pub struct RateLimit {
    /// The time of one call.
    step: Duration,
    /// How far ahead of its time a call may go.
    burst: Duration,
    longest: Duration,
    /// When the next call would go if calls came evenly.
    next: Arc<Mutex<Option<Instant>>>,
}

impl RateLimit {
    /// `calls` calls, at least 1, in `time`.
    pub fn new(calls: u32, time: Duration) -> Self {
        let step = time / calls.max(1);
        Self {
            step,
            burst: time.saturating_sub(step),
            longest: Duration::from_secs(30),
            next: Arc::default(),
        }
    }

    /// Sets how long a call waits for its turn at most; zero refuses what cannot go at once. Default: 30 seconds.
    pub fn longest_wait(mut self, wait: Duration) -> Self {
        self.longest = wait;
        self
    }

    /// The model, asked as often as the limit allows; what cannot wait is [`ModelError::RateLimited`].
    pub fn model<M: ChatModel>(&self, model: M) -> Limited<M> {
        Limited { limit: self.clone(), model }
    }

    /// When the call may go; how long it would have to wait, if that is too long.
    fn turn(&self, end: Option<Instant>) -> Result<Instant, Duration> {
        let now = Instant::now();
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let even = next.unwrap_or(now).max(now);
        let turn = even.checked_sub(self.burst).map_or(now, |turn| turn.max(now));
        let wait = turn.saturating_duration_since(now);
        if wait > self.longest || (!wait.is_zero() && end.is_some_and(|end| turn >= end)) {
            return Err(wait);
        }
        *next = even.checked_add(self.step);
        Ok(turn)
    }
}

impl fmt::Debug for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimit")
            .field("step", &self.step)
            .field("longest", &self.longest)
            .finish_non_exhaustive()
    }
}

impl Layer for RateLimit {
    fn layer(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        self.clone().around(inner)
    }
}

impl Around for RateLimit {
    async fn call(
        &self,
        inner: &dyn Tool,
        cx: &ToolContext,
        arguments: Arguments,
    ) -> Result<ToolOutput, ToolError> {
        match self.turn(cx.ends_at().map(Instant::from_std)) {
            Ok(turn) => {
                if turn > Instant::now() {
                    sleep_until(turn).await;
                }
                inner.call(cx, arguments).await
            }
            Err(wait) => {
                let seconds = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0));
                Err(ToolError::Refused(format!("too many calls; try again in {seconds} s").into()))
            }
        }
    }
}

/// A model that is asked as often as a [`RateLimit`] allows.
#[derive(Debug, Clone)]
pub struct Limited<M> {
    limit: RateLimit,
    model: M,
}

impl<M> Limited<M> {
    async fn wait(&self) -> Result<(), ModelError> {
        match self.limit.turn(None) {
            Ok(turn) => {
                if turn > Instant::now() {
                    sleep_until(turn).await;
                }
                Ok(())
            }
            Err(wait) => Err(ModelError::RateLimited {
                message: "the limit of this program is reached".into(),
                retry_after: Some(wait),
            }),
        }
    }
}

impl<M: ChatModel> ChatModel for Limited<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn provider_name(&self) -> Option<&str> {
        self.model.provider_name()
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(async move {
            self.wait().await?;
            self.model.reply(request).await
        })
    }

    fn stream<'a>(&'a self, request: ChatRequest<'a>) -> ReplyStream<'a> {
        let begin = async move {
            match self.wait().await {
                Ok(()) => self.model.stream(request),
                Err(error) => once(async { Err(error) }).boxed(),
            }
        };
        Box::pin(once(begin).flatten())
    }
}
