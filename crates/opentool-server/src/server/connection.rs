//! One connection: HTTP/1.1 over a plain or a TLS socket, with a time for everything a client has to do.
//!
//! A client that closes the connection, or only its sending side, while its call runs has left, and the call is stopped,
//! also where bytes that it sent before are still unread. Half a close cannot be told from a whole one before an answer is
//! written, and a call without anybody who waits for it is the worse mistake: clients that want an answer keep their side
//! open until they have it.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

use super::pulse::{Arriving, Leaving, Pulse};
use super::socket::{Socket, Watch};
use super::stall::{self, Moving};

/// How long the head of a request may take, from the end of the request before: an idle connection ends after it, too.
const HEAD: Duration = Duration::from_secs(30);

/// The largest head of a request, in bytes.
const MOST_HEAD: usize = 64 * 1024;

/// How long the two sides may take to agree on a key.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// How long a new connection may take to send its first head: who connects has something to say.
const FIRST_HEAD: Duration = Duration::from_secs(5);

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
    pub(super) async fn serve(self: Arc<Self>, socket: TcpStream, pulse: Arc<Pulse>) {
        // Without this every answer waits 40 ms for the client's acknowledgement.
        if let Err(error) = socket.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY cannot be set");
        }
        let cut = self.cut.clone();
        let (socket, watch) = Socket::new(socket);
        let serving = async {
            match &self.tls {
                None => self.http(socket, &watch, &pulse).await,
                Some(tls) => match timeout(HANDSHAKE, tls.accept(socket)).await {
                    Ok(Ok(socket)) => self.http(socket, &watch, &pulse).await,
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

    async fn http(&self, socket: impl AsyncRead + AsyncWrite + Unpin, watch: &Watch, pulse: &Arc<Pulse>) {
        let service = service_fn(|request: Request<Incoming>| {
            let mut router = self.router.clone();
            pulse.begin();
            let request = request.map(|body| Arriving::new(body, Arc::clone(pulse)));
            let pulse = Arc::clone(pulse);
            let answering = router.call(request);
            async move {
                let response: Response<Body> = answering.await?;
                Ok::<_, std::convert::Infallible>(response.map(|body| Leaving::new(body, pulse)))
            }
        });
        let io = TokioIo::new(Moving::new(socket, stall::LONGEST, Arc::clone(pulse)));
        let connection = self.http.serve_connection(io, service);
        tokio::pin!(connection);
        let silent = async {
            sleep(FIRST_HEAD).await;
            if pulse.has_begun() {
                std::future::pending::<()>().await;
            }
        };
        let left = async {
            watch.left().await;
            pulse.until_answering().await;
        };
        let given_up = async {
            tokio::select! {
                () = silent => "no request came",
                () = left => "the client left before its answer",
            }
        };
        tokio::pin!(given_up);
        let ended = tokio::select! {
            biased;
            ended = &mut connection => ended,
            why = &mut given_up => return tracing::debug!(why, "a connection ends"),
            () = self.closing.cancelled() => {
                // Nobody waits for a client that has yet to ask: its call would be refused.
                if pulse.is_reading() {
                    return;
                }
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    biased;
                    ended = &mut connection => ended,
                    why = &mut given_up => return tracing::debug!(why, "a connection ends"),
                }
            }
        };
        if let Err(error) = ended {
            // Clients leave in the middle every day.
            tracing::debug!(%error, "a connection broke");
        }
    }
}
