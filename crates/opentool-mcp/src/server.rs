//! The server before it serves: its tools and settings.
//!
//! What happens to a request is the handler's business; sockets and streams are in `http` and `stream`.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use opentool_core::{ToolContext, ToolSource};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::ToSocketAddrs;

use crate::host::{Host, Settings};
use crate::http::{self, Bound};
use crate::{McpError, OutputSchemas, stream};

/// An MCP server of a tool source.
///
/// ```no_run
/// # async fn run(tools: opentool_core::ToolSet) -> Result<(), opentool_mcp::McpError> {
/// let bound = opentool_mcp::Server::new(tools).name("shop").bind("127.0.0.1:0").await?;
/// eprintln!("{}", bound.url());
/// bound.serve_until(async { /* a signal */ }).await?;
/// # Ok(()) }
/// ```
pub struct Server {
    source: Arc<dyn ToolSource>,
    settings: Settings,
}

impl Server {
    /// A server of these tools: a [`opentool_core::ToolSet`], or [`opentool_core::LiveTools`] whose changes
    /// clients are told of.
    pub fn new(tools: impl ToolSource) -> Self {
        Self { source: Arc::new(tools), settings: Settings::default() }
    }

    /// The name that clients see. Default: `opentool`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.settings.name = name.into();
        self
    }

    /// The version that clients see. Default: that of this crate.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.settings.version = version.into();
        self
    }

    /// What a model should know about the tools as a whole. Default: nothing.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.settings.instructions = Some(instructions.into());
        self
    }

    /// The time a call may take; then the tool is stopped and the client gets an error result. Default: 60
    /// seconds, which is what many clients wait. [`Duration::MAX`] means no limit.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Which tools announce an output schema. Default: [`OutputSchemas::Guaranteed`].
    pub fn output_schemas(mut self, which: OutputSchemas) -> Self {
        self.settings.output_schemas = which;
        self
    }

    /// The most tools in one page of `tools/list`; at least 1. Default: 1,000.
    ///
    /// The default is large because many clients read the first page only. A page also ends before it holds
    /// more than 4 MiB of definitions, so that it passes the message limits of clients.
    pub fn page_size(mut self, tools: usize) -> Self {
        self.settings.page_size = tools.max(1);
        self
    }

    /// The most calls that run at once, over all clients; at least 1. Further calls wait within their time
    /// limit. Default: 256.
    pub fn max_calls(mut self, calls: usize) -> Self {
        self.settings.max_calls = u32::try_from(calls).unwrap_or(u32::MAX).clamp(1, Settings::CALLS_LIMIT);
        self
    }

    /// The largest request, in bytes: an HTTP body, or a line of a stream. Default: 4 MiB.
    ///
    /// Requests that are under way take at most about 128 times as much memory, over all clients; who comes when
    /// there is no room is told to try again later.
    pub fn max_request_bytes(mut self, bytes: usize) -> Self {
        self.settings.max_request_bytes = bytes;
        self
    }

    /// The most connections over HTTP at once; at least 1. For a further one the connection that has been idle longest
    /// is ended; where all are at work, it waits. Default: 512, half of the files that a process may usually have
    /// open: tools need some too. Does not hold for [`Server::router`], whose connections are not ours.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.settings.max_connections = connections.clamp(1, Settings::CALLS_LIMIT as usize);
        self
    }

    /// How long calls may go on after the server was asked to end, or after its client closed the stream. Default:
    /// 10 seconds after it was asked, and 1 second after the stream was closed: clients kill a server that lingers.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.grace = Some(grace);
        self
    }

    /// The facts and values that tools find in the context of every call. Call id, deadline, cancellation and
    /// events are set by the server. Default: an empty context.
    pub fn context(mut self, context: ToolContext) -> Self {
        self.settings.context = context;
        self
    }

    /// Accepts HTTP requests for this host too: `example.com`, for any port, or `example.com:8080`. Its pages
    /// become allowed origins. Default: the loopback names and the address that the server is bound to.
    ///
    /// A server that is bound to `0.0.0.0` needs this for every name and address that clients call it by.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.settings.hosts.push(host.into());
        self
    }

    /// Accepts HTTP requests of web pages of this origin: `https://app.example.com`. Default: pages of the
    /// allowed hosts, on any port.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.settings.origins.push(origin.into());
        self
    }

    /// Serves one client over standard input and output until it closes the stream.
    ///
    /// # Errors
    /// [`McpError::Handshake`] if the other side is no MCP client.
    pub async fn stdio(self) -> Result<(), McpError> {
        let (read, write) = rmcp::transport::stdio_pipes();
        self.serve_stream(read, write).await
    }

    /// [`Server::stdio`], until `shutdown` completes too: then no more requests are read, calls that run finish
    /// within [`Server::grace`], and the server ends.
    ///
    /// # Errors
    /// Those of [`Server::stdio`].
    pub async fn stdio_until(self, shutdown: impl Future<Output = ()>) -> Result<(), McpError> {
        let (read, write) = rmcp::transport::stdio_pipes();
        self.serve_stream_until(read, write, shutdown).await
    }

    /// Serves one client over a pair of byte streams, one JSON-RPC message a line, until it closes its side: a
    /// Unix socket, a pipe, an in-process duplex.
    ///
    /// # Errors
    /// [`McpError::Handshake`] if the other side is no MCP client.
    pub async fn serve_stream(
        self,
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<(), McpError> {
        self.serve_stream_until(read, write, std::future::pending()).await
    }

    /// [`Server::serve_stream`], until `shutdown` completes too: then no more requests are read, calls that run finish
    /// within [`Server::grace`], and the server ends.
    ///
    /// # Errors
    /// Those of [`Server::serve_stream`].
    pub async fn serve_stream_until(
        self,
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), McpError> {
        stream::serve(self.host(), read, write, shutdown).await
    }

    /// Listens at the address, for example `127.0.0.1:3000`; port 0 picks a free one. Nothing is served before
    /// [`Bound::serve`] or [`Bound::serve_until`].
    ///
    /// # Errors
    /// [`McpError::AddressInUse`], [`McpError::Bind`], [`McpError::InvalidHost`], [`McpError::InvalidOrigin`].
    pub async fn bind(self, address: impl ToSocketAddrs + Display) -> Result<Bound, McpError> {
        Bound::new(self.host(), address).await
    }

    /// The endpoint as a router with the one route `/mcp`, for a server of your own. Set `TCP_NODELAY` on your
    /// sockets, or every call costs 40 ms. [`Bound::beside`] is the other way round: your routes in this
    /// server.
    ///
    /// # Errors
    /// [`McpError::InvalidHost`] and [`McpError::InvalidOrigin`].
    pub fn router(self) -> Result<Router, McpError> {
        http::router(&self.host())
    }

    fn host(self) -> Arc<Host> {
        Arc::new(Host::new(self.source, self.settings))
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("settings", &self.settings).finish_non_exhaustive()
    }
}
