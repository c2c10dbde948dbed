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
use axum::http::{HeaderValue, Request, Response, Version, header};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

use super::cutoff::Clock;
use super::host::Host;
use super::places::Place;
use super::pulse::{Arriving, Leaving};
use super::routes::{self, Endpoint};
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
    host: Arc<Host>,
    /// The base path of the endpoints, without a slash at its end.
    base: String,
    /// Everything that is no endpoint.
    router: Router,
    http: http1::Builder,
    tls: Option<TlsAcceptor>,
    /// Connections end now.
    cut: CancellationToken,
}

/// What somebody else wants of a connection.
enum Order {
    /// To end now, and why.
    Cut(&'static str),
    /// To give its place to another, unless a call has begun in this moment.
    Yield,
    /// To end after the answer it is at.
    Close,
}

/// Those who may want something. Each is polled only when it has something to say: a connection wakes several times a
/// call, and they hardly ever do.
type Orders<'a> = FuturesUnordered<BoxFuture<'a, Order>>;

impl Serving {
    pub(super) fn new(
        host: Arc<Host>,
        base: String,
        router: Router,
        tls: Option<TlsAcceptor>,
        cut: CancellationToken,
    ) -> Self {
        let mut http = http1::Builder::new();
        // Heads are timed by the pulse: a timer for each of them costs as much as a part of a short call.
        http.header_read_timeout(None).max_header_size(MOST_HEAD);
        Self { host, base, router, http, tls, cut }
    }

    /// Serves the connection to its end.
    pub(super) async fn serve(self: Arc<Self>, socket: TcpStream, place: Place) {
        // Without this every answer waits 40 ms for the client's acknowledgement.
        if let Err(error) = socket.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY cannot be set");
        }
        let mut orders = Orders::new();
        orders.push(self.cut.cancelled().map(|()| Order::Cut("the server is gone")).boxed());
        orders.push(place.leave.cancelled().map(|()| Order::Yield).boxed());
        orders.push(self.host.closing.cancelled().map(|()| Order::Close).boxed());
        let (socket, watch) = Socket::new(socket);
        let Some(tls) = &self.tls else { return self.http(socket, watch, &place, orders).await };
        let agreeing = tokio::select! {
            agreed = timeout(HANDSHAKE, tls.accept(socket)) => agreed,
            // Nobody waits for a client that has yet to ask.
            _ = orders.next() => return,
        };
        match agreeing {
            Ok(Ok(socket)) => self.http(socket, watch, &place, orders).await,
            Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
            Err(_) => tracing::debug!("a TLS handshake took too long"),
        }
    }

    async fn http<'a>(
        &'a self,
        socket: impl AsyncRead + AsyncWrite + Unpin,
        watch: Watch,
        place: &'a Place,
        mut orders: Orders<'a>,
    ) {
        let pulse = &place.pulse;
        let clock = Clock::new(self.host.timeout);
        let service = service_fn(|request: Request<Incoming>| {
            pulse.begin();
            let version = request.version();
            let request = request.map(|body| Body::new(Arriving::new(body, Arc::clone(pulse))));
            let (clock, pulse) = (&clock, Arc::clone(pulse));
            async move {
                let mut response = self.answer(request, clock).await;
                if version < Version::HTTP_11 && response.body().size_hint().exact().is_none() {
                    // Its end is that of the connection, which a client that asked to keep it must be told, and hyper too.
                    *response.version_mut() = Version::HTTP_10;
                    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, std::convert::Infallible>(response.map(|body| Leaving::new(body, pulse)))
            }
        });
        orders.push(Box::pin(async {
            pulse.without_head(FIRST_HEAD, HEAD).await;
            Order::Cut("no request came")
        }));
        orders.push(Box::pin(async move {
            watch.left().await;
            pulse.until_answering().await;
            Order::Cut("the client left before its answer")
        }));
        let ticking = Arc::clone(&clock);
        orders.push(Box::pin(async move {
            ticking.run(&self.host.aborting).await;
            std::future::pending().await
        }));
        let io = TokioIo::new(Moving::new(socket, stall::LONGEST, Arc::clone(pulse)));
        let connection = self.http.serve_connection(io, service);
        tokio::pin!(connection);
        loop {
            tokio::select! {
                biased;
                ended = &mut connection => {
                    if let Err(error) = ended {
                        // Clients leave in the middle every day.
                        tracing::debug!(%error, "a connection broke");
                    }
                    return;
                }
                Some(order) = orders.next() => match order {
                    Order::Cut(why) => return tracing::debug!(why, "a connection ends"),
                    Order::Yield if pulse.idle_since().is_some() => {
                        return tracing::debug!(why = "its place is another's", "a connection ends");
                    }
                    // Nobody waits for a client that has yet to ask: its call would be refused.
                    Order::Close if pulse.is_reading() => return,
                    Order::Yield | Order::Close => connection.as_mut().graceful_shutdown(),
                },
            }
        }
    }

    /// Endpoints are found without the router, which is for what else there is.
    async fn answer(&self, request: Request<Body>, clock: &Arc<Clock>) -> Response<Body> {
        match Endpoint::at(request.uri().path(), &self.base) {
            Some(endpoint) => routes::answer(&self.host, endpoint, request, Some(clock)).await,
            None => match self.router.clone().call(request).await {
                Ok(response) => response,
                Err(impossible) => match impossible {},
            },
        }
    }
}
