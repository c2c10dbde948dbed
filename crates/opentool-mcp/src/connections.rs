//! The connections of a server that listens: as many as allowed, each with a time for everything its client has to do.
//!
//! Who only holds a connection, without a request that is answered, gives it up when somebody else comes and there is
//! no room: the one that has been idle longest goes first. Otherwise a stranger could shut everybody out by doing
//! nothing. Time for the body of a request is in [`crate::body`]: it is the endpoint that reads it.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::response::Response;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use tower_service::Service as _;

use crate::http::Endpoint;
use crate::stall::Moving;

/// How long the head of a request may take, from the end of the request before: an idle connection ends after it, too.
const HEAD: Duration = Duration::from_secs(30);

/// The largest head of a request, in bytes.
const MOST_HEAD: usize = 64 * 1024;

/// How long to wait when all connections are at work, or the system has no more sockets.
const AGAIN: Duration = Duration::from_millis(100);

/// How often the operator is told that there are too many.
const TELL: Duration = Duration::from_secs(30);

/// What all connections share.
pub(crate) struct Connections {
    endpoint: Endpoint,
    /// Everything that is not the endpoint.
    router: Router,
    http: http1::Builder,
    places: Arc<Semaphore>,
    open: Arc<Mutex<Open>>,
    tasks: TaskTracker,
    /// Connections end after the answer they are at.
    closing: CancellationToken,
    /// Connections end now: this is gone.
    end: CancellationToken,
    _end: DropGuard,
}

#[derive(Default)]
struct Open {
    next: u64,
    by: BTreeMap<u64, (Pulse, CancellationToken)>,
}

/// Since when a connection has been idle. Clones are the same pulse. It is written twice a request and hardly ever read.
#[derive(Debug, Clone)]
pub(crate) struct Pulse(Arc<Beat>);

#[derive(Debug)]
struct Beat {
    born: Instant,
    /// In microseconds since the birth, or [`BUSY`].
    idle_since: AtomicU64,
}

/// A request is being answered.
const BUSY: u64 = u64::MAX;

/// What somebody else wants of a connection.
enum Order {
    /// To end now.
    Cut,
    /// To give its place to another, unless a request has begun in this moment.
    Yield,
    /// To end after the answer it is at.
    Close,
}

/// A place among the connections.
struct Place {
    number: u64,
    open: Arc<Mutex<Open>>,
    pulse: Pulse,
    /// Somebody else needs the place.
    leave: CancellationToken,
    _permit: OwnedSemaphorePermit,
}

