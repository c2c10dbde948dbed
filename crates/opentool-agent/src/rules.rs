//! What a host says about single tools: how long, how often, beside what, and what becomes of their results.
//!
//! The host says it by name, because definitions may come from strangers. What is not said here is as it is for all
//! tools of the [`crate::Dispatcher`].

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use opentool_core::{ToolError, ToolOutput};
use tokio::sync::Semaphore;

use crate::effects::Effects;
use crate::{ErrorClass, OnError, OnInterrupted};

type Convert = Arc<dyn Fn(ToolOutput) -> ToolOutput + Send + Sync>;
type Again = Arc<dyn Fn(&ToolError) -> bool + Send + Sync>;

/// What holds for one tool.
///
/// ```
/// use std::time::Duration;
/// use opentool_agent::ToolRules;
///
/// let slow = ToolRules::new().timeout(Duration::from_secs(300)).retries(2).at_a_time(1);
/// let transfer = ToolRules::new().writes("accounts");
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct ToolRules {
    pub(crate) timeout: Option<Option<Duration>>,
    pub(crate) retries: u32,
    pub(crate) wait: Duration,
    again: Option<Again>,
    pub(crate) slots: Option<Arc<Semaphore>>,
    pub(crate) effects: Option<Effects>,
    pub(crate) convert: Option<Convert>,
    pub(crate) result_limit: Option<Option<usize>>,
    pub(crate) errors: Vec<(ErrorClass, OnError)>,
    pub(crate) interrupted: Option<OnInterrupted>,
}

impl ToolRules {
    /// As for all tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long one attempt may take; `None` for no limit. The deadline of the context holds as well.
    pub fn timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.timeout = Some(limit.into());
        self
    }

    /// Sets how often a failed call is made again, without the model. Default: never, because a call that failed may
    /// have done its work. Made again is what may pass: a service that is down, overloaded or slow; see
    /// [`ToolRules::retry_if`].
    pub fn retries(mut self, times: u32) -> Self {
        self.retries = times;
        self
    }

    /// Sets the wait before a further attempt, which doubles each time. Default: none.
    pub fn retry_wait(mut self, first: Duration) -> Self {
        self.wait = first;
        self
    }

    /// Sets which failures are worth a further attempt. Default: no answer in time, and services that say 408, 425, 429
    /// or 5xx.
    pub fn retry_if(mut self, again: impl Fn(&ToolError) -> bool + Send + Sync + 'static) -> Self {
        self.again = Some(Arc::new(again));
        self
    }

    /// Sets how many calls of this tool run at the same time, at least 1, counted over all runs of this dispatcher and
    /// its clones. Others wait; their time has not begun. A tool that calls itself through an agent needs two.
    pub fn at_a_time(mut self, calls: usize) -> Self {
        self.slots = Some(Arc::new(Semaphore::new(calls.clamp(1, Semaphore::MAX_PERMITS))));
        self
    }

    /// Lets the tool run alone: calls before it in an answer end first, calls after it wait, also while a person is asked
    /// about it. Tools that say of themselves that they may destroy something do so by default. An imported tool that does
    /// not say that it only reads (a `POST`, an MCP tool without hints) runs beside no other tool of its source by default;
    /// a function of one's own without a hint runs beside any.
    pub fn exclusive(mut self) -> Self {
        self.effects = Some(Effects::Barrier);
        self
    }

    /// Lets the tool run beside any other, whatever it says of itself.
    pub fn overlapping(mut self) -> Self {
        self.effects = Some(Effects::Free);
        self
    }

    /// Says that the tool reads the thing of this name: it does not run beside one that writes it.
    pub fn reads(mut self, thing: impl Into<String>) -> Self {
        self.effects = Some(self.effects.unwrap_or_default().reads(thing.into()));
        self
    }

    /// Says that the tool writes the thing of this name: it does not run beside one that reads or writes it. Tools of
    /// which only one may run at a time are those that write the same thing.
    pub fn writes(mut self, thing: impl Into<String>) -> Self {
        self.effects = Some(self.effects.unwrap_or_default().writes(thing.into()));
        self
    }

    /// Sets what becomes of the tool's output before anybody sees it. Errors of the call do not come here.
    pub fn convert(mut self, convert: impl Fn(ToolOutput) -> ToolOutput + Send + Sync + 'static) -> Self {
        self.convert = Some(Arc::new(convert));
        self
    }

    /// Sets how many bytes of a result the model gets; `None` for all.
    pub fn result_limit(mut self, bytes: impl Into<Option<usize>>) -> Self {
        self.result_limit = Some(bytes.into());
        self
    }

    /// Sets who hears of this tool's failures of this class; it goes before what [`crate::ErrorPolicy`] says.
    pub fn on_error(mut self, class: ErrorClass, then: OnError) -> Self {
        self.errors.push((class, then));
        self
    }

    /// Sets what becomes of a call of this tool that had begun when its run was interrupted; it goes before what
    /// [`crate::Agent::on_interrupted`] says.
    pub fn on_interrupted(mut self, then: OnInterrupted) -> Self {
        self.interrupted = Some(then);
        self
    }

    /// Whether a further attempt may help.
    pub(crate) fn is_worth_another(&self, error: &ToolError) -> bool {
        match &self.again {
            Some(again) => again(error),
            None => match error {
                ToolError::TimedOut(_) => true,
                ToolError::Upstream(upstream) => {
                    upstream.status.is_none_or(|status| matches!(status, 408 | 425 | 429 | 500..))
                }
                _ => false,
            },
        }
    }
}

impl fmt::Debug for ToolRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolRules")
            .field("timeout", &self.timeout)
            .field("retries", &self.retries)
            .field("effects", &self.effects)
            .field("result_limit", &self.result_limit)
            .field("errors", &self.errors)
            .finish_non_exhaustive()
    }
}
