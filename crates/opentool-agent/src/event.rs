//! What happens in a run, for someone who watches: a terminal, a log, a test.
//!
//! Events are told as they happen and change nothing. They are for the operator: they hold arguments, outputs and
//! causes, which never go into a log by themselves.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use opentool_core::{Arguments, BoxFuture, EventSink, ToolCall, ToolError, ToolEvent, ToolOutput, Usage};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::guard::guarded;
use crate::{Decision, Finish, HostPanic, PendingCall, Reply};

/// One thing that happened. Serialises as an object whose `event` names it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AgentEvent {
    /// The model is asked.
    RoundStarted {
        /// Which round of the turn it is, from 1.
        round: u32,
    },
    /// The model goes on speaking. A model that answers at once says all in one piece.
    TextDelta {
        /// What it adds.
        text: String,
    },
    /// The model goes on thinking, as far as its provider shows it.
    ReasoningDelta {
        /// What it adds.
        text: String,
    },
    /// The model begins to write a call. Nothing is run before its answer is complete.
    CallWriting {
        /// How many calls of this answer began before it; [`opentool_core::ReplyEvent::CallStarted`] says when that is not
        /// its place among them.
        index: usize,
        /// The name as the model wrote it.
        name: String,
    },
    /// The arguments of a call grow.
    ArgumentsDelta {
        /// Which call it is: the number that it began with.
        index: usize,
        /// What is added to their text.
        text: String,
    },
    /// The model said something: its answer, or a word beside its calls. It is the whole text, told once it is complete;
    /// whoever shows the deltas has shown it.
    Text {
        /// What it said.
        text: String,
    },
    /// What an answer cost.
    Usage {
        /// The tokens of this one answer.
        usage: Usage,
    },
    /// A call needs a person's decision. It begins, with [`AgentEvent::CallStarted`], once it is allowed.
    ApprovalNeeded {
        /// The call, as it will run.
        pending: PendingCall,
    },
    /// A person decided about a call.
    CallDecided {
        /// The id of the call.
        call_id: String,
        /// The name of the tool.
        name: String,
        /// What was decided.
        decision: Decision,
    },
    /// A call begins.
    CallStarted {
        /// The id of the call.
        call_id: String,
        /// The name as the model wrote it.
        name: String,
        /// The arguments; as text where what the model wrote is not JSON.
        arguments: Value,
    },
    /// The arguments of a call passed the tool's schema.
    CallValidated {
        /// The id of the call.
        call_id: String,
        /// The name of the tool that runs.
        name: String,
        /// The arguments that it gets.
        arguments: Arguments,
        /// What was mended between what the model wrote and these arguments.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        changes: Vec<Value>,
    },
    /// A call failed and is made again.
    CallRetried {
        /// The id of the call.
        call_id: String,
        /// The name of the tool.
        name: String,
        /// Which attempt begins, from 2.
        attempt: u32,
        /// Why the one before it failed.
        failure: CallFailure,
    },
    /// A request leaves for a service behind a tool.
    CallSent {
        /// The id of the call.
        call_id: String,
        /// The name of the tool.
        name: String,
        /// Its summary, such as `GET https://api.example/pet/1`, with secrets masked.
        request: String,
    },
    /// A tool says how far it is.
    CallProgress {
        /// The id of the call.
        call_id: String,
        /// The name of the tool.
        name: String,
        /// Units done.
        done: f64,
        /// Units in all, where known.
        #[serde(skip_serializing_if = "Option::is_none")]
        total: Option<f64>,
        /// What is being done.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// A tool sent a part of its output.
    CallPartial {
        /// The id of the call.
        call_id: String,
        /// The name of the tool.
        name: String,
        /// The part.
        output: ToolOutput,
    },
    /// A call ended, well or not. One that a limit or a person refused ends without having begun: there is no
    /// [`AgentEvent::CallStarted`] of it.
    CallFinished {
        /// The id of the call.
        call_id: String,
        /// The name as the model wrote it.
        name: String,
        /// What the model will read, and what the host may keep.
        output: ToolOutput,
        /// Why it failed. Absent when the tool itself returned an output, even one marked as an error.
        #[serde(skip_serializing_if = "Option::is_none")]
        failure: Option<CallFailure>,
        /// From the start to the end. Serialised in milliseconds as `duration_ms`.
        #[serde(rename = "duration_ms", serialize_with = "milliseconds")]
        duration: Duration,
    },
    /// Something happened in the agent that a call runs.
    Inner {
        /// The id of the call.
        call_id: String,
        /// The name of the tool.
        name: String,
        /// What happened there.
        inner: Box<AgentEvent>,
    },
    /// The turn is over.
    Finished {
        /// Why.
        finish: Finish,
        /// How many answers of the model it took.
        rounds: u32,
        /// Tokens of the turn.
        usage: Usage,
    },
    /// The reply: the last event of a stream that ends well, and of streams only; who awaits the reply has it.
    Done {
        /// What the turn came to.
        reply: Box<Reply>,
    },
}

