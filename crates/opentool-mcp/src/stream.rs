//! One client over a pair of byte streams: standard input and output, a socket, a duplex.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use rmcp::RoleServer;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{QuitReason, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage, serve_server};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::McpError;
use crate::handler::Handler;
use crate::host::Host;
use crate::in_flight::{self, InFlight};

/// How long calls may go on after the client closed its side: enough for `printf … | opentool serve --stdio`,
/// and less than the two seconds after which client SDKs kill a server.
const GRACE: Duration = Duration::from_secs(1);

/// How long the last answers may take to be written to a client that may not read any more.
const LAST_ANSWERS: Duration = Duration::from_millis(500);

pub(crate) async fn serve(
    host: Arc<Host>,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), McpError> {
    let ended = CancellationToken::new();
    let lines =
        AsyncRwTransport::new_server(read, write).with_max_line_length(host.settings.max_request_bytes);
    let transport =
        Watched { inner: lines, ended: ended.clone(), in_flight: InFlight::default(), refusal: None };
    let running = match serve_server(Handler::new(Arc::clone(&host)), transport).await {
        Ok(running) => running,
        // It came, perhaps asked what we are, and left.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        Err(error) => return Err(McpError::Handshake { source: error.to_string().into() }),
    };
    let running = running.waiting();
    tokio::pin!(running);
    let quit = tokio::select! {
        quit = &mut running => Some(quit),
        () = ended.cancelled() => {
            host.closing.cancel();
            host.cut.cancel();
            // The SDK waits for calls that run; they get their time, and then an end.
            match timeout(host.settings.grace.unwrap_or(GRACE), &mut running).await {
                Ok(quit) => Some(quit),
                Err(_) => {
                    host.aborting.cancel();
                    timeout(LAST_ANSWERS, &mut running).await.ok()
                }
            }
        }
    };
    match quit {
        Some(Err(failed) | Ok(QuitReason::JoinError(failed))) => Err(McpError::Io(failed.into())),
        _ => Ok(()),
    }
}

/// A transport that tells when the other side closed, and refuses a request whose id is in use.
struct Watched<T> {
    inner: T,
    ended: CancellationToken,
    in_flight: InFlight,
    /// On its way; kept here because the SDK drops `receive` whenever something else happens.
    refusal: Option<BoxFuture<'static, ()>>,
}

impl<T: Transport<RoleServer>> Watched<T> {
    fn end(&self, id: &rmcp::model::RequestId) {
        if let Some(turn) = self.in_flight.turn(id) {
            self.in_flight.end(id, turn);
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        // Before it is written: the client may use the id again as soon as it has the answer.
        if let Some(id) = in_flight::answered(&item) {
            self.end(id);
        }
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusal) = &mut self.refusal {
                refusal.await;
                self.refusal = None;
            }
            let Some(message) = self.inner.receive().await else {
                self.ended.cancel();
                return None;
            };
            match &message {
                JsonRpcMessage::Request(request) if self.in_flight.begin(&request.id).is_none() => {
                    let refusal = self.inner.send(in_flight::refusal(request.id.clone()));
                    self.refusal = Some(Box::pin(async move {
                        if let Err(error) = refusal.await {
                            tracing::debug!(%error, "the client does not take a refusal");
                        }
                    }));
                    continue;
                }
                _ => {}
            }
            if let Some(id) = in_flight::cancelled(&message) {
                self.end(id);
            }
            return Some(message);
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
