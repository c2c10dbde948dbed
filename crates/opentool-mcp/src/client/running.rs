//! One request under way: its progress, its limit of time, and its end, whichever way it comes.
//!
//! Whoever drops it cancels it at the server.

use std::time::{Duration, Instant};

use opentool_core::visible::without_hidden;
use opentool_core::{BoxError, ToolContext};
use opentool_http::bounded;
use rmcp::RoleClient;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientRequest, ErrorData, GetExtensions as _,
    GetMeta as _, RequestId, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use tokio::sync::mpsc;

use super::link::Link;
use super::process::{TOO_LONG, UNREADABLE};
use super::relay::Waits;
use super::server::Limits;
use super::span::Open;
use super::{ClientError, events};

/// How many reports of progress wait for the host; further ones are left out.
const REPORTS: usize = 256;

/// Sends a request and waits for its answer, at most until `deadline`.
pub(crate) async fn exchange(
    link: &Link,
    server: &str,
    mut request: ClientRequest,
    limits: Limits,
    deadline: Option<Instant>,
    cx: Option<&ToolContext>,
    open: &Open,
) -> Result<ServerResult, ClientError> {
    let begun = Instant::now();
    let own = begun.checked_add(limits.call);
    let end = own.into_iter().chain(deadline).min().unwrap_or(begun);
    let (tell, mut told) = mpsc::channel(REPORTS);
    request.extensions_mut().insert(Waits::new(end, tell));
    for (name, value) in &opentool_http::trace_headers() {
        if let Ok(value) = value.to_str() {
            request.get_meta_mut().insert(name.as_str().to_owned(), value.into());
        }
    }
    let lost = || ClientError::Lost { server: server.into(), reason: link.last_words() };
    let waiting = async {
        let options = PeerRequestOptions::no_options();
        let mut handle = link.peer().send_cancellable_request(request, options).await?;
        open.sent(&handle.id);
        let mut given_up = GivenUp { link, id: Some(handle.id.clone()) };
        let answer = loop {
            tokio::select! {
                biased;
                Some(report) = told.recv() => {
                    if let Some(cx) = cx {
                        cx.progress(report).await;
                    }
                }
                answer = &mut handle.rx => break answer,
            }
        };
        given_up.id = None;
        answer.map_err(|_| ServiceError::TransportClosed)?
    };
    let answer = tokio::time::timeout_at(end.into(), waiting).await.map_err(|_| {
        let after = end.saturating_duration_since(begun);
        ClientError::TimedOut { server: server.into(), after }
    })?;
    answer.map_err(|error| match error {
        ServiceError::McpError(error) => refused(error, server, Some(limits.answer)),
        ServiceError::TransportSend(error) => broken(error, server, lost),
        ServiceError::Timeout { timeout } => ClientError::TimedOut { server: server.into(), after: timeout },
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => lost(),
        _ => ClientError::NotMcp {
            server: server.into(),
            reason: "its answer is not one to the request".into(),
        },
    })
}

/// Tells the server that nobody waits any more, unless the answer has come.
struct GivenUp<'l> {
    link: &'l Link,
    id: Option<RequestId>,
}

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer: Peer<RoleClient> = self.link.peer().clone();
        self.link.runtime().spawn(async move {
            let reason = "nobody waits for the answer any more".to_owned();
            let given_up = CancelledNotificationParam::new(Some(id), Some(reason));
            let given_up = CancelledNotification::new(given_up);
            // The connection may be gone too.
            let _ = peer.send_notification(given_up.into()).await;
        });
    }
}

/// What an error of the protocol is. `limit`: that of an answer, where one can be too long.
pub(crate) fn refused(error: ErrorData, server: &str, limit: Option<usize>) -> ClientError {
    let server: Box<str> = server.into();
    let message = bounded(&without_hidden(&error.message));
    match (error.code.0, limit) {
        (TOO_LONG, Some(limit)) => {
            ClientError::TooLarge { server, limit: u64::try_from(limit).unwrap_or(u64::MAX) }
        }
        (UNREADABLE, _) => {
            let reason = format!("its answer is no message of the protocol: {message}");
            ClientError::NotMcp { server, reason: reason.into() }
        }
        (code, _) => ClientError::Refused { server, code, message: message.into() },
    }
}

/// What an error of the connection is.
pub(crate) fn broken(
    error: DynamicTransportError,
    server: &str,
    lost: impl FnOnce() -> ClientError,
) -> ClientError {
    let with = |reason: &str| ClientError::Lost { server: server.into(), reason: reason.into() };
    let error: BoxError = error.error;
    let error = match error.downcast::<StreamableHttpError<ClientError>>() {
        Ok(error) => *error,
        Err(_) => return lost(),
    };
    match error {
        StreamableHttpError::Client(error) => error,
        StreamableHttpError::Sse(error) => {
            events::cause(error).unwrap_or_else(|| with("its event stream broke off"))
        }
        StreamableHttpError::SessionExpired
        | StreamableHttpError::SessionRecoveryTimeout
        | StreamableHttpError::ReinitializationFailed(_) => with("its session is over"),
        StreamableHttpError::UnexpectedEndOfStream
        | StreamableHttpError::TransportChannelClosed
        | StreamableHttpError::TokioJoinError(_)
        | StreamableHttpError::ControlRequestTimeout
        | StreamableHttpError::Io(_) => lost(),
        other => ClientError::NotMcp { server: server.into(), reason: bounded(&other.to_string()).into() },
    }
}

impl Limits {
    /// How long the opening of a connection may take.
    pub(crate) fn opening(&self) -> Duration {
        self.call
    }
}
