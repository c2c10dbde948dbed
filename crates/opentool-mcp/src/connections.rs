//! The connections of a server that listens: as many as allowed, each with a time for everything its client has to do.
//!
//! Who only holds a connection, without a request that is answered, gives it up when somebody else comes and there is
//! no room: the one that has been idle longest goes first. Otherwise a stranger could shut everybody out by doing
//! nothing. Time for the body of a request is in [`crate::body`]: it is the endpoint that reads it.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
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

/// Since when a connection has been idle; `None` while a request of it is answered. Clones are the same pulse.
#[derive(Debug, Clone)]
pub(crate) struct Pulse(Arc<Mutex<Option<Instant>>>);

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
    /// Connections to the router, at most `most` at once.
    pub(crate) fn new(router: Router, most: usize, closing: CancellationToken) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_header_size(MOST_HEAD);
        let end = CancellationToken::new();
        Self {
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
        let (router, http) = (self.router.clone(), self.http.clone());
        let (closing, end) = (self.closing.clone(), self.end.clone());
        async move {
            // Without this every answer waits 40 ms for the client's acknowledgement.
            if let Err(error) = socket.set_nodelay(true) {
                tracing::debug!(%error, "TCP_NODELAY cannot be set");
            }
            let service = service_fn(|request: Request<Incoming>| {
                let (mut router, pulse) = (router.clone(), place.pulse.clone());
                async move {
                    let busy = Busy(pulse.clone());
                    let mut request = request.map(Body::new);
                    if request.body().is_end_stream() {
                        pulse.busy();
                    } else {
                        // Until the body is there, whoever sends it can be ended for another.
                        request.extensions_mut().insert(pulse);
                    }
                    let response = router.call(request).await?;
                    Ok::<_, Infallible>(response.map(|body| Answer { body, _busy: busy }))
                }
            });
            let connection = http.serve_connection(TokioIo::new(Moving::new(socket)), service);
            tokio::pin!(connection);
            let ended = tokio::select! {
                biased;
                ended = &mut connection => Some(ended),
                () = end.cancelled() => return,
                () = closing.cancelled() => None,
                // Unless a request has begun in this moment: it keeps the place until it is answered.
                () = place.leave.cancelled() => match place.pulse.idle_since() {
                    Some(_) => return tracing::debug!("a connection ends: its place is another's"),
                    None => None,
                },
            };
            let ended = match ended {
                Some(ended) => ended,
                None => {
                    connection.as_mut().graceful_shutdown();
                    tokio::select! {
                        biased;
                        ended = &mut connection => ended,
                        () = end.cancelled() => return,
                    }
                }
            };
            if let Err(error) = ended {
                // Clients leave in the middle every day.
                tracing::debug!(%error, "a connection broke");
            }
        }
    }
}

impl Pulse {
    fn new() -> Self {
        Self(Arc::new(Mutex::new(Some(Instant::now()))))
    }

    /// A request is there as a whole, and is answered from now on.
    pub(crate) fn busy(&self) {
        *self.since() = None;
    }

    fn idle_since(&self) -> Option<Instant> {
        *self.since()
    }

    fn since(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        *self.0.since() = Some(Instant::now());
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
