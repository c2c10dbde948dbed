//! One connection: HTTP/1.1 over a plain or a TLS socket, with a time for everything a client has to do.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

use super::stall::{self, Moving};

/// How long the head of a request may take, from the end of the request before: an idle connection ends after it, too.
const HEAD: Duration = Duration::from_secs(30);

/// The largest head of a request, in bytes.
const MOST_HEAD: usize = 64 * 1024;

/// How long the two sides may take to agree on a key.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// What all connections share.
pub(super) struct Serving {
    router: Router,
    http: http1::Builder,
    tls: Option<TlsAcceptor>,
    /// Connections end after the answer they are at.
    closing: CancellationToken,
    /// Connections end now.
    cut: CancellationToken,
}

impl Serving {
    pub(super) fn new(
        router: Router,
        tls: Option<TlsAcceptor>,
        closing: CancellationToken,
        cut: CancellationToken,
    ) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_header_size(MOST_HEAD);
        Self { router, http, tls, closing, cut }
    }

    /// Serves the connection to its end.
    pub(super) async fn serve(self: Arc<Self>, socket: TcpStream) {
        // Without this every answer waits 40 ms for the client's acknowledgement.
        if let Err(error) = socket.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY cannot be set");
        }
        let cut = self.cut.clone();
        let serving = async {
            match &self.tls {
                None => self.http(socket).await,
                Some(tls) => match timeout(HANDSHAKE, tls.accept(socket)).await {
                    Ok(Ok(socket)) => self.http(socket).await,
                    Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                    Err(_) => tracing::debug!("a TLS handshake took too long"),
                },
            }
        };
        tokio::select! {
            () = serving => {}
            () = cut.cancelled() => {}
        }
    }

    async fn http(&self, socket: impl AsyncRead + AsyncWrite + Unpin) {
        let service = service_fn(|request: Request<Incoming>| {
            let mut router = self.router.clone();
            router.call(request)
        });
        let io = TokioIo::new(Moving::new(socket, stall::LONGEST));
        let connection = self.http.serve_connection(io, service);
        tokio::pin!(connection);
        let ended = tokio::select! {
            ended = &mut connection => ended,
            () = self.closing.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            // Clients leave in the middle every day.
            tracing::debug!(%error, "a connection broke");
        }
    }
}
