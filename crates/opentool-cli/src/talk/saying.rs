//! The words of an answer that is not complete: what is left of it where the turn is given up.

use std::sync::{Arc, Mutex, PoisonError};

use opentool::agent::AgentEvent;

/// What the model has said of an answer that is not complete.
#[derive(Clone, Default)]
pub(crate) struct Saying(Arc<Mutex<String>>);

impl Saying {
    /// Takes note of an event.
    pub(crate) fn tell(&self, event: &AgentEvent) {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            AgentEvent::TextDelta { text } => said.push_str(text),
            AgentEvent::RoundStarted { .. } | AgentEvent::Text { .. } => said.clear(),
            _ => {}
        }
    }

    /// What was said so far; it is then taken.
    pub(crate) fn take(&self) -> String {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
