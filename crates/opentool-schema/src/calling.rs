//! A call on its way, behind a wall: whatever panics inside becomes a value.
//!
//! `catch_unwind` of the futures crate guards polling alone. Code of others also runs, and may panic, while a schema
//! is made, while a tool's future is made, and while that is dropped: after its end, after a panic, or in the middle
//! when the call is cancelled. This future is written by hand because one wall around a whole step costs less than
//! one around each part, and most calls are over after one step.

use std::borrow::Cow;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use opentool_core::__private::Started;
use opentool_core::{BoxFuture, Cancelled, ToolCall, ToolContext, ToolError, ToolOutput, ToolSet};
use serde_json::Value;

use crate::Change;
use crate::call::{CHANGES, Checked, checked};
use crate::guard::{guarded, panicked};

type Answer = Result<ToolOutput, ToolError>;

/// The future of [`crate::ToolSetExt::call`].
pub(crate) struct Calling<'a> {
    tools: &'a ToolSet,
    cx: &'a ToolContext,
    call: Cow<'a, ToolCall>,
    progress: Progress,
    tool: Option<BoxFuture<'a, Answer>>,
    changes: Vec<Change>,
    /// Waited for only once the tool has to wait.
    cancelled: Option<Cancelled>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Asked,
    Begun,
}

impl<'a> Calling<'a> {
    #[inline]
    pub(crate) fn new(tools: &'a ToolSet, cx: &'a ToolContext, call: Cow<'a, ToolCall>) -> Self {
        Self { tools, cx, call, progress: Progress::Asked, tool: None, changes: Vec::new(), cancelled: None }
    }

    /// Goes as far as possible. An answer that is there is worth more than what follows it, which may panic.
    fn step(&mut self, waker: &mut Context<'_>, answer: &mut Option<Answer>) {
        if self.progress == Progress::Asked {
            self.progress = Progress::Begun;
            match self.begin(answer) {
                Ok(Started::Ended) => {}
                Ok(Started::Running(tool)) => self.tool = Some(tool),
                Err(error) => *answer = Some(Err(error)),
            }
        }
        // Polled after its end, which is the caller's mistake; waiting for ever is the least harm.
        let Some(tool) = &mut self.tool else { return };
        if let Poll::Ready(result) = tool.as_mut().poll(waker) {
            *answer = Some(result);
            drop(self.tool.take());
            return;
        }
        let cancelled = self.cancelled.get_or_insert_with(|| self.cx.cancel_signal().cancelled());
        if Pin::new(cancelled).poll(waker).is_ready() {
            *answer = Some(Err(ToolError::Cancelled));
        }
    }

    /// Checks the call, and starts the tool.
    fn begin(&mut self, answer: &mut Option<Answer>) -> Result<Started<'a>, ToolError> {
        if self.cx.cancel_signal().is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        // Straight from what was written, where the tool itself can tell that it is valid as it stands.
        if let Some(tool) = self.tools.get(&self.call.name)
            && let Some(started) = tool.call_straight(self.cx, &self.call.arguments, answer)
        {
            return Ok(started);
        }
        let Checked { tool, arguments, changes } = checked(self.tools, &mut self.call, self.cx.get())?;
        self.changes = changes;
        Ok(Started::Running(tool.call(self.cx, arguments)))
    }

    /// Drops what is left of the tool.
    fn end(&mut self) {
        if let Some(tool) = self.tool.take() {
            let _ = guarded(|| {
                drop(tool);
                Ok(())
            });
        }
    }
}

impl Future for Calling<'_> {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, waker: &mut Context<'_>) -> Poll<Answer> {
        let this = &mut *self;
        let mut answer = None;
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| this.step(waker, &mut answer))) {
            let panicked = panicked(panic);
            answer.get_or_insert(Err(panicked));
        }
        let Some(answer) = answer else { return Poll::Pending };
        this.end();
        if this.changes.is_empty() {
            return Poll::Ready(answer);
        }
        let changes: Value = this.changes.iter().map(Value::from).collect();
        Poll::Ready(answer.map(|output| output.metadata(CHANGES, changes)))
    }
}

impl Drop for Calling<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
