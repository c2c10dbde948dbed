//! Calling again: a tool whose failure may pass is called again before anybody hears of it.
//!
//! This is without the model. A model that reads of a failure can try again by itself, with better arguments; that
//! needs no layer.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;

use opentool_core::{Arguments, Layer, Tool, ToolContext, ToolError, ToolOutput};
use tokio::time::{Instant, sleep};

use super::Scope;
use super::around::Around;

/// Calls a tool again when it failed in passing.
///
/// By default only tools that say that they are read-only or idempotent, because another call of any other may do its
/// deed twice; and only failures of services that may pass: unreachable, too slow, overloaded (408, 425, 429, 5xx). A
/// wait for which the call has no time is not begun. An output that came after more than one attempt says so to the
/// host: `attempts` in its metadata.
#[derive(Clone)]
pub struct Retry {
    attempts: u32,
    first: Duration,
    longest: Duration,
    scope: Scope,
    when: Arc<dyn Fn(&ToolError) -> bool + Send + Sync>,
}

impl Retry {
    /// Three attempts at most, after 200 ms and 400 ms.
    pub fn new() -> Self {
        Self {
            attempts: 3,
            first: Duration::from_millis(200),
            longest: Duration::from_secs(10),
            scope: Scope::default(),
            when: Arc::new(may_pass),
        }
    }

    /// Sets how often a call is made at most, the first time included. Default: 3.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// Sets the wait before the second attempt, which doubles with each further one; up to a quarter is taken off by
    /// chance. Default: 200 ms.
    pub fn first_wait(mut self, wait: Duration) -> Self {
        self.first = wait;
        self
    }

    /// Sets the longest wait. Default: 10 seconds.
    pub fn longest_wait(mut self, wait: Duration) -> Self {
        self.longest = wait;
        self
    }

    /// Sets which tools are called again; the others are left as they are. Default: [`Scope::Harmless`], those that say
    /// that they are read-only or idempotent.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Sets after which failures. Default: failures of services that may pass, and time limits.
    pub fn when(mut self, when: impl Fn(&ToolError) -> bool + Send + Sync + 'static) -> Self {
        self.when = Arc::new(when);
        self
    }

    /// How long to wait after this many attempts; `None` to give up.
    fn wait(&self, error: &ToolError, attempts: u32, end: Option<Instant>) -> Option<Duration> {
        if attempts >= self.attempts || !(self.when)(error) {
            return None;
        }
        let doubled = self.first.saturating_mul(2_u32.saturating_pow(attempts.saturating_sub(1)));
        let whole = doubled.min(self.longest);
        let chance = u32::try_from(RandomState::new().hash_one(attempts) % 256).unwrap_or(0);
        let wait = whole.saturating_sub(whole.saturating_mul(chance) / 1_024);
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        left.is_none_or(|left| wait < left).then_some(wait)
    }
}

/// Whether a failure may be gone with the next call.
fn may_pass(error: &ToolError) -> bool {
    match error {
        ToolError::TimedOut(_) => true,
        ToolError::Upstream(upstream) => upstream
            .status
            .is_none_or(|status| matches!(status, 408 | 425 | 429 | 500 | 502..=504 | 520..=529)),
        _ => false,
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("attempts", &self.attempts)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

impl Layer for Retry {
    fn layer(&self, inner: Arc<dyn Tool>) -> Arc<dyn Tool> {
        let hints = inner.definition().annotations;
        let harmless = hints.read_only == Some(true) || hints.idempotent == Some(true);
        if self.scope == Scope::Harmless && !harmless {
            return inner;
        }
        self.clone().around(inner)
    }
}

impl Around for Retry {
    async fn call(
        &self,
        inner: &dyn Tool,
        cx: &ToolContext,
        arguments: Arguments,
    ) -> Result<ToolOutput, ToolError> {
        let end = cx.ends_at().map(Instant::from_std);
        let mut attempts = 0_u32;
        loop {
            attempts = attempts.saturating_add(1);
            let error = match inner.call(cx, arguments.clone()).await {
                Ok(output) if attempts > 1 => return Ok(output.metadata("attempts", attempts)),
                Ok(output) => return Ok(output),
                Err(error) => error,
            };
            if cx.cancel_signal().is_cancelled() {
                return Err(error);
            }
            match self.wait(&error, attempts, end) {
                Some(wait) => sleep(wait).await,
                None => return Err(error),
            }
        }
    }
}
