//! Runs that are written down while they go on, so that another process can go on with them, whatever happens to this one.
//!
//! A run is written before anything happens that it does not tell of: above all before a call begins. Whoever reads it
//! then knows which calls had begun and have no result. Such a call may have done its work, so it is not made again as if
//! nothing had been; what is done instead is [`OnInterrupted`]'s to say. Where a run is written to is the host's business.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use opentool_core::{BoxError, BoxFuture, ToolCall, ToolDefinition};
use tokio::sync::Mutex;

use crate::guard::{guarded, guarded_future};
use crate::{OutOfTurn, Run};

/// What becomes of a call that had begun, and has no result, when its run is taken up again: after the end of its process,
/// or after its future was dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnInterrupted {
    /// It is made again if its tool says that it changes nothing, or that a second call changes nothing more; else the
    /// model is told ([`OnInterrupted::Tell`]). The default. Hints of a stranger's tool are hints: who does not trust its
    /// source says [`OnInterrupted::Tell`].
    #[default]
    AgainIfHarmless,
    /// It is not made again. Its result is [`opentool_core::ToolError::Interrupted`]: the model reads that nobody knows
    /// whether it did its work.
    Tell,
    /// A person decides whether it is made again, as about every call that a policy asks about.
    Ask,
    /// It is made again.
    Again,
}

impl OnInterrupted {
    /// What is done about a call of this tool.
    pub(crate) fn settle(self, tool: Option<&ToolDefinition>) -> Self {
        let is_harmless = |tool: &ToolDefinition| {
            tool.annotations.read_only == Some(true) || tool.annotations.idempotent == Some(true)
        };
        match self {
            Self::AgainIfHarmless if tool.is_some_and(is_harmless) => Self::Again,
            Self::AgainIfHarmless => Self::Tell,
            other => other,
        }
    }
}

type Write = dyn Fn(&Run) -> BoxFuture<'static, Result<(), BoxError>> + Send + Sync;

/// Where a run is written down.
#[derive(Clone)]
pub(crate) struct Checkpoint(Arc<Write>);

impl Checkpoint {
    pub(crate) fn new<F, Fut, E>(write: F) -> Self
    where
        F: Fn(&Run) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self(Arc::new(move |run| {
            let writing = write(run);
            Box::pin(async move { writing.await.map_err(Into::into) })
        }))
    }

    /// Writes the run as it is.
    pub(crate) async fn write(&self, run: &Run) -> Result<(), BoxError> {
        const PLACE: &str = "the checkpoint";
        let writing = guarded(PLACE, || (self.0)(run))?;
        guarded_future(PLACE, writing).await?
    }
}

impl fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Checkpoint")
    }
}

/// A run whose calls are under way. Each notes here that it begins, and what came of it.
///
/// The lock is held while the run is written, so that what is written is never older than what was written before.
/// Whoever holds it is one of the calls, which are all polled together; nobody else may wait for it.
pub(crate) struct Journal<'r> {
    run: Mutex<&'r mut Run>,
    checkpoint: Option<&'r Checkpoint>,
    /// Calls that had begun before, without a result.
    doubtful: BTreeSet<String>,
}

impl<'r> Journal<'r> {
    pub(crate) fn new(run: &'r mut Run, checkpoint: Option<&'r Checkpoint>) -> Self {
        let doubtful = run.begun.clone();
        Self { run: Mutex::new(run), checkpoint, doubtful }
    }

    /// Whether the call had begun before, and nobody knows how far it came.
    pub(crate) fn is_doubtful(&self, call: &ToolCall) -> bool {
        self.doubtful.contains(&call.id)
    }

    /// Notes that the call begins. If that cannot be written, it has not begun.
    pub(crate) async fn begin(&self, call: &ToolCall) -> Result<(), BoxError> {
        let mut run = self.run.lock().await;
        let was_begun = !run.begun.insert(call.id.clone());
        let written = self.write(&run).await;
        if written.is_err() && !was_begun {
            run.begun.remove(&call.id);
        }
        written
    }

    /// Changes the run.
    pub(crate) async fn change(
        &self,
        change: impl FnOnce(&mut Run) -> Result<(), OutOfTurn>,
    ) -> Result<(), BoxError> {
        let mut run = self.run.lock().await;
        let taken = change(&mut run);
        debug_assert!(taken.is_ok(), "the run asked for this: {taken:?}");
        self.write(&run).await
    }

    async fn write(&self, run: &Run) -> Result<(), BoxError> {
        match self.checkpoint {
            Some(checkpoint) => checkpoint.write(run).await,
            None => Ok(()),
        }
    }
}

impl Run {
    /// Takes note that a call begins: until its result is there, nobody knows how far it came. An agent does so by itself;
    /// a loop of one's own does it before it runs a call, and writes the run down.
    ///
    /// # Errors
    /// [`OutOfTurn`] if no call of this id waits for a result, or if it waits for a person's decision.
    pub fn begin(&mut self, call_id: &str) -> Result<(), OutOfTurn> {
        if self.pending.contains_key(call_id) || !self.open().any(|call| call.id == call_id) {
            return Err(self.out_of_turn(format!("the beginning of the call `{call_id}`")));
        }
        self.begun.insert(call_id.to_owned());
        Ok(())
    }

    /// The calls that had begun and have no result, in the order of the calls. While nobody runs them, in a run that was
    /// read from a file for example, nobody knows whether they did their work.
    pub fn begun_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.open().filter(|call| self.begun.contains(&call.id))
    }
}
