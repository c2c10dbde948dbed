//! One connection: HTTP/1.1 over a plain or a TLS socket, with a time for everything a client has to do.
//!
//! A client that closes the connection, or only its sending side, while its request is answered has left, and the answer is
//! given up, also where bytes that it sent before are still unread. Half a close cannot be told from a whole one before an
//! answer is written, and work without anybody who waits for it is the worse mistake: clients that want an answer keep
//! their side open until they have it.

use std::convert::Infallible;
use std::sync::Arc;
#[cfg(feature = "tls")]
use std::time::Duration;

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
use tokio_util::sync::CancellationToken;

use crate::places::Place;
use crate::pulse::{Arriving, Leaving};
use crate::socket::{Socket, Watch};
use crate::stall::{self, Moving};
use crate::{Respond, Rules, Unasked};

/// The largest head of a request, in bytes.
const MOST_HEAD: usize = 64 * 1024;

/// How long the two sides may take to agree on a key.
#[cfg(feature = "tls")]
const HANDSHAKE: Duration = Duration::from_secs(5);

/// What all connections share.
pub(crate) struct Serving<R> {
    respond: R,
    rules: Rules,
    http: http1::Builder,
    /// Connections end after the answer they are at.
    closing: CancellationToken,
    /// Connections end now.
    cut: CancellationToken,
}

/// What somebody else wants of a connection.
enum Order {
    /// To end now, and why.
    Cut(&'static str),
    /// To give its place to another, unless a request has begun in this moment.
    Yield,
    /// To end after the answer it is at.
    Close,
}

/// Those who may want something. Each is polled only when it has something to say: a connection wakes several times a
/// request, and they hardly ever do.
type Orders<'a> = FuturesUnordered<BoxFuture<'a, Order>>;

impl<R: Respond> Serving<R> {
    pub(crate) fn new(respond: R, rules: Rules, closing: CancellationToken, cut: CancellationToken) -> Self {
        let mut http = http1::Builder::new();
        // Heads are timed by the pulse: a timer for each of them costs as much as a part of a short call.
        http.header_read_timeout(None).max_header_size(MOST_HEAD);
        Self { respond, rules, http, closing, cut }
    }

    /// Serves the connection to its end.
    pub(crate) async fn serve(self: Arc<Self>, socket: TcpStream, place: Place) {
        // Without this every answer waits 40 ms for the client's acknowledgement.
        if let Err(error) = socket.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY cannot be set");
        }
        let shared = self.respond.connect();
        let orders = Orders::new();
        orders.push(self.cut.cancelled().map(|()| Order::Cut("the server is gone")).boxed());
        orders.push(place.leave.cancelled().map(|()| Order::Yield).boxed());
        orders.push(self.closing.cancelled().map(|()| Order::Close).boxed());
        let (socket, watch) = Socket::new(socket);
        let connection = Connection { serving: &*self, place: &place, shared: &shared, watch, orders };
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.rules.tls {
            return connection.https(tls, socket).await;
        }
        connection.http(socket).await;
    }
}

/// One of them.
struct Connection<'a, R: Respond> {
    serving: &'a Serving<R>,
    place: &'a Place,
    shared: &'a R::Connection,
    watch: Watch,
    orders: Orders<'a>,
}

impl<R: Respond> Connection<'_, R> {
    #[cfg(feature = "tls")]
    async fn https(mut self, tls: &tokio_rustls::TlsAcceptor, socket: Socket) {
        let agreeing = tokio::select! {
            agreed = tokio::time::timeout(HANDSHAKE, tls.accept(socket)) => agreed,
            // Nobody waits for a client that has yet to ask.
            _ = self.orders.next() => return,
        };
        match agreeing {
            Ok(Ok(socket)) => self.http(socket).await,
            Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
            Err(_) => tracing::debug!("a TLS handshake took too long"),
        }
    }

    async fn http(self, socket: impl AsyncRead + AsyncWrite + Unpin) {
        let Self { serving: Serving { respond, rules, http, .. }, place, shared, watch, mut orders } = self;
        let pulse = &place.pulse;
        let service = service_fn(|request: Request<Incoming>| {
            pulse.begin();
            let version = request.version();
            let request = request.map(|body| Body::new(Arriving::new(body, Arc::clone(pulse))));
            let answer = respond.respond(request, shared);
            let pulse = Arc::clone(pulse);
            async move {
                let mut response = answer.await;
                if version < Version::HTTP_11 && response.body().size_hint().exact().is_none() {
                    ends_with_the_connection(&mut response);
                }
                Ok::<_, Infallible>(response.map(|body| Leaving::new(body, pulse)))
            }
        });
        orders.push(Box::pin(async {
            pulse.without_head(rules.first_head, Rules::HEAD).await;
            Order::Cut("no request came")
        }));
        orders.push(Box::pin(async move {
            watch.left().await;
            pulse.until_answering().await;
            Order::Cut("the client left before its answer")
        }));
        orders.push(Box::pin(async {
            respond.beside(shared).await;
            std::future::pending().await
        }));
        let io = TokioIo::new(Moving::new(socket, stall::LONGEST, Arc::clone(pulse)));
        let connection = http.serve_connection(io, service);
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
                    Order::Close if rules.unasked == Unasked::Cut && pulse.is_reading() => return,
                    // A request that has begun keeps the place until it is answered.
                    Order::Yield | Order::Close => connection.as_mut().graceful_shutdown(),
                },
            }
        }
    }
}

/// The end of the answer is that of the connection, which a client of HTTP/1.0 that asked to keep it must be told, and
/// hyper too.
fn ends_with_the_connection(response: &mut Response<Body>) {
    *response.version_mut() = Version::HTTP_10;
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
}