impl Connections {
    /// Connections to the endpoint and what is beside it, at most `most` at once.
    pub(crate) fn new(endpoint: Endpoint, router: Router, most: usize, closing: CancellationToken) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_header_size(MOST_HEAD);
        let end = CancellationToken::new();
        Self {
            endpoint,
            router,
            http,
            places: Arc::new(Semaphore::new(most)),
            open: Arc::default(),
            tasks: TaskTracker::new(),
            closing,
            _end: end.clone().drop_guard(),
            end,
        }
    }

    /// Accepts connections for ever. Those for which there is no place wait in the system's queue, which is bounded.
    pub(crate) async fn accept(&self, listener: &TcpListener) {
        let mut told = None;
        loop {
            let socket = match listener.accept().await {
                Ok((socket, _)) => socket,
                Err(error) if is_clients(&error) => continue,
                Err(error) => {
                    // The system has no more sockets: one that is idle gives up its own.
                    tell(&mut told, &format!("no connection can be accepted: {error}"));
                    self.end_the_idlest();
                    sleep(AGAIN).await;
                    continue;
                }
            };
            let place = self.place(&mut told).await;
            self.tasks.spawn(self.serve(socket, place));
        }
    }

    /// Completes when all connections have ended.
    pub(crate) async fn ended(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    async fn place(&self, told: &mut Option<Instant>) -> Place {
        let permit = loop {
            if let Ok(permit) = Arc::clone(&self.places).try_acquire_owned() {
                break permit;
            }
            tell(told, "there are as many connections as allowed; idle ones are ended for new ones");
            self.end_the_idlest();
            // The semaphore is never closed.
            if let Ok(Ok(permit)) = timeout(AGAIN, Arc::clone(&self.places).acquire_owned()).await {
                break permit;
            }
        };
        let (pulse, leave) = (Pulse::new(), CancellationToken::new());
        let mut open = lock(&self.open);
        let number = open.next;
        open.next = number.wrapping_add(1);
        open.by.insert(number, (pulse.clone(), leave.clone()));
        Place { number, open: Arc::clone(&self.open), pulse, leave, _permit: permit }
    }

    fn end_the_idlest(&self) {
        let open = lock(&self.open);
        let staying = open.by.values().filter(|(_, leave)| !leave.is_cancelled());
        let idle = staying.filter_map(|(pulse, leave)| Some((pulse.idle_since()?, leave)));
        if let Some((_, leave)) = idle.min_by_key(|(since, _)| *since) {
            leave.cancel();
        }
    }

    fn serve(&self, socket: TcpStream, place: Place) -> impl Future<Output = ()> + Send + use<> {
        let (endpoint, router, http) = (self.endpoint.clone(), self.router.clone(), self.http.clone());
        let (closing, end) = (self.closing.clone(), self.end.clone());
        async move {
            // Without this every answer waits 40 ms for the client's acknowledgement.
            if let Err(error) = socket.set_nodelay(true) {
                tracing::debug!(%error, "TCP_NODELAY cannot be set");
            }
            // Each is polled only when it has something to say: a connection wakes several times a request.
            let mut orders = FuturesUnordered::<BoxFuture<'_, Order>>::new();
            orders.push(end.cancelled().map(|()| Order::Cut).boxed());
            orders.push(place.leave.cancelled().map(|()| Order::Yield).boxed());
            orders.push(closing.cancelled().map(|()| Order::Close).boxed());
            let service = service_fn(|request: Request<Incoming>| {
                let busy = Busy(place.pulse.clone());
                let answer = answer(&endpoint, &router, request, &place.pulse);
                async move {
                    let response = answer.await;
                    Ok::<_, Infallible>(response.map(|body| Answer { body, _busy: busy }))
                }
            });
            let connection = http.serve_connection(TokioIo::new(Moving::new(socket)), service);
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
                        Order::Cut => return,
                        Order::Yield if place.pulse.idle_since().is_some() => {
                            return tracing::debug!("a connection ends: its place is another's");
                        }
                        // A request that has begun keeps the place until it is answered.
                        Order::Yield | Order::Close => connection.as_mut().graceful_shutdown(),
                    },
                }
            }
        }
    }
}

/// The endpoint is found without the router, which is for what else there is.
fn answer(
    endpoint: &Endpoint,
    router: &Router,
    request: Request<Incoming>,
    pulse: &Pulse,
) -> BoxFuture<'static, Response> {
    let request = request.map(Body::new);
    if endpoint.is_at(request.uri().path()) {
        return endpoint.clone().answer(request, Some(pulse.clone()));
    }
    let (mut router, pulse) = (router.clone(), pulse.clone());
    Box::pin(async move {
        pulse.busy();
        match router.call(request).await {
            Ok(response) => response,
            Err(impossible) => match impossible {},
        }
    })
}

impl Pulse {
    fn new() -> Self {
        Self(Arc::new(Beat { born: Instant::now(), idle_since: AtomicU64::new(0) }))
    }

    /// A request is there as a whole, and is answered from now on.
    pub(crate) fn busy(&self) {
        self.0.idle_since.store(BUSY, Ordering::SeqCst);
    }

    fn idle(&self) {
        let since = u64::try_from(self.0.born.elapsed().as_micros()).unwrap_or(BUSY - 1);
        self.0.idle_since.store(since, Ordering::SeqCst);
    }

    /// `None` while a request is answered.
    fn idle_since(&self) -> Option<Instant> {
        match self.0.idle_since.load(Ordering::SeqCst) {
            BUSY => None,
            since => self.0.born.checked_add(Duration::from_micros(since)),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.open).by.remove(&self.number);
    }
}

/// A request that is answered until this is dropped.
struct Busy(Pulse);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.idle();
    }
}

/// The body of an answer, which tells when it has left.
struct Answer {
    body: Body,
    _busy: Busy,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn lock(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    // Valid at every point where a panic could happen.
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

fn tell(told: &mut Option<Instant>, what: &str) {
    let now = Instant::now();
    if told.is_none_or(|told| now.duration_since(told) >= TELL) {
        *told = Some(now);
        tracing::warn!("{what}");
    }
}

/// Whether only the one connection broke, before it was there.
fn is_clients(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
