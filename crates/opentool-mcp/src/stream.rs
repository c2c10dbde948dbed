//! One client over a pair of byte streams: standard input and output, a socket, a duplex.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::{QuitReason, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage, serve_server};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::McpError;
use crate::handler::Handler;
use crate::host::Host;

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
    let transport = Watched { inner: lines, ended: ended.clone() };
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

/// A transport that tells when the other side closed.
struct Watched<T> {
    inner: T,
    ended: CancellationToken,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.inner.receive().await;
        if message.is_none() {
            self.ended.cancel();
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
