//! The server before it serves: its tools and settings.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use opentool_core::{Cancellation, ToolContext, ToolSource};
use opentool_doc::{Document, Info};
use opentool_schema::RepairPolicy;
use secrecy::SecretString;
use tokio::net::ToSocketAddrs;

use super::bound::Bound;
use super::host::Host;
use super::routes;
use super::settings::{Settings, Shown, Stop, TlsFiles};
use crate::ServerError;

/// An OpenTool server of a tool source.
///
/// ```no_run
/// # async fn run(tools: opentool_core::ToolSet) -> Result<(), opentool_server::ServerError> {
/// use opentool_server::server::Server;
///
/// let bound = Server::new(tools).api_key("a-long-random-key").bind("127.0.0.1:17001").await?;
/// eprintln!("{}", bound.url());
/// bound.serve_until(async { /* a signal */ }).await?;
/// # Ok(()) }
/// ```
pub struct Server {
    source: Arc<dyn ToolSource>,
    settings: Settings,
}

impl Server {
    /// A server of these tools: a [`opentool_core::ToolSet`], or [`opentool_core::LiveTools`], whose changes count from
    /// the next request on.
    pub fn new(tools: impl ToolSource) -> Self {
        Self { source: Arc::new(tools), settings: Settings::default() }
    }

    /// The path below which the endpoints are; `/` puts them at the root. Default: `/opentool`.
    pub fn base_path(mut self, path: impl Into<String>) -> Self {
        self.settings.base_path = path.into();
        self
    }

    /// Accepts this key; several are possible, and any of them opens. Default: none, and everybody may call.
    ///
    /// Clients send `Authorization: Bearer KEY`; the bare key is accepted too. A key is printable ASCII, and an empty one
    /// is an error when the server starts.
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Self {
        self.settings.keys.push(key.into());
        self
    }

    /// The title and version of the document that `GET /load` answers; `GET /version` answers the version. Replaces
    /// what [`Server::document`] set. Default: `opentool` and `1.0.0`.
    pub fn info(mut self, title: impl Into<String>, version: impl Into<String>) -> Self {
        self.settings.shown = Shown::Export(Info::new(title, version));
        self
    }

    /// The document that `GET /load` answers; `GET /version` answers the version in its `info`. Its functions should bear
    /// the names of the tools. Default: a document that is made from the tools.
    pub fn document(mut self, document: Document) -> Self {
        self.settings.shown = Shown::Given(Box::new(document));
        self
    }

    /// `GET /load` answers `{}`, which means that there is no document.
    pub fn no_document(mut self) -> Self {
        self.settings.shown = Shown::Nothing;
        self
    }

    /// Whether a client may end the server by `POST /stop`. Default: [`Stop::Refused`].
    pub fn allow_stop(mut self, stop: Stop) -> Self {
        self.settings.stop = stop;
        self
    }

    /// Triggered when a client has stopped the server where that is allowed. [`Bound`] ends by itself; a server of your
    /// own around [`Server::router`] has to wait for this.
    pub fn stop_signal(&self) -> Cancellation {
        self.settings.stopped.clone()
    }

    /// The time a call may take; then the tool is stopped and the client gets an error. Default: 60 seconds.
    /// [`Duration::MAX`] means no limit.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// The most calls that run at once, over all clients; at least 1. Further calls are refused at once with 503.
    /// Default: 256.
    pub fn max_calls(mut self, calls: usize) -> Self {
        self.settings.max_calls = calls.clamp(1, Settings::MOST);
        self
    }

    /// The most connections at once; at least 1. For a further one the connection that has been without a call longest
    /// is ended; where calls run in all of them, it waits. Default: 512, half of the files that a process may usually
    /// have open: tools need some too.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.settings.max_connections = connections.clamp(1, Settings::MOST);
        self
    }

    /// The largest request body, in bytes. Default: 4 MiB.
    pub fn max_request_bytes(mut self, bytes: usize) -> Self {
        self.settings.max_request_bytes = bytes;
        self
    }

    /// How long calls may go on after the server was asked to end. Default: 10 seconds.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.grace = grace;
        self
    }

    /// How far arguments are mended before they are validated. Default: what
    /// [`Repairs::Sure`](opentool_schema::Repairs::Sure) allows, for all tools.
    pub fn repairs(mut self, policy: RepairPolicy) -> Self {
        self.settings.context = self.settings.context.fact(policy);
        self
    }

    /// The facts and values that tools find in the context of every call. Call id, deadline, cancellation and events are
    /// set by the server. Replaces what [`Server::repairs`] set. Default: an empty context.
    pub fn context(mut self, context: ToolContext) -> Self {
        self.settings.context = context;
        self
    }

    /// Without keys: answers requests for this host name too, `example.com` for any port, or `example.com:8080`. Default:
    /// `localhost`, and every address. With keys, every name is answered.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.settings.hosts.push(host.into());
        self
    }

    /// Lets web pages of this origin call: `https://app.example.com`. Default: pages of this machine and of the host that
    /// the request names are not refused, but browsers do not let pages of another origin read the answers.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.settings.origins.push(origin.into());
        self
    }

    /// Serves HTTPS with the certificate chain of the one file, the server's own certificate first, and the private key
    /// of the other; both PEM. They are read when the server starts. Default: plain HTTP.
    pub fn tls(mut self, certificates: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        self.settings.tls = Some(TlsFiles { certificates: certificates.into(), key: key.into() });
        self
    }

    /// Listens at the address, for example `127.0.0.1:17001`; port 0 picks a free one. Nothing is served before
    /// [`Bound::serve`] or [`Bound::serve_until`].
    ///
    /// # Errors
    /// All but [`ServerError::Io`]: a setting that is not usable, a TLS file, or the address.
    pub async fn bind(self, address: impl ToSocketAddrs + Display) -> Result<Bound, ServerError> {
        Bound::new(self, address).await
    }

    /// The endpoints as a router, for a server of your own; everything below the base path is theirs. Set `TCP_NODELAY`
    /// on your sockets, or every call costs 40 ms. TLS, the number of connections and the grace are your server's then.
    /// [`Bound::beside`] is the other way round: your routes in this server.
    ///
    /// # Errors
    /// [`ServerError::InvalidBasePath`], [`ServerError::InvalidApiKey`], [`ServerError::InvalidHost`],
    /// [`ServerError::InvalidOrigin`].
    pub fn router(self) -> Result<Router, ServerError> {
        let (host, settings) = self.host()?;
        Ok(routes::router(&host, routes::base_path(&settings.base_path)?))
    }

    pub(super) fn host(self) -> Result<(Arc<Host>, Settings), ServerError> {
        let host = Host::new(self.source, &self.settings)?;
        Ok((Arc::new(host), self.settings))
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("settings", &self.settings).finish_non_exhaustive()
    }
}
