//! Sessions of the legacy revisions over HTTP: the SDK's, with a bound on their number.
//!
//! Many clients never end their sessions. When there are too many, the one that was used longest ago is closed;
//! its client gets 404 at its next request and begins anew, as the protocol says. A session in which a call runs is
//! never closed for another: if one runs in each, the new session is refused.

use std::cell::Cell;
use std::collections::HashMap;
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::{Stream, StreamExt as _, stream};
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::{SessionId, SessionManager};

use crate::in_flight::{self, Begun, InFlight};
use crate::numbers::Numbered;

/// The most sessions at once. An idle one costs a few kilobytes.
const MOST: usize = 1_000;

/// How long an idle session lives. Long, because many clients do not recover from a lost session when a person
/// comes back to them; the number bounds the memory.
const IDLE: Duration = Duration::from_secs(24 * 60 * 60);

tokio::task_local! {
    /// Set when the request of this task was refused a session. The SDK makes 500 of every error here.
    pub(crate) static FULL: Cell<bool>;
}

/// The live sessions.
pub(crate) struct Sessions {
    inner: LocalSessionManager,
    most: usize,
    live: Mutex<HashMap<SessionId, Session>>,
}

struct Session {
    used: Instant,
    in_flight: Arc<InFlight>,
}

/// Why a session does not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A call runs in each session.
    #[error("there are too many sessions, and a call runs in each")]
    Full,
    /// What the SDK says.
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
}

impl Sessions {
    pub(crate) fn new() -> Self {
        Self::bounded(MOST)
    }

    pub(crate) fn bounded(most: usize) -> Self {
        let mut inner = LocalSessionManager::default();
        inner.session_config.keep_alive = Some(IDLE);
        // Events without data that invite to reconnect are newer than most legacy clients, which log an error
        // for each.
        inner.session_config.sse_retry = None;
        Self { inner, most, live: Mutex::new(HashMap::new()) }
    }

    fn live(&self) -> MutexGuard<'_, HashMap<SessionId, Session>> {
        // Valid at every point where a panic could happen.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The requests that run in the session.
    fn in_flight(&self, id: &SessionId) -> Result<Arc<InFlight>, Error> {
        let live = self.live();
        let session = live.get(id).ok_or_else(|| LocalSessionManagerError::SessionNotFound(id.clone()))?;
        Ok(Arc::clone(&session.in_flight))
    }

    /// Notes a new session. Gives the one that has to go, if there are too many.
    ///
    /// # Errors
    /// [`Error::Full`] if none can go.
    fn add(&self, id: &SessionId, in_flight: Arc<InFlight>) -> Result<Option<SessionId>, Error> {
        let mut live = self.live();
        let mut oldest = None;
        if live.len() >= self.most {
            let idle = live.iter().filter(|(_, session)| session.in_flight.is_empty());
            let id = idle.min_by_key(|(_, session)| session.used).map(|(id, _)| id.clone());
            let id = id.ok_or(Error::Full)?;
            live.remove(&id);
            oldest = Some(id);
        }
        live.insert(id.clone(), Session { used: Instant::now(), in_flight });
        Ok(oldest)
    }
}

