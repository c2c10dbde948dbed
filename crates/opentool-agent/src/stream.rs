//! A run as a stream of events that ends with the reply.
//!
//! The events are those that every watcher is told. The run goes on only while the stream is polled: whoever reads
//! slowly slows it down, and dropping the stream cancels what is going on. No task is started.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures_util::stream::{Stream, StreamExt as _};
use opentool_core::BoxFuture;

use crate::{Agent, AgentError, AgentEvent, Reply, Run};

/// The events of a run. The last one is [`AgentEvent::Done`] with the reply, or an error.
#[must_use = "a run goes on only while its stream is polled"]
pub struct RunStream {
    told: Arc<Mutex<VecDeque<AgentEvent>>>,
    running: Option<BoxFuture<'static, Result<Reply, AgentError>>>,
}

impl RunStream {
    pub(crate) fn new(agent: Agent, run: Run) -> Self {
        let told: Arc<Mutex<VecDeque<AgentEvent>>> = Arc::default();
        let queue = Arc::clone(&told);
        let mut agent = agent.observe(move |event| {
            queue.lock().unwrap_or_else(PoisonError::into_inner).push_back(event.clone());
        });
        agent.paced = true;
        Self { told, running: Some(Box::pin(async move { agent.resume(run).await })) }
    }

    /// Reads the stream to its end, for the reply alone.
    ///
    /// # Errors
    /// Those of [`Agent::run`]. If the stream was read to its end before, [`AgentError::EmptyPrompt`]: nothing is left.
    pub async fn reply(mut self) -> Result<Reply, AgentError> {
        while let Some(event) = self.next().await {
            if let AgentEvent::Done { reply } = event? {
                return Ok(*reply);
            }
        }
        Err(AgentError::EmptyPrompt)
    }

    fn next_told(&self) -> Option<AgentEvent> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

impl Agent {
    /// Lets those who read the events one by one read what was told so far.
    pub(crate) async fn pace(&self) {
        let mut waited = !self.paced;
        poll_fn(|cx| {
            if std::mem::replace(&mut waited, true) {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
}

impl Stream for RunStream {
    type Item = Result<AgentEvent, AgentError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(event) = self.next_told() {
            return Poll::Ready(Some(Ok(event)));
        }
        let Some(running) = &mut self.running else { return Poll::Ready(None) };
        let ended = running.as_mut().poll(cx);
        if let Poll::Ready(result) = ended {
            let done = result.map(|reply| AgentEvent::Done { reply: Box::new(reply) });
            self.running = None;
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            return Poll::Ready(match (told.pop_front(), done) {
                (None, done) => Some(done),
                (Some(first), Ok(done)) => {
                    told.push_back(done);
                    Some(Ok(first))
                }
                (Some(first), Err(error)) => {
                    drop(told);
                    self.running = Some(Box::pin(async move { Err(error) }));
                    Some(Ok(first))
                }
            });
        }
        match self.next_told() {
            Some(event) => Poll::Ready(Some(Ok(event))),
            None => Poll::Pending,
        }
    }
}

impl std::fmt::Debug for RunStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunStream").field("over", &self.running.is_none()).finish_non_exhaustive()
    }
}
