//! A server that listens: accepting connections, and a graceful end.

use std::fmt::Display;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use opentool_listen::{Connections, Rules, Unasked, Untaken};
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::endpoints::Endpoints;
use super::host::Host;
use super::routes::{self, Endpoint};
use super::settings::Settings;
use super::{Server, tls};
use crate::ServerError;

/// How long the answers to calls that were given up may take to reach their clients.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// How long a new connection may take to send its first head: who connects has something to say.
const FIRST_HEAD: Duration = Duration::from_secs(5);

/// A server that listens, and serves as soon as it is told to.
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
    host: Arc<Host>,
    tls: Option<TlsAcceptor>,
    base: String,
    grace: Duration,
    max_connections: usize,
}

impl Bound {
    pub(super) async fn new(
        server: Server,
        address: impl ToSocketAddrs + Display,
    ) -> Result<Self, ServerError> {
        let (host, settings) = server.host()?;
        let base = routes::base_path(&settings.base_path)?.to_owned();
        let tls = match settings.tls.clone() {
            Some(files) => Some(tls::load(files).await?),
            None => None,
        };
        let wanted = address.to_string();
        let listener = TcpListener::bind(address).await.map_err(|error| ServerError::bind(&wanted, error))?;
        let address = listener.local_addr().map_err(|error| ServerError::bind(&wanted, error))?;
        if !address.ip().is_loopback() {
            if host.keys.are_none() {
                tracing::warn!(%address, "the server can be reached from other machines and asks for no key");
            } else if tls.is_none() {
                tracing::warn!(%address, "the server can be reached from other machines, and keys travel unencrypted");
            }
        }
        let router = routes::router(&host, &base).fallback_service(routes::at(&host, Endpoint::Nothing));
        let Settings { grace, max_connections, .. } = settings;
        Ok(Self { listener, address, router, host, tls, base, grace, max_connections })
    }

    /// The address, with the port that was picked.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The base address for clients on this machine: `http://127.0.0.1:17001/opentool`.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}{}", opentool_listen::local(self.address), self.base)
    }

    /// Serves these routes beside the endpoints: everything that is not below the base path. They check keys, `Host` and
    /// `Origin` themselves.
    pub fn beside(mut self, routes: Router) -> Self {
        self.router = routes::router(&self.host, &self.base).fallback_service(routes);
        self
    }

    /// Serves until the future is dropped, which cuts all connections, or until a client stops the server where that is
    /// allowed.
    ///
    /// # Errors
    /// [`ServerError::Io`] if the socket breaks.
    pub async fn serve(self) -> Result<(), ServerError> {
        self.serve_until(std::future::pending()).await
    }

    /// Serves until `shutdown` completes, or until a client stops the server where that is allowed. Then no connection is
    /// accepted any more, calls that run may end within [`Server::grace`], the others are given up and their clients are
    /// told.
    ///
    /// # Errors
    /// [`ServerError::Io`] if the socket breaks.
    pub async fn serve_until(self, shutdown: impl Future<Output = ()>) -> Result<(), ServerError> {
        let Self { listener, router, host, tls, base, grace, max_connections, .. } = self;
        let _given_up = [host.closing.clone(), host.aborting.clone()].map(CancellationToken::drop_guard);
        let rules = Rules::new(max_connections).first_head(FIRST_HEAD).tls(tls);
        let rules = rules.untaken(Untaken::KeepsPlace).unasked(Unasked::Cut);
        let closing = host.closing.clone();
        let endpoints = Endpoints { host: Arc::clone(&host), base, router };
        let mut connections = Connections::new(endpoints, rules, closing);
        tokio::select! {
            () = connections.accept(&listener) => {}
            () = shutdown => {}
            () = host.stopped.cancelled() => {}
        }
        drop(listener);
        host.closing.cancel();
        if timeout(grace, connections.ended()).await.is_err() {
            host.aborting.cancel();
            if timeout(LAST_ANSWERS, connections.ended()).await.is_err() {
                tracing::warn!("connections that do not end are cut");
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("address", &self.address).finish_non_exhaustive()
    }
}
