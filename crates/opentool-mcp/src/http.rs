//! The streamable HTTP endpoint: routes, sockets, and a graceful end.

use std::cell::Cell;
use std::fmt::Display;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use futures_util::future::BoxFuture;
use opentool_listen::{Connections, Respond, Rules, is_json, local, route};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::time::{sleep, timeout};

use crate::McpError;
use crate::handler::Handler;
use crate::host::Host;
use crate::sessions::Sessions;
use crate::trust::{self, Trust};
use crate::{body, sessions};

/// The path of the endpoint.
const PATH: &str = "/mcp";

/// How long calls may go on after the server was asked to end.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

/// How long the last answers may take to reach the network.
const LAST_ANSWERS: Duration = Duration::from_millis(250);

/// How long connections may take to end after they were cut.
const CUT: Duration = Duration::from_secs(1);

/// A server that listens, and serves as soon as it is told to.
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    endpoint: Endpoint,
    /// Everything that is not the endpoint.
    router: Router,
    host: Arc<Host>,
}

impl Bound {
    pub(crate) async fn new(
        host: Arc<Host>,
        address: impl ToSocketAddrs + Display,
    ) -> Result<Self, McpError> {
        let wanted = address.to_string();
        let listener = TcpListener::bind(address).await.map_err(|error| McpError::bind(&wanted, error))?;
        let address = listener.local_addr().map_err(|error| McpError::bind(&wanted, error))?;
        let endpoint = Endpoint::new(&host, Trust::new(&host.settings, Some(address))?, Sessions::new());
        let router =
            Router::new().fallback((StatusCode::NOT_FOUND, "Not found. The MCP endpoint is at /mcp.\n"));
        if !address.ip().is_loopback() {
            tracing::warn!(%address, "the server can be reached from other machines and asks for no credentials");
        }
        Ok(Self { listener, address, endpoint, router, host })
    }

    /// The address, with the port that was picked.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The address of the endpoint for clients on this machine: `http://127.0.0.1:3000/mcp`.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", local(self.address))
    }

    /// Serves these routes beside the endpoint: everything but `/mcp`. They check `Host` and `Origin`
    /// themselves.
    pub fn beside(mut self, routes: Router) -> Self {
        self.router = self.router.fallback_service(routes);
        self
    }

    /// Serves until the future is dropped, which cuts all connections.
    ///
    /// # Errors
    /// None today: a connection that cannot be accepted is told to `tracing`, and the next one is waited for.
    pub async fn serve(self) -> Result<(), McpError> {
        self.serve_until(std::future::pending()).await
    }

    /// Serves until `shutdown` completes; then lets running calls finish within [`crate::Server::grace`], and
    /// ends.
    ///
    /// # Errors
    /// Those of [`Bound::serve`].
    pub async fn serve_until(self, shutdown: impl Future<Output = ()>) -> Result<(), McpError> {
        let Self { listener, endpoint, router, host, .. } = self;
        let _cut = [host.closing.clone(), host.aborting.clone(), host.cut.clone()]
            .map(tokio_util::sync::CancellationToken::drop_guard);
        let rules = Rules::new(host.settings.max_connections);
        let routes = Routes { endpoint, router };
        let mut connections = Connections::new(routes, rules, host.closing.clone());
        tokio::select! {
            () = connections.accept(&listener) => {}
            () = shutdown => {}
        }
        drop(listener);
        host.closing.cancel();
        let drained = async {
            host.drain(host.settings.grace.unwrap_or(GRACE)).await;
            sleep(LAST_ANSWERS).await;
        };
        tokio::select! {
            () = connections.ended() => return Ok(()),
            () = drained => {}
        }
        // What is open now are streams of legacy sessions, and clients that do not read.
        host.cut.cancel();
        if timeout(CUT, connections.ended()).await.is_err() {
            tracing::debug!("connections that do not end are cut");
        }
        Ok(())
    }
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("address", &self.address).finish_non_exhaustive()
    }
}

/// The route of the endpoint.
pub(crate) fn router(host: &Arc<Host>) -> Result<Router, McpError> {
    Ok(Endpoint::new(host, Trust::new(&host.settings, None)?, Sessions::new()).router())
}

/// What a server that listens answers. The endpoint is found without the router, which is for what else there is.
struct Routes {
    endpoint: Endpoint,
    router: Router,
}

impl Respond for Routes {
    type Connection = ();

    fn connect(&self) {}

    fn respond(&self, request: Request, (): &()) -> impl Future<Output = Response> + Send {
        let answer: BoxFuture<'_, Response> = if request.uri().path() == PATH {
            self.endpoint.clone().answer(request)
        } else {
            Box::pin(route(&self.router, request))
        };
        answer
    }
}

/// The endpoint. Clones are the same one.
#[derive(Clone)]
struct Endpoint(Arc<Inner>);

