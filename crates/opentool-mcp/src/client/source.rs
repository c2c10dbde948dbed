//! The tools of a server as a source that follows the server: what it adds, changes and takes away is there for the next
//! run, not for one that has begun.
//!
//! A server says that its list is another one now; the list is asked for then. It is asked for as well when a lost connection
//! was made anew, because what was said meanwhile nobody heard. No connection is made only to listen.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opentool_core::{BoxFuture, Diagnostic, LiveTools, ToolSet, ToolSource};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::{Client, ClientError, listing};

/// How soon after a list the next one is asked for at the earliest: a server may say that it changed as often as it likes.
const PAUSE: Duration = Duration::from_millis(250);

/// What has happened to a server since it was met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Happened {
    /// How often it has said that its tools are others.
    pub(crate) told: u64,
    /// How many connections were made.
    pub(crate) links: u64,
}

/// What has happened, for those who tell it and those who wait for it.
pub(crate) type Happening = Arc<watch::Sender<Happened>>;

/// The server said that its tools are others.
pub(crate) fn told(happening: &watch::Sender<Happened>) {
    happening.send_modify(|happened| happened.told = happened.told.wrapping_add(1));
}

/// The tools of a server, kept up to date while the server says what changes: [`Client::source`]. Clones are one source.
///
/// As a [`ToolSource`] it can be served on, and clients are told in turn. A run has the tools that it began with; the
/// next one gets those of then:
///
/// ```no_run
/// # use opentool_core::ToolSet;
/// # async fn turn(tools: ToolSet) {}
/// # async fn run() -> Result<(), opentool_mcp::client::ClientError> {
/// let source = opentool_mcp::connect("https://tools.example/mcp").await?.source().await?;
/// loop {
///     turn(source.latest().await).await;                           // `agent.replace_tools(tools)`
/// }
/// # }
/// ```
///
/// A call of a tool that is gone is [`opentool_core::ToolError::UnknownTool`], which names what is there instead. Servers that
/// do not say what changes are asked by [`Source::refresh`].
#[derive(Clone)]
pub struct Source(Arc<Inner>);

struct Inner {
    kept: Arc<Kept>,
    /// Asks again when something happened. Ends with the last clone.
    _following: AbortOnDropHandle<()>,
}

/// The list that is there, and whose it is.
struct Kept {
    client: Client,
    tools: LiveTools,
    diagnostics: Mutex<Vec<Diagnostic>>,
    /// What had happened when the list was asked for.
    listed: watch::Sender<Happened>,
}

impl Kept {
    async fn refresh(&self) -> Result<(), ClientError> {
        let (tools, diagnostics) = listing::tools(&self.client).await?;
        *self.diagnostics.lock().unwrap_or_else(PoisonError::into_inner) = diagnostics;
        self.tools.replace(tools);
        Ok(())
    }
}

impl Source {
    /// Asks for the list, and follows from there.
    pub(crate) async fn of(client: &Client) -> Result<Self, ClientError> {
        let mut happening = client.happening().subscribe();
        client.follow().await?;
        let listed = watch::Sender::new(*happening.borrow_and_update());
        let kept = Arc::new(Kept {
            client: client.clone(),
            tools: LiveTools::default(),
            diagnostics: Mutex::default(),
            listed,
        });
        kept.refresh().await?;
        let following = client.runtime().spawn(follow(Arc::clone(&kept), happening));
        Ok(Self(Arc::new(Inner { kept, _following: AbortOnDropHandle::new(following) })))
    }

    /// The tools of now: where the server has said that they are others, and the list is on its way, it is waited for. A list
    /// that cannot be had leaves those of before.
    pub async fn latest(&self) -> ToolSet {
        let kept = &self.0.kept;
        let now = *kept.client.happening().borrow();
        let is_new = |listed: &Happened| listed.told >= now.told && listed.links >= now.links;
        // It ends with the source, which is borrowed.
        let _ = kept.listed.subscribe().wait_for(is_new).await;
        self.tools()
    }

    /// Asks for the list now, whatever the server has said.
    ///
    /// # Errors
    /// [`ClientError`], if there is not even a first page. The tools stay as they were.
    pub async fn refresh(&self) -> Result<(), ClientError> {
        self.0.kept.refresh().await
    }

    /// What is wrong with the list that is there now: [`Client::tools`].
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.0.kept.diagnostics.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The server.
    pub fn client(&self) -> &Client {
        &self.0.kept.client
    }
}

/// Asks for the list whenever something has happened since it was asked for.
async fn follow(kept: Arc<Kept>, mut happening: watch::Receiver<Happened>) {
    let mut seen = *kept.listed.borrow();
    while happening.wait_for(|happened| *happened != seen).await.is_ok() {
        seen = *happening.borrow();
        if let Err(error) = kept.refresh().await {
            tracing::warn!(%error, "the server's tools changed, and its list cannot be read; those of before stay");
        }
        // The list came over this connection, or made it and failed: neither is a reason to ask again.
        seen.links = happening.borrow().links;
        kept.listed.send_replace(seen);
        tokio::time::sleep(PAUSE).await;
    }
}

impl ToolSource for Source {
    fn tools(&self) -> ToolSet {
        self.0.kept.tools.tools()
    }

    fn changed<'a>(&'a self, seen: &'a ToolSet) -> BoxFuture<'a, ()> {
        self.0.kept.tools.changed(seen)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("server", &self.client().name())
            .field("tools", &self.tools().len())
            .finish_non_exhaustive()
    }
}
