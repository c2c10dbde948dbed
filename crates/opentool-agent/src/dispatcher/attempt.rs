//! One attempt at a call that may run: its time, its own cancellation, and what its tool tells meanwhile.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use opentool_core::{Cancellation, ToolCall, ToolContext, ToolError, ToolOutput, ToolSet};
use opentool_schema::ToolSetExt as _;
use tokio::time::{Instant, timeout_at};

use super::Dispatcher;
use crate::agent_tool::{AGENT, Around};
use crate::event::CallEvents;

impl Dispatcher {
    /// Runs the tool once.
    pub(super) async fn attempt(
        &self,
        tools: &ToolSet,
        call: &ToolCall,
        limit: Option<Duration>,
    ) -> Result<ToolOutput, ToolError> {
        let started = Instant::now();
        let host = self.context.cancel_signal();
        if host.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        let deadline = self.deadline(started, limit);
        if deadline.is_some_and(|at| at <= started) {
            // Nothing begins that nobody waits for.
            return Err(ToolError::TimedOut(Duration::ZERO));
        }
        let signal = Abandoned::new();
        let mut context = self.context_of(call, deadline, &signal);
        if tools.get(&call.name).is_some_and(|tool| tool.definition().origin.kind == AGENT) {
            let (observers, approver) = (self.observers.clone(), self.approver.clone());
            context = context.fact(Around::new(call, observers, approver, self.spans.conversation.clone()));
        }
        let running = async {
            let running = tools.call(&context, call);
            match deadline {
                Some(at) => timeout_at(at, running)
                    .await
                    .unwrap_or_else(|_| Err(ToolError::TimedOut(at.saturating_duration_since(started)))),
                None => running.await,
            }
        };
        match select(pin!(running), host.cancelled()).await {
            Either::Left((result, _)) => {
                if !matches!(result, Err(ToolError::TimedOut(_))) {
                    signal.disarm();
                }
                result
            }
            Either::Right(((), _)) => Err(ToolError::Cancelled),
        }
    }

    /// The sooner of the call's own limit and the context's deadline.
    fn deadline(&self, started: Instant, limit: Option<Duration>) -> Option<Instant> {
        let own = limit.and_then(|limit| started.checked_add(limit));
        let host = self.context.ends_at().map(Instant::from_std);
        match (own, host) {
            (Some(own), Some(host)) => Some(own.min(host)),
            (own, host) => own.or(host),
        }
    }

    fn context_of(&self, call: &ToolCall, deadline: Option<Instant>, signal: &Abandoned) -> ToolContext {
        let mut context = self.context.clone().call_id(call.id.as_str()).cancellation(signal.0.clone());
        if let Some(at) = deadline {
            context = context.deadline(at.into_std());
        }
        if self.is_watched() {
            let host = self.context.event_sink().cloned();
            context = context.events(CallEvents::new(self.observers.clone(), call, host));
        }
        context
    }
}

/// A call's own cancellation. Triggered when the call is given up in whatever way, a dropped future included, so
/// that work which the tool started elsewhere hears of it.
struct Abandoned(Cancellation);

impl Abandoned {
    fn new() -> Self {
        Self(Cancellation::new())
    }

    /// The call came to its own end.
    fn disarm(mut self) {
        self.0 = Cancellation::new();
    }
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
