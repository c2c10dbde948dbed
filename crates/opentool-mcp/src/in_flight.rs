//! The ids of one connection's requests that wait for their answers.
//!
//! An answer finds its request by the id alone, so an id that is used again while its request still runs would
//! leave one of the two without an answer for ever. The second is refused instead. A request without a connection
//! (the revisions without sessions, over HTTP) is alone, and nothing of this concerns it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::ErrorData;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use tokio::sync::Notify;

/// The requests that run.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    state: Mutex<State>,
    /// Told whenever the last request has ended.
    emptied: Notify,
}

#[derive(Debug, Default)]
struct State {
    begun: u64,
    running: HashMap<RequestId, Turn>,
}

/// Which use of an id is meant: ids come back after their answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn(u64);

impl InFlight {
    /// Notes a request; `None` if its id is in use.
    pub(crate) fn begin(&self, id: &RequestId) -> Option<Turn> {
        let mut state = self.state();
        if state.running.contains_key(id) {
            return None;
        }
        state.begun = state.begun.wrapping_add(1);
        let turn = Turn(state.begun);
        state.running.insert(id.clone(), turn);
        Some(turn)
    }

    /// The request that uses the id now.
    pub(crate) fn turn(&self, id: &RequestId) -> Option<Turn> {
        self.state().running.get(id).copied()
    }

    /// Frees the id, unless another request has it by now.
    pub(crate) fn end(&self, id: &RequestId, turn: Turn) {
        let mut state = self.state();
        if state.running.get(id) == Some(&turn) {
            state.running.remove(id);
            if state.running.is_empty() {
                self.emptied.notify_waiters();
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.state().running.is_empty()
    }

    /// Completes when no request runs.
    pub(crate) async fn empty(&self) {
        let emptied = self.emptied.notified();
        tokio::pin!(emptied);
        while !self.is_empty() {
            // Made before the look, so that no end falls between the two.
            emptied.as_mut().await;
            emptied.set(self.emptied.notified());
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Valid at every point where a panic could happen.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that has begun; dropped before [`Begun::goes_on`], it never did.
pub(crate) struct Begun {
    in_flight: Arc<InFlight>,
    id: RequestId,
    turn: Turn,
    kept: bool,
}

impl Begun {
    /// `None` if the id is in use.
    pub(crate) fn new(in_flight: &Arc<InFlight>, id: &RequestId) -> Option<Self> {
        let turn = in_flight.begin(id)?;
        Some(Self { in_flight: Arc::clone(in_flight), id: id.clone(), turn, kept: false })
    }

    /// The request is on its way: its answer frees the id.
    pub(crate) fn goes_on(mut self) -> Turn {
        self.kept = true;
        self.turn
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if !self.kept {
            self.in_flight.end(&self.id, self.turn);
        }
    }
}

/// The request that the message answers.
pub(crate) fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

/// The request that the message cancels: it gets no answer.
pub(crate) fn cancelled(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Notification(message) => match &message.notification {
            ClientNotification::CancelledNotification(cancelled) => cancelled.params.request_id.as_ref(),
            _ => None,
        },
        _ => None,
    }
}

/// The answer to a request whose id is in use.
pub(crate) fn refusal(id: RequestId) -> ServerJsonRpcMessage {
    let message = format!("Invalid request: the id {id} is in use by a request that still runs");
    JsonRpcMessage::error(ErrorData::invalid_request(message, None), Some(id))
}
