//! One client over a pair of byte streams: standard input and output, a socket, a duplex.
//!
//! Serving and its end are here; what a line becomes is in [`crate::wire`].

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::{QuitReason, ServerInitializeError, serve_server};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::McpError;
use crate::handler::Handler;
use crate::host::Host;
use crate::numbers::Numbered;
use crate::outbox::Outbox;
use crate::wire::Wire;

/// How long calls may go on after the client closed its side: enough for `printf … | opentool serve --stdio`,
/// and less than the two seconds after which client SDKs kill a server.
const GRACE: Duration = Duration::from_secs(1);

/// How long the last answers may take to be written to a client that may not read any more.
const LAST_ANSWERS: Duration = Duration::from_millis(500);

/// Serves the client until it closes its side, or until `shutdown`.
pub(crate) async fn serve(
    host: Arc<Host>,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
    shutdown: impl Future<Output = ()>,
) -> Result<(), McpError> {
    // Whoever drops this future wants no tool to go on.
    let _cut =
        [host.closing.clone(), host.aborting.clone(), host.cut.clone()].map(CancellationToken::drop_guard);
    let outbox = Outbox::new(write);
    let over = CancellationToken::new();
    let wire = Wire::new(&host, read, outbox.clone(), over.clone());
    let serving = async {
        match serve_server(Handler::new(Arc::clone(&host)), Numbered::new(wire)).await {
            Ok(running) => match running.waiting().await {
                Err(failed) | Ok(QuitReason::JoinError(failed)) => Err(McpError::Io(failed.into())),
                Ok(_) => Ok(()),
            },
            // It came, perhaps asked what we are, and left.
            Err(
                ServerInitializeError::ConnectionClosed(_)
                | ServerInitializeError::Cancelled
                | ServerInitializeError::TransportError { .. },
            ) => Ok(()),
            Err(error) => Err(McpError::Handshake { source: told(error).into() }),
        }
    };
    let ended = until_the_end(&host, &outbox, &over, serving, shutdown).await;
    match outbox.failure() {
        Some(failure) => Err(McpError::Io(failure)),
        None => ended,
    }
}

async fn until_the_end<W: AsyncWrite + Send + Unpin + 'static>(
    host: &Host,
    outbox: &Outbox<W>,
    over: &CancellationToken,
    serving: impl Future<Output = Result<(), McpError>>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), McpError> {
    tokio::pin!(serving);
    let set = host.settings.grace;
    let grace = tokio::select! {
        ended = &mut serving => return ended,
        () = over.cancelled() => set.unwrap_or(GRACE),
        () = shutdown => set.unwrap_or(crate::http::GRACE),
        () = outbox.broken() => Duration::ZERO,
    };
    host.closing.cancel();
    // Calls that run get their time, and then an end.
    tokio::select! {
        ended = &mut serving => return ended,
        () = outbox.broken() => {}
        () = sleep(grace) => {}
    }
    host.aborting.cancel();
    timeout(LAST_ANSWERS, serving).await.unwrap_or(Ok(()))
}

/// Why no session began, in words: the SDK's own show its data structures.
fn told(error: ServerInitializeError) -> String {
    match error {
        ServerInitializeError::InitializeFailed(error) => error.message.into_owned(),
        ServerInitializeError::ExpectedInitializeRequest(_) => {
            "it did not begin with `initialize`, nor with a request of a revision that has none".to_owned()
        }
        _ => "the handshake did not come to an end".to_owned(),
    }
}
