//! What a tool knows about the call it serves: facts of the host, never of the model.
//!
//! A context is a value that is cheap to clone. Nothing in it is ever sent to a model or written to a span.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use crate::{BoxFuture, Cancellation, ToolDefinition, ToolOutput};

/// The host's side of one call: facts by type and by key, id, deadline, cancellation, events.
#[derive(Clone, Default)]
pub struct ToolContext {
    call_id: Option<Arc<str>>,
    facts: Arc<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
    values: Arc<HashMap<String, Value>>,
    deadline: Option<Instant>,
    cancellation: Cancellation,
    /// The signal is the host's, not the one that every context begins with.
    cancellable: bool,
    events: Option<Arc<dyn EventSink>>,
}

impl ToolContext {
    /// A context with nothing in it: no facts, no deadline, nobody listening.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fact, found by its type: a tenant, a database pool, the signed-in customer. The last one of a
    /// type wins.
    pub fn fact<T: Any + Send + Sync>(mut self, fact: T) -> Self {
        Arc::make_mut(&mut self.facts).insert(TypeId::of::<T>(), Arc::new(fact));
        self
    }

    /// Adds a value, found by its key.
    pub fn value(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        Arc::make_mut(&mut self.values).insert(key.into(), value.into());
        self
    }

    /// Says which call this is.
    pub fn call_id(mut self, id: impl Into<Arc<str>>) -> Self {
        self.call_id = Some(id.into());
        self
    }

    /// Says when the answer must be there. A fact for the tool; the host enforces it.
    pub fn deadline(mut self, at: Instant) -> Self {
        self.deadline = Some(at);
        self
    }

    /// The signal by which the host gives up on the call.
    pub fn cancellation(mut self, signal: Cancellation) -> Self {
        self.cancellation = signal;
        self.cancellable = true;
        self
    }

    /// Who receives progress, partial outputs and the summaries of requests.
    pub fn events(mut self, sink: impl EventSink) -> Self {
        self.events = Some(Arc::new(sink));
        self
    }

