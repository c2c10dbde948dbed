//! Why a run has no reply. Whatever was done until then is in the error.
//!
//! A tool that fails is not in here: its failure is a result, for the model.

use std::fmt;

use opentool_core::ModelError;

use crate::{OutOfTurn, Run};

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
            Self::RoundLimit(run) | Self::Cancelled(run) | Self::TimedOut(run) => Some(run),
            Self::EmptyPrompt | Self::OutOfTurn(_) => None,
        }
    }

    /// The run as it was when it stopped, by value: store it, look into it, or go on with it.
    pub fn into_run(self) -> Option<Run> {
        match self {
            Self::Model(failure) => Some(failure.run),
            Self::RoundLimit(run) | Self::Cancelled(run) | Self::TimedOut(run) => Some(*run),
            Self::EmptyPrompt | Self::OutOfTurn(_) => None,
        }
    }
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
