//! Why a run has no reply. Whatever was done until then is in the error.
//!
//! A tool that fails is not in here: its failure is a result, for the model.

use std::fmt;

use opentool_core::{BoxError, MissingContext, ModelError};

use crate::{HostPanic, OutOfTurn, RaisedError, Run, UnfitAnswer};

/// Why there is no reply, by what the caller can do.
///
/// Where a run was under way the error holds it, with every finished call: [`AgentError::into_run`], then
/// [`crate::Agent::resume`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The model gave no answer.
    #[error(transparent)]
    Model(Box<ModelFailure>),
    /// The model still wanted calls after the last round that it was allowed. The calls were run.
    #[error(
        "no final answer after {} rounds; allow more with `max_rounds`, or go on: `agent.resume(run)`",
        .0.rounds()
    )]
    RoundLimit(Box<Run>),
    /// The model made more calls than a turn may: [`Run::exceeded`]. The calls within the limits were run.
    #[error("{}; allow more with `limits`, or go on: `agent.resume(run)`", exceeded(.0))]
    CallLimit(Box<Run>),
    /// Calls wait for a person: decide about each of [`Run::pending_calls`] with [`Run::decide`], here or in another
    /// process that was given the run, and go on with [`crate::Agent::resume`]. The other calls of the answer have
    /// their results.
    #[error("{}; decide with `run.decide(..)` and go on: `agent.resume(run)`", waiting(.0))]
    Suspended(Box<Run>),
    /// A tool failed in a way that the [`crate::ErrorPolicy`] gives to the caller.
    #[error(transparent)]
    Tool(Box<ToolFailure>),
    /// A tool of the agent cannot do without something that its context does not have. The model was not asked.
    #[error(transparent)]
    MissingContext(Box<MissingContext>),
    /// The conversation is too long, and its summary failed.
    #[error("the conversation could not be summarised")]
    Summary {
        /// Why.
        source: BoxError,
        /// The run.
        run: Box<Run>,
    },
    /// The run could not be written down ([`crate::Agent::checkpoint`]), and goes no further: the calls that had not begun
    /// did not begin.
    #[error("the run could not be written down, and goes no further")]
    Checkpoint {
        /// Why.
        source: BoxError,
        /// The run.
        run: Box<Run>,
    },
    /// Code that the host gave to the agent panicked: a model, an observer, a rule.
    #[error("{panic}")]
    HostPanicked {
        /// Which code, and what it said.
        panic: Box<HostPanic>,
        /// The run. It can go on, and meets the same code again.
        run: Box<Run>,
    },
    /// The model gave no answer of the wanted form: [`crate::Agent::run_as`].
    #[error(transparent)]
    Unfit(Box<UnfitAnswer>),
    /// The context's cancellation was triggered.
    #[error("cancelled")]
    Cancelled(Box<Run>),
    /// The context's deadline passed.
    #[error("the deadline passed after {} rounds, before there was a final answer", .0.rounds())]
    TimedOut(Box<Run>),
    /// There is nothing to answer: the conversation has no message.
    #[error("there is nothing to answer: the prompt has no message")]
    EmptyPrompt,
    /// A run was given something that it had not asked for.
    #[error(transparent)]
    OutOfTurn(Box<OutOfTurn>),
}

impl AgentError {
    /// The run as it was when it stopped.
    pub fn run(&self) -> Option<&Run> {
        match self {
            Self::Model(failure) => Some(&failure.run),
            Self::Tool(failure) => Some(&failure.run),
            Self::Unfit(unfit) => Some(&unfit.run),
            Self::RoundLimit(run)
            | Self::CallLimit(run)
            | Self::Suspended(run)
            | Self::Summary { run, .. }
            | Self::Checkpoint { run, .. }
            | Self::HostPanicked { run, .. }
            | Self::Cancelled(run)
            | Self::TimedOut(run) => Some(run),
            Self::MissingContext(_) | Self::EmptyPrompt | Self::OutOfTurn(_) => None,
        }
    }

    /// The run as it was when it stopped, by value: store it, look into it, or go on with it.
    pub fn into_run(self) -> Option<Run> {
        match self {
            Self::Model(failure) => Some(failure.run),
            Self::Tool(failure) => Some(failure.run),
            Self::Unfit(unfit) => Some(unfit.run),
            Self::RoundLimit(run)
            | Self::CallLimit(run)
            | Self::Suspended(run)
            | Self::Summary { run, .. }
            | Self::Checkpoint { run, .. }
            | Self::HostPanicked { run, .. }
            | Self::Cancelled(run)
            | Self::TimedOut(run) => Some(*run),
            Self::MissingContext(_) | Self::EmptyPrompt | Self::OutOfTurn(_) => None,
        }
    }
}

fn exceeded(run: &Run) -> String {
    run.exceeded().map_or_else(|| "a limit of calls is reached".to_owned(), ToString::to_string)
}

fn waiting(run: &Run) -> String {
    let tools: Vec<&str> = run.pending_calls().map(|pending| pending.tool.as_str()).collect();
    format!("a person has to decide about {} (`{}`)", calls(tools.len()), tools.join("`, `"))
}

fn calls(count: usize) -> String {
    if count == 1 { "a call".to_owned() } else { format!("{count} calls") }
}

impl From<OutOfTurn> for AgentError {
    fn from(error: OutOfTurn) -> Self {
        Self::OutOfTurn(Box::new(error))
    }
}

/// The model's error and the run that it stopped.
#[derive(Debug)]
#[non_exhaustive]
pub struct ModelFailure {
    /// Why there is no answer.
    pub error: ModelError,
    /// The run; it waits for the answer that did not come.
    pub run: Run,
}

impl ModelFailure {
    pub(crate) fn new(error: ModelError, run: Run) -> Self {
        Self { error, run }
    }
}

impl fmt::Display for ModelFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for ModelFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

/// A tool's failure and the run that it stopped.
#[derive(Debug)]
#[non_exhaustive]
pub struct ToolFailure {
    /// Which call failed, and why.
    pub error: RaisedError,
    /// The run. All calls of the answer have their results; if it goes on, the model reads of the failure.
    pub run: Run,
}

impl ToolFailure {
    pub(crate) fn new(error: RaisedError, run: Run) -> Self {
        Self { error, run }
    }
}

impl fmt::Display for ToolFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for ToolFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.error.error)
    }
}