fn milliseconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64() * 1_000.0)
}

/// Why a call failed, for the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CallFailure {
    /// The kind of failure: [`ToolError::code`].
    pub code: &'static str,
    /// The error and its causes. Never for a model.
    pub detail: String,
}

impl CallFailure {
    pub(crate) fn new(error: &ToolError) -> Self {
        let mut detail = error.to_string();
        let mut cause = std::error::Error::source(error);
        while let Some(error) = cause {
            detail.push_str(": ");
            detail.push_str(&error.to_string());
            cause = error.source();
        }
        Self { code: error.code(), detail }
    }
}

type Observer = Arc<dyn Fn(&AgentEvent) + Send + Sync>;

/// Those who watch.
#[derive(Clone, Default)]
pub(crate) struct Observers {
    each: Vec<Observer>,
    /// The first panic of one of them, in the run that these are of.
    panicked: Arc<OnceLock<HostPanic>>,
}

impl Observers {
    pub(crate) fn add(&mut self, observer: impl Fn(&AgentEvent) + Send + Sync + 'static) {
        self.each.push(Arc::new(observer));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// The same ones, for a run of its own: what goes wrong in it is nobody else's.
    pub(crate) fn of_a_run(&self) -> Self {
        Self { each: self.each.clone(), panicked: Arc::default() }
    }

    /// The first panic of one of them.
    pub(crate) fn panicked(&self) -> Option<&HostPanic> {
        self.panicked.get()
    }

    /// Tells an event, which is made only if someone watches.
    pub(crate) fn tell(&self, event: impl FnOnce() -> AgentEvent) {
        if self.each.is_empty() {
            return;
        }
        let event = event();
        for observer in &self.each {
            // The others are told all the same, and the work is not broken off: it ends in the loop.
            if let Err(panic) = guarded("an observer", || observer(&event)) {
                let _ = self.panicked.set(panic);
            }
        }
    }
}

/// Passes a tool's events on to those who watch the run, and to the sink that the host gave.
pub(crate) struct CallEvents {
    pub(crate) observers: Observers,
    pub(crate) call_id: String,
    pub(crate) name: String,
    pub(crate) host: Option<Arc<dyn EventSink>>,
}

impl CallEvents {
    pub(crate) fn new(observers: Observers, call: &ToolCall, host: Option<Arc<dyn EventSink>>) -> Self {
        Self { observers, call_id: call.id.clone(), name: call.name.clone(), host }
    }
}

impl EventSink for CallEvents {
    fn send(&self, event: ToolEvent) -> BoxFuture<'_, ()> {
        let (call_id, name) = (self.call_id.clone(), self.name.clone());
        match &event {
            ToolEvent::Progress(progress) => self.observers.tell(|| AgentEvent::CallProgress {
                call_id,
                name,
                done: progress.done,
                total: progress.total,
                message: progress.message.clone(),
            }),
            ToolEvent::Partial(output) => {
                self.observers.tell(|| AgentEvent::CallPartial { call_id, name, output: output.clone() });
            }
            ToolEvent::Sent(request) => {
                self.observers.tell(|| AgentEvent::CallSent { call_id, name, request: request.clone() });
            }
            _ => {}
        }
        match &self.host {
            Some(host) => host.send(event),
            None => Box::pin(std::future::ready(())),
        }
    }
}
