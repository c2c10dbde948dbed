//! Sessions of the legacy revisions over HTTP: the SDK's, with a bound on their number.
//!
//! Many clients never end their sessions. When there are too many, the one that was used longest ago is closed;
//! its client gets 404 at its next request and begins anew, as the protocol says.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{SessionId, SessionManager};

/// The most sessions at once. An idle one costs a few kilobytes.
const MOST: usize = 1_000;

/// How long an idle session lives. Long, because many clients do not recover from a lost session when a person
/// comes back to them; the number bounds the memory.
const IDLE: Duration = Duration::from_secs(24 * 60 * 60);

/// The live sessions.
pub(crate) struct Sessions {
    inner: LocalSessionManager,
    most: usize,
    used: Mutex<HashMap<SessionId, Instant>>,
}

type Error = <LocalSessionManager as SessionManager>::Error;

impl Sessions {
    pub(crate) fn new() -> Self {
        Self::bounded(MOST)
    }

    fn bounded(most: usize) -> Self {
        let mut inner = LocalSessionManager::default();
        inner.session_config.keep_alive = Some(IDLE);
        // Events without data that invite to reconnect are newer than most legacy clients, which log an error
        // for each.
        inner.session_config.sse_retry = None;
        Self { inner, most, used: Mutex::new(HashMap::new()) }
    }

    fn used(&self) -> MutexGuard<'_, HashMap<SessionId, Instant>> {
        // Valid at every point where a panic could happen.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a new session. Gives the one that has to go, if there are too many.
    fn add(&self, id: &SessionId) -> Option<SessionId> {
        let mut used = self.used();
        let oldest = (used.len() >= self.most)
            .then(|| used.iter().min_by_key(|(_, at)| **at).map(|(id, _)| id.clone()))
            .flatten();
        if let Some(oldest) = &oldest {
            used.remove(oldest);
        }
        used.insert(id.clone(), Instant::now());
        oldest
    }
}

impl SessionManager for Sessions {
    type Error = Error;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Error> {
        let (id, transport) = self.inner.create_session().await?;
        if let Some(oldest) = self.add(&id) {
            tracing::debug!("too many sessions: the one used longest ago is closed");
            self.inner.close_session(&oldest).await?;
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Error> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Error> {
        // Asked at the beginning of every request.
        if let Some(at) = self.used().get_mut(id) {
            *at = Instant::now();
        }
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Error> {
        self.used().remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        self.inner.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Error> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        self.inner.resume(id, last_event_id).await
    }
}

#[cfg(test)]
mod tests {
    use rmcp::transport::streamable_http_server::SessionManager as _;

    use super::Sessions;

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
        assert_eq!(sessions.used().len(), 1);
    }
}
