//! Runs the calls of one answer: side by side, each to exactly one result, in the order of the calls.
//!
//! Usable alone, for a loop that its user writes. It deliberately knows nothing of models and messages, starts no
//! task and holds no state between calls: dropping the future of a call drops the tool's, and everything that
//! was going on with it.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::stream::{self, Stream, StreamExt as _};
use opentool_core::{Cancellation, ToolCall, ToolContext, ToolError, ToolOutput, ToolResult, ToolSet};
use opentool_schema::ToolSetExt as _;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::AgentEvent;
use crate::event::{CallEvents, CallFailure, Observers};

/// How long a call may take if nobody says otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How many calls of one answer run at the same time if nobody says otherwise.
const CONCURRENCY: usize = 8;

/// Runs tool calls. Clones share the tools.
///
/// Every call comes back with one result under the id that it had: an unknown name, bad arguments, a panic, a
/// timeout and a cancellation are results marked as errors, in words for the model. Calls run on the task that
/// waits for them; a tool that blocks its thread holds up the others.
#[derive(Clone)]
pub struct Dispatcher {
    tools: ToolSet,
    context: ToolContext,
    timeout: Option<Duration>,
    concurrency: usize,
    observers: Observers,
}

impl Dispatcher {
    /// Runs calls of these tools, and of no others.
    pub fn new(tools: impl Into<ToolSet>) -> Self {
        Self {
            tools: tools.into(),
            context: ToolContext::new(),
            timeout: Some(TIMEOUT),
            concurrency: CONCURRENCY,
            observers: Observers::default(),
        }
    }

    /// Sets how long one call may take; `None` for no limit. Default: 60 seconds. A deadline in the context
    /// holds as well.
    pub fn timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.timeout = limit.into();
        self
    }

    /// Sets how many calls of one answer run at the same time, at least 1. Default: 8.
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.concurrency = calls.max(1);
        self
    }

    /// Sets what the tools get to know of the host: facts, deadline, cancellation, a receiver of progress.
    pub fn context(mut self, context: ToolContext) -> Self {
        self.context = context;
        self
    }

    /// Adds someone who is told what happens, while it happens. It must not block.
    pub fn observe(mut self, observer: impl Fn(&AgentEvent) + Send + Sync + 'static) -> Self {
        self.observers.add(observer);
        self
    }

    /// The tools.
    pub fn tools(&self) -> &ToolSet {
        &self.tools
    }

    /// Tells those who watch.
    pub(crate) fn tell(&self, event: impl FnOnce() -> AgentEvent) {
        self.observers.tell(event);
    }

    /// What the host said.
    pub(crate) fn host(&self) -> &ToolContext {
        &self.context
    }

    /// Runs the calls of one answer and gives their results in the order of the calls.
    pub async fn dispatch(&self, calls: &[ToolCall]) -> Vec<ToolResult> {
        stream::iter(self.each(calls)).buffered(self.concurrency).collect().await
    }

    /// Runs the calls of one answer and gives each result as soon as it is there.
    pub(crate) fn as_they_finish<'a>(
        &'a self,
        calls: &'a [ToolCall],
    ) -> impl Stream<Item = ToolResult> + Send + 'a {
        stream::iter(self.each(calls)).buffer_unordered(self.concurrency)
    }

    /// The futures of the calls; none has begun.
    fn each<'a>(&'a self, calls: &'a [ToolCall]) -> Vec<impl Future<Output = ToolResult> + Send + 'a> {
        calls.iter().map(|call| self.call(call)).collect()
    }

    /// Runs one call. Dropping the future cancels it.
    pub async fn call(&self, call: &ToolCall) -> ToolResult {
        let started = Instant::now();
        self.observers.tell(|| AgentEvent::CallStarted {
            call_id: call.id.clone(),
            name: call.name.clone(),
            arguments: readable(&call.arguments),
        });
        let (output, failure) = match self.attempt(call, started).await {
            Ok(output) => (output, None),
            Err(error) => {
                let output = ToolOutput::from(&error).metadata("error.code", error.code());
                (output, (!self.observers.is_empty()).then(|| CallFailure::new(&error)))
            }
        };
        self.observers.tell(|| AgentEvent::CallFinished {
            call_id: call.id.clone(),
            name: call.name.clone(),
            output: output.clone(),
            failure,
            duration: started.elapsed(),
        });
        ToolResult::new(call, output)
    }

    async fn attempt(&self, call: &ToolCall, started: Instant) -> Result<ToolOutput, ToolError> {
        let host = self.context.cancel_signal();
        if host.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        let deadline = self.deadline(started);
        if deadline.is_some_and(|at| at <= started) {
            // Nothing begins that nobody waits for.
            return Err(ToolError::TimedOut(Duration::ZERO));
        }
        let signal = Abandoned::new();
        let context = self.context_of(call, deadline, &signal);
        let running = async {
            let running = self.tools.call(&context, call);
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
    fn deadline(&self, started: Instant) -> Option<Instant> {
        let own = self.timeout.and_then(|limit| started.checked_add(limit));
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
        if !self.observers.is_empty() {
            let host = self.context.event_sink().cloned();
            context = context.events(CallEvents::new(self.observers.clone(), call, host));
        }
        context
    }
}

impl std::fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dispatcher")
            .field("tools", &self.tools)
            .field("context", &self.context)
            .field("timeout", &self.timeout)
            .field("concurrency", &self.concurrency)
            .finish_non_exhaustive()
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

/// Arguments as a person wants to see them.
fn readable(arguments: &Value) -> Value {
    match arguments {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| arguments.clone()),
        other => other.clone(),
    }
}