    /// This context with what another one says: its facts, values, call id, signal and receiver of events win, one by
    /// one, over those that are here. Of two deadlines the sooner one holds.
    ///
    /// ```
    /// # use opentool_core::ToolContext;
    /// let usual = ToolContext::new().value("tenant", "acme").value("locale", "en");
    /// let now = usual.merge(ToolContext::new().value("locale", "fr"));
    /// assert_eq!(now.get_value("tenant").unwrap(), "acme");
    /// assert_eq!(now.get_value("locale").unwrap(), "fr");
    /// ```
    pub fn merge(mut self, other: Self) -> Self {
        if !other.facts.is_empty() {
            let theirs = other.facts.iter().map(|(kind, fact)| (*kind, Arc::clone(fact)));
            Arc::make_mut(&mut self.facts).extend(theirs);
        }
        if !other.values.is_empty() {
            let theirs = other.values.iter().map(|(key, value)| (key.clone(), value.clone()));
            Arc::make_mut(&mut self.values).extend(theirs);
        }
        if other.cancellable {
            self = self.cancellation(other.cancellation);
        }
        self.call_id = other.call_id.or(self.call_id);
        self.events = other.events.or(self.events);
        self.deadline = match (self.deadline, other.deadline) {
            (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        self
    }

    /// The first thing that the tool cannot do without ([`ToolDefinition::needs`], [`ToolDefinition::needs_fact`])
    /// and that is not in here.
    ///
    /// # Errors
    /// [`MissingContext`].
    pub fn check_needs(&self, definition: &ToolDefinition) -> Result<(), MissingContext> {
        let missing = definition.needs.iter().find(|need| match need {
            Need::Value(key) => !self.values.contains_key(key),
            Need::Fact(kind, _) => !self.facts.contains_key(kind),
        });
        match missing {
            None => Ok(()),
            Some(need) => Err(MissingContext { tool: definition.name.clone(), need: need.clone() }),
        }
    }

    /// The fact of type `T`, if the host gave one.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.facts.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// The value under `key`, if the host gave one.
    pub fn get_value(&self, key: &str) -> Option<&Value> {
        self.values.get(key)
    }

    /// The caller's id of this call.
    pub fn id(&self) -> Option<&str> {
        self.call_id.as_deref()
    }

    /// When the answer must be there.
    pub fn ends_at(&self) -> Option<Instant> {
        self.deadline
    }

    /// The signal by which the host gives up: await `cancelled()` on it, or ask `is_cancelled()`.
    pub fn cancel_signal(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Who receives progress, partial outputs and the summaries of requests, for a host that passes them on.
    pub fn event_sink(&self) -> Option<&Arc<dyn EventSink>> {
        self.events.as_ref()
    }

    /// Reports progress. Waits while the receiver is full; does nothing where nobody listens.
    pub async fn progress(&self, progress: impl Into<Progress>) {
        self.emit(|| ToolEvent::Progress(progress.into())).await;
    }

    /// Sends a part of the output ahead of the final one. Waits while the receiver is full; does nothing
    /// where nobody listens.
    pub async fn partial(&self, output: impl Into<ToolOutput>) {
        self.emit(|| ToolEvent::Partial(output.into())).await;
    }

    /// Tells the host that a request leaves for a service behind the tool: its summary, such as
    /// `GET https://api.example/pet/1`, with secrets masked. Tell it right before the request is sent. It is never
    /// for a model or a client. Waits while the receiver is full; does nothing where nobody listens.
    pub async fn sent(&self, request: impl Into<String>) {
        self.emit(|| ToolEvent::Sent(request.into())).await;
    }

    async fn emit(&self, event: impl FnOnce() -> ToolEvent) {
        if let Some(sink) = &self.events {
            sink.send(event()).await;
        }
    }
}

impl std::fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Facts and values may be secrets: only how many there are.
        f.debug_struct("ToolContext")
            .field("call_id", &self.call_id)
            .field("facts", &self.facts.len())
            .field("values", &self.values.len())
            .field("deadline", &self.deadline)
            .field("cancellation", &self.cancellation)
            .finish_non_exhaustive()
    }
}

/// Something of the host that a tool cannot do without.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// A value under this key: [`ToolContext::value`].
    Value(String),
    /// A fact of this type, with its name for people: [`ToolContext::fact`].
    Fact(TypeId, &'static str),
}

/// The host did not give a tool what it cannot do without. No model can mend that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the tool `{tool}` needs {} in its context, and the host gave none: {}", named(need), given(need))]
#[non_exhaustive]
pub struct MissingContext {
    /// The tool.
    pub tool: String,
    /// What it needs.
    pub need: Need,
}

fn named(need: &Need) -> String {
    match need {
        Need::Value(key) => format!("the value `{key}`"),
        Need::Fact(_, name) => format!("a fact of the type `{name}`"),
    }
}

fn given(need: &Need) -> String {
    match need {
        Need::Value(key) => format!("add it with `ToolContext::value(\"{key}\", ..)`"),
        Need::Fact(..) => "add it with `ToolContext::fact(..)`".to_owned(),
    }
}

/// What a tool tells the host while it runs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ToolEvent {
    /// How far it is.
    Progress(Progress),
    /// A part of the output.
    Partial(ToolOutput),
    /// A request left for a service behind the tool: its summary for the host, secrets masked.
    Sent(String),
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Units done; grows from report to report.
    pub done: f64,
    /// Units in all, where known.
    pub total: Option<f64>,
    /// What is being done, for a person.
    pub message: Option<String>,
}

impl Progress {
    /// `done` units of an unknown total.
    pub fn new(done: f64) -> Self {
        Self { done, total: None, message: None }
    }

    /// Units in all.
    pub fn total(mut self, total: f64) -> Self {
        self.total = Some(total);
        self
    }

    /// What is being done, for a person.
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }
}

impl From<f64> for Progress {
    fn from(done: f64) -> Self {
        Self::new(done)
    }
}

/// A receiver of what tools tell while they run.
pub trait EventSink: Send + Sync + 'static {
    /// Takes one event; may wait to slow the tool down.
    fn send(&self, event: ToolEvent) -> BoxFuture<'_, ()>;
}
