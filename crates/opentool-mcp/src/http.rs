//! The streamable HTTP endpoint: routes, sockets, and a graceful end.

use std::fmt::Display;
use std::future::IntoFuture as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::routing::any;
use axum::serve::ListenerExt as _;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::time::{sleep, timeout};

use crate::McpError;
use crate::handler::Handler;
use crate::host::Host;
use crate::sessions::Sessions;
use crate::trust::Trust;

/// The path of the endpoint.
const PATH: &str = "/mcp";

/// How long calls may go on after the server was asked to end.
const GRACE: Duration = Duration::from_secs(10);

/// How long the last answers may take to reach the network.
const LAST_ANSWERS: Duration = Duration::from_millis(250);

/// How long connections may take to end after they were cut.
const CUT: Duration = Duration::from_secs(1);

/// A server that listens, and serves as soon as it is told to.
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
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
        let router = router(&host, Some(address))?
            .fallback((StatusCode::NOT_FOUND, "Not found. The MCP endpoint is at /mcp.\n"));
        if !address.ip().is_loopback() {
            tracing::warn!(%address, "the server can be reached from other machines and asks for no credentials");
        }
        Ok(Self { listener, address, router, host })
    }

    /// The address, with the port that was picked.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The address of the endpoint for clients on this machine: `http://127.0.0.1:3000/mcp`.
    pub fn url(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        format!("http://{address}{PATH}")
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
    /// [`McpError::Io`] if the socket breaks.
    pub async fn serve(self) -> Result<(), McpError> {
        self.serve_until(std::future::pending()).await
    }

    /// Serves until `shutdown` completes; then lets running calls finish within [`crate::Server::grace`], and
    /// ends.
    ///
    /// # Errors
    /// [`McpError::Io`] if the socket breaks.
    pub async fn serve_until(self, shutdown: impl Future<Output = ()>) -> Result<(), McpError> {
        let Self { listener, router, host, .. } = self;
        let _cut = [host.closing.clone(), host.aborting.clone(), host.cut.clone()]
            .map(tokio_util::sync::CancellationToken::drop_guard);
        // Without this every answer waits 40 ms for the client's acknowledgement.
        let listener = listener.tap_io(|socket| {
            if let Err(error) = socket.set_nodelay(true) {
                tracing::debug!(%error, "TCP_NODELAY cannot be set");
            }
        });
        let serving = axum::serve(listener, router)
            .with_graceful_shutdown(host.closing.clone().cancelled_owned())
            .into_future();
        tokio::pin!(serving);
        tokio::select! {
            ended = &mut serving => return Ok(ended?),
            () = shutdown => {}
        }
        host.closing.cancel();
        let drained = async {
            host.drain(host.settings.grace.unwrap_or(GRACE)).await;
            sleep(LAST_ANSWERS).await;
        };
        tokio::select! {
            ended = &mut serving => return Ok(ended?),
            () = drained => {}
        }
        // What is open now are streams of legacy sessions, and clients that do not read.
        host.cut.cancel();
        match timeout(CUT, serving).await {
            Ok(ended) => Ok(ended?),
            Err(_) => Ok(()),
        }
    }
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("address", &self.address).finish_non_exhaustive()
    }
}

/// The route of the endpoint.
pub(crate) fn router(host: &Arc<Host>, bound: Option<SocketAddr>) -> Result<Router, McpError> {
    let trust = Trust::new(&host.settings, bound)?;
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
        Arc::new(Sessions::new()),
        config,
    );
    // Called directly: as a tower service the SDK's service, with all its settings, is cloned for every request.
    let service = Arc::new(service);
    let endpoint = any(move |request: Request| {
        let service = Arc::clone(&service);
        async move { service.handle(request).await.map(Body::new) }
    });
    Ok(Router::new().route(PATH, endpoint))
}