impl SessionManager for Sessions {
    type Error = Error;
    type Transport = Numbered<Tracked<<LocalSessionManager as SessionManager>::Transport>>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Error> {
        let (id, transport) = self.inner.create_session().await?;
        let in_flight = Arc::new(InFlight::default());
        match self.add(&id, Arc::clone(&in_flight)) {
            Ok(None) => {}
            Ok(Some(oldest)) => {
                tracing::debug!("too many sessions: the one used longest ago is closed");
                self.inner.close_session(&oldest).await?;
            }
            Err(full) => {
                // Outside of a request there is nobody to tell.
                let _ = FULL.try_with(|full| full.set(true));
                self.inner.close_session(&id).await?;
                return Err(full);
            }
        }
        Ok((id, Numbered::new(Tracked { inner: transport, in_flight })))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Error> {
        Ok(self.inner.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Error> {
        // Asked at the beginning of every request.
        match self.live().get_mut(id) {
            Some(session) => session.used = Instant::now(),
            // It is about to be closed.
            None => return Ok(false),
        }
        Ok(self.inner.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Error> {
        self.live().remove(id);
        Ok(self.inner.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        let JsonRpcMessage::Request(request) = &message else {
            return Ok(self.inner.create_stream(id, message).await?.left_stream());
        };
        let in_flight = self.in_flight(id)?;
        let request = request.id.clone();
        let Some(begun) = Begun::new(&in_flight, &request) else {
            let refusal = ServerSseMessage::from_message(in_flight::refusal(request));
            return Ok(stream::once(ready(refusal)).right_stream().right_stream());
        };
        let events = self.inner.create_stream(id, message).await?;
        let turn = begun.goes_on();
        // The id is free before the client can read the answer.
        let events = events.inspect(move |event| {
            if event.message.as_deref().and_then(in_flight::answered) == Some(&request) {
                in_flight.end(&request, turn);
            }
        });
        Ok(events.left_stream().right_stream())
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Error> {
        let in_flight = self.in_flight(id)?;
        let cancelled = in_flight::cancelled(&message)
            .and_then(|request| Some((request.clone(), in_flight.turn(request)?)));
        self.inner.accept_message(id, message).await?;
        if let Some((request, turn)) = cancelled {
            in_flight.end(&request, turn);
        }
        Ok(())
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        Ok(self.inner.create_standalone_stream(id).await?)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        Ok(self.inner.resume(id, last_event_id).await?)
    }
}

/// The transport of a session, which notes what was answered: also where nobody reads the answer.
pub(crate) struct Tracked<T> {
    inner: T,
    in_flight: Arc<InFlight>,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Tracked<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let in_flight = Arc::clone(&self.in_flight);
        let answered = in_flight::answered(&item).and_then(|id| Some((id.clone(), in_flight.turn(id)?)));
        let sending = self.inner.send(item);
        async move {
            let sent = sending.await;
            // Not before: until now the SDK gives the answer to whoever has the id.
            if let Some((id, turn)) = answered {
                in_flight.end(&id, turn);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.inner.receive().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
mod tests {
    use rmcp::transport::streamable_http_server::SessionManager as _;

    use super::{Error, Sessions};

    #[tokio::test]
    async fn the_session_used_longest_ago_makes_room() {
        let sessions = Sessions::bounded(2);
        let (first, _one) = sessions.create_session().await.unwrap();
        let (second, _two) = sessions.create_session().await.unwrap();
        assert!(sessions.has_session(&first).await.unwrap());
        let (third, _three) = sessions.create_session().await.unwrap();
        assert!(sessions.has_session(&first).await.unwrap());
        assert!(!sessions.has_session(&second).await.unwrap());
        assert!(sessions.has_session(&third).await.unwrap());
        sessions.close_session(&first).await.unwrap();
        assert_eq!(sessions.live().len(), 1);
    }
    #[tokio::test]
    async fn a_session_with_a_running_call_is_never_closed_for_another() {
        let sessions = Sessions::bounded(2);
        let call = rmcp::model::RequestId::Number(1);
        let (busy, _one) = sessions.create_session().await.unwrap();
        let running = sessions.in_flight(&busy).unwrap();
        let turn = running.begin(&call).unwrap();
        let (idle, _two) = sessions.create_session().await.unwrap();
        let (third, _three) = sessions.create_session().await.unwrap();
        assert!(sessions.has_session(&busy).await.unwrap(), "older, and at work");
        assert!(!sessions.has_session(&idle).await.unwrap());
        sessions.in_flight(&third).unwrap().begin(&call).unwrap();
        assert!(matches!(sessions.create_session().await, Err(Error::Full)));
        assert_eq!(sessions.live().len(), 2);
        running.end(&call, turn);
        sessions.create_session().await.unwrap();
        assert!(!sessions.has_session(&busy).await.unwrap());
    }
}