struct Inner {
    /// Called directly: as a tower service the SDK's service, with all its settings, is cloned for every request.
    service: StreamableHttpService<Handler, Sessions>,
    host: Arc<Host>,
}

impl Endpoint {
    fn new(host: &Arc<Host>, trust: Trust, sessions: Sessions) -> Self {
        let config = StreamableHttpServerConfig::default()
            .with_json_response(true)
            .with_legacy_session_mode(true)
            .with_sse_retry(None)
            .with_max_request_body_bytes(host.settings.max_request_bytes)
            .with_cancellation_token(host.cut.clone())
            .with_allowed_hosts(trust.hosts)
            .with_allowed_origins(trust.origins)
            .enforce_origin_validation();
        let handlers = Arc::clone(host);
        let service = StreamableHttpService::new(
            move || Ok(Handler::new(Arc::clone(&handlers))),
            Arc::new(sessions),
            config,
        );
        Self(Arc::new(Inner { service, host: Arc::clone(host) }))
    }

    fn router(self) -> Router {
        Router::new().route(PATH, any(move |request: Request| self.clone().answer(request)))
    }

    /// The SDK's answer, and ours where it has none that is fit.
    ///
    /// In a box from the beginning: what the SDK does for a request takes tens of kilobytes, which every layer that hands
    /// the future on would copy.
    fn answer(self, request: Request) -> BoxFuture<'static, Response> {
        Box::pin(async move {
            let Inner { service, host } = &*self.0;
            if let Some(reason) = trust::ambiguous(request.uri(), request.headers()) {
                tracing::warn!(reason, "a request was refused");
                return (StatusCode::BAD_REQUEST, format!("Bad Request: {reason}\n")).into_response();
            }
            if request.method() != Method::POST {
                return service.handle(request).await.map(Body::new);
            }
            let is_json = is_json(request.headers());
            let (request, kept) =
                match body::keep(request, host.settings.max_request_bytes, &host.budget).await {
                    Ok(read) => read,
                    Err(refusal) => return refusal,
                };
            let (response, full) = sessions::FULL
                .scope(Cell::new(false), async {
                    let response = service.handle(request).await.map(Body::new);
                    (response, sessions::FULL.with(Cell::get))
                })
                .await;
            match response.status() {
                StatusCode::UNSUPPORTED_MEDIA_TYPE if is_json => kept.refusal(),
                _ if full => {
                    let text = "Service Unavailable: a call runs in each of the sessions; try again later\n";
                    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "5")], text).into_response()
                }
                _ => response,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::future::IntoFuture as _;
    use std::sync::Arc;

    use opentool_core::{ToolSet, tool_fn};
    use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::Notify;

    use super::Endpoint;
    use crate::host::{Host, Settings};
    use crate::sessions::Sessions;
    use crate::trust::Trust;

    const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;
    const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"waits"}}"#;

    #[tokio::test]
    async fn a_session_too_many_is_refused_while_calls_run_in_all_others() {
        let (started, finish) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let signs = (Arc::clone(&started), Arc::clone(&finish));
        let waits = tool_fn("waits", "", move |_: BTreeMap<String, u8>| {
            let (started, finish) = (Arc::clone(&signs.0), Arc::clone(&signs.1));
            async move {
                started.notify_one();
                finish.notified().await;
                Ok::<_, String>("finished")
            }
        });
        let settings = Settings::default();
        let trust = Trust::new(&settings, None).unwrap();
        let tools = ToolSet::from_tools([waits]).unwrap();
        let host = Arc::new(Host::new(Arc::new(tools), settings));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Endpoint::new(&host, trust, Sessions::bounded(1)).router();
        tokio::spawn(axum::serve(listener, router).into_future());

        let open = async |session: &str, body: &str| {
            let mut socket = TcpStream::connect(address).await.unwrap();
            let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                        Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
            let length = body.len();
            let request = format!("{head}{session}Content-Length: {length}\r\n\r\n{body}");
            socket.write_all(request.as_bytes()).await.unwrap();
            socket
        };
        let read = async |socket: TcpStream| {
            let mut text = String::new();
            BufReader::new(socket).read_to_string(&mut text).await.unwrap();
            text
        };
        let first = read(open("", HELLO).await).await;
        let session = first.lines().find(|line| line.starts_with("mcp-session-id: ")).unwrap();
        let session = format!("{session}\r\n");
        read(open(&session, READY).await).await;
        let mut running = BufReader::new(open(&session, CALL).await);
        let mut status = String::new();
        running.read_line(&mut status).await.unwrap();
        started.notified().await;

        let refused = read(open("", HELLO).await).await;
        assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
        finish.notify_one();
        let mut answer = String::new();
        running.read_to_string(&mut answer).await.unwrap();
        assert!(answer.contains("finished"), "{answer}");
        let room = read(open("", HELLO).await).await;
        assert!(room.starts_with("HTTP/1.1 200 "), "{room}");
    }
}
