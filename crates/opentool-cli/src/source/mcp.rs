//! An MCP server as a source: at an address, or a program that is started.
//!
//! Its connection lives on a runtime of its own, which stays while the commands' runtimes come and go: a program is started
//! once, listed, and called. A key leaves only for an address that has answered that it wants one.

use std::sync::OnceLock;
use std::time::Duration;

use opentool::agent::redefined;
use opentool::mcp;
use opentool::mcp::client::{Client, ClientError, ConnectBuilder};
use opentool::{Diagnostic, ToolSet, ToolSource as _};
use opentool_http::{Addresses, Authorities};
use secrecy::SecretString;
use tokio::runtime::{Handle, Runtime};
use url::Url;

use crate::error::CliError;
use crate::runtime;
use crate::source::SourceError;

/// What programs expect to find in their environment, and what says nothing that is secret.
const USUAL: [&str; 8] = ["HOME", "LANG", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

/// The tools of an MCP server.
pub(crate) struct Mcp {
    tools: ToolSet,
    client: Client,
    /// What follows it, where somebody wants to know what it changes.
    source: Option<mcp::client::Source>,
    /// How it is reached, where it has an address.
    builder: Option<ConnectBuilder>,
}

impl Mcp {
    /// Its tools.
    pub(crate) fn tools(&self) -> &ToolSet {
        &self.tools
    }

    /// Hears from now on what the server changes.
    ///
    /// # Errors
    /// [`CliError::Source`].
    pub(crate) fn follow(&mut self, place: &str) -> Result<(), CliError> {
        let source = runtime::wait_for(async {
            Ok(self.client.source().await.map_err(|error| failed(place, error))?)
        })?;
        let now = source.tools();
        // What it changed since it was listed is new to those who have the list.
        if now.names().eq(self.tools.names()) && redefined(&self.tools, &now).is_empty() {
            self.tools = now;
        }
        self.source = Some(source);
        Ok(())
    }

    /// Waits until its tools are others, where it is followed.
    pub(crate) async fn changed(&self) {
        match &self.source {
            Some(source) => source.changed(&self.tools).await,
            None => std::future::pending().await,
        }
    }

    /// Takes the tools that a server has now, where it is followed; whether they are others.
    ///
    /// # Errors
    /// [`CliError::Output`] if the system has no room for a runtime.
    pub(crate) fn renew(&mut self) -> Result<bool, CliError> {
        let Some(source) = &self.source else { return Ok(false) };
        let tools = runtime::wait_for(async { Ok(source.latest().await) })?;
        let is_new = !tools.same(&self.tools);
        self.tools = tools;
        Ok(is_new)
    }

    /// The same tools, called at public addresses only.
    ///
    /// # Errors
    /// [`CliError::Source`] if the server is at no such address. A program has none.
    pub(crate) fn public_only(self, place: &str) -> Result<Self, CliError> {
        let Some(builder) = self.builder else { return Ok(self) };
        let builder = builder.addresses(Addresses::Public);
        let asked = async { Ok(connected(builder).await.map_err(|error| failed(place, error))?.0) };
        runtime::wait_for(asked)
    }
}

fn failed(place: &str, error: ClientError) -> Box<SourceError> {
    Box::new(SourceError::Mcp { place: place.to_owned(), error: Box::new(error) })
}

/// What a server gave, and what is wrong with it.
type Read<E> = Result<(Mcp, Vec<Diagnostic>), E>;

async fn connected(builder: ConnectBuilder) -> Read<ClientError> {
    let client = builder.clone().build()?;
    let (tools, diagnostics) = client.tools().await?;
    Ok((Mcp { tools, client, source: None, builder: Some(builder) }, diagnostics))
}

/// The tools of a server at an address.
///
/// # Errors
/// [`CliError::Source`]; what `key` says when one is needed.
pub(crate) async fn connect(
    url: &Url,
    place: &str,
    timeout: Duration,
    authorities: Option<Authorities>,
    key: impl AsyncFn() -> Result<Option<SecretString>, CliError>,
) -> Read<CliError> {
    let builder = mcp::connect(url.as_str())
        .timeout(timeout)
        .connect_timeout(timeout.min(Duration::from_secs(10)))
        .authorities(authorities)
        .runtime(background()?);
    let read = match connected(builder.clone()).await {
        Err(error @ ClientError::Unauthorized { .. }) => match key().await? {
            None => Err(error),
            Some(key) => connected(builder.bearer(key)).await,
        },
        other => other,
    };
    Ok(read.map_err(|error| failed(place, error))?)
}

/// The tools of a server that is started: a program and its arguments.
///
/// # Errors
/// [`CliError::Source`].
pub(crate) async fn spawn(
    command: &[String],
    place: &str,
    timeout: Duration,
    passed: &[String],
) -> Read<CliError> {
    let (program, arguments) = command.split_first().map_or(("", command), |(first, rest)| (first, rest));
    let builder = mcp::spawn(program).args(arguments).timeout(timeout).runtime(background()?);
    let names = USUAL.into_iter().chain(passed.iter().map(String::as_str));
    let client = names.fold(builder, mcp::client::SpawnBuilder::pass_env).build();
    let (tools, diagnostics) = client.tools().await.map_err(|error| failed(place, error))?;
    Ok((Mcp { tools, client, source: None, builder: None }, diagnostics))
}

/// The runtime on which connections live, as long as the process.
fn background() -> Result<Handle, CliError> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime.handle().clone());
    }
    let made = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("mcp")
        .enable_all()
        .build()?;
    // Of two that were made at once one goes, before anything runs on it.
    Ok(RUNTIME.get_or_init(|| made).handle().clone())
}
