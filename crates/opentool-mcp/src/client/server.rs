//! A server whose tools can be listed and called: the connection that is open now, and the next one.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use opentool_core::{Diagnostic, ToolContext, ToolSet};
use rmcp::model::{ClientRequest, ServerResult};
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument as _;

use super::link::{Era, Link};
use super::post::Post;
use super::source::{Happening, Source};
use super::span::Open;
use super::spawn::Program;
use super::{ClientError, listing, running};

/// How much a server may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The longest call, and the longest opening of a connection.
    pub(crate) call: Duration,
    /// The most bytes of an answer.
    pub(crate) answer: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { call: Duration::from_secs(60), answer: 32 * 1024 * 1024 }
    }
}

/// How a server is reached.
pub(crate) enum Way {
    /// At an address.
    Http(Box<Post>),
    /// It is started.
    Process(Box<Program>),
}

impl Way {
    /// The server's name in texts: scheme, host and port, or the program.
    pub(crate) fn name(&self) -> Box<str> {
        match self {
            Self::Http(post) => post.origin(),
            Self::Process(program) => format!("`{}`", program.name()).into(),
        }
    }
}

/// A server that can be asked. Clones share its connection, which lives as long as one of them or of its tools.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    way: Arc<Way>,
    limits: Limits,
    runtime: Option<Handle>,
    /// The connection; made by whoever needs it first, while the others wait.
    link: Mutex<Option<Arc<Link>>>,
    /// The server was met before, and begins with `initialize`.
    older: AtomicBool,
    /// Somebody wants to know when its tools change.
    followed: AtomicBool,
    happening: Happening,
}

impl Client {
    pub(crate) fn new(way: Way, limits: Limits, runtime: Option<Handle>) -> Self {
        Self(Arc::new(Inner {
            way: Arc::new(way),
            limits,
            runtime,
            link: Mutex::default(),
            older: AtomicBool::default(),
            followed: AtomicBool::default(),
            happening: Happening::default(),
        }))
    }

    /// The server in texts: scheme, host and port of its address, or its program in back quotes.
    pub fn name(&self) -> Box<str> {
        self.0.way.name()
    }

    /// The server's tools, and what is wrong with its list. All pages are asked for, up to 20,000 tools. A tool that cannot be
    /// used is left out with a diagnostic, the others are there; JSON Pointers lead into the list of all pages.
    ///
    /// The set is that of now. A tool that the server takes away is [`opentool_core::ToolError::UnknownTool`] when it is
    /// called; ask again for what there is instead.
    ///
    /// # Errors
    /// [`ClientError`], if there is not even a first page.
    pub async fn tools(&self) -> Result<(ToolSet, Vec<Diagnostic>), ClientError> {
        listing::tools(self).await
    }

    /// The server's tools as a source that follows what the server says of changes.
    ///
    /// # Errors
    /// Those of [`Client::tools`].
    pub async fn source(&self) -> Result<Source, ClientError> {
        Source::of(self).await
    }

    /// What the server says about how its tools are to be used, for a model's instructions: a stranger's text, without
    /// characters that hide and cut at 2,000 characters. `None` if it says nothing, or if no connection is open.
    pub async fn instructions(&self) -> Option<String> {
        let link = self.0.link.lock().await.clone()?;
        let said = link.peer().peer_info()?.instructions.clone()?;
        Some(opentool_http::bounded(&opentool_core::visible::without_hidden(&said)))
    }

    /// Opens the connection, if none is open.
    pub(crate) async fn open(&self) -> Result<(), ClientError> {
        self.link().await.map(drop)
    }

    /// Opens the connection, if none is open, and hears of changes over this one and all that come after it.
    pub(crate) async fn follow(&self) -> Result<(), ClientError> {
        self.0.followed.store(true, Ordering::Relaxed);
        self.link().await?.listen();
        Ok(())
    }

    pub(crate) fn happening(&self) -> &Happening {
        &self.0.happening
    }

    /// Where its connections live.
    pub(crate) fn runtime(&self) -> Handle {
        self.0.runtime.clone().unwrap_or_else(Handle::current)
    }

    pub(crate) fn limits(&self) -> Limits {
        self.0.limits
    }

    /// Where requests go, for people.
    pub(crate) fn place(&self) -> String {
        match &*self.0.way {
            Way::Http(post) => {
                let mut url = post.url().clone();
                url.set_query(None);
                url.into()
            }
            Way::Process(program) => program.name().into(),
        }
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn ask(
        &self,
        request: ClientRequest,
        deadline: Option<Instant>,
        cx: Option<&ToolContext>,
    ) -> Result<ServerResult, ClientError> {
        let opening = self.link();
        let link = match deadline {
            Some(end) => {
                tokio::time::timeout_at(end.into(), opening).await.map_err(|_| self.too_late())??
            }
            None => opening.await?,
        };
        let open = Open::begin(&request, &self.0.way, &link);
        let span = open.span().clone();
        let name = self.name();
        let exchange = running::exchange(&link, &name, request, self.0.limits, deadline, cx, &open);
        let answer = exchange.instrument(span).await;
        open.ended(&answer);
        if let Err(error) = &answer
            && error.is_of_the_connection()
        {
            self.forget(&link).await;
        }
        answer
    }

    /// The open connection, or a new one.
    async fn link(&self) -> Result<Arc<Link>, ClientError> {
        let mut slot = self.0.link.lock().await;
        if let Some(link) = slot.as_ref().filter(|link| link.is_open()) {
            return Ok(Arc::clone(link));
        }
        *slot = None;
        let era = if self.0.older.load(Ordering::Relaxed) { Era::Older } else { Era::Any };
        let (way, limits, happening) =
            (Arc::clone(&self.0.way), self.0.limits, Arc::clone(&self.0.happening));
        let opening = async move {
            let opening = Link::open(&way, limits, era, &happening);
            tokio::time::timeout(limits.opening(), opening).await
        };
        let opened = AbortOnDropHandle::new(self.runtime().spawn(opening)).await;
        let (link, era) = match opened {
            Ok(Ok(opened)) => opened?,
            Ok(Err(_)) => return Err(self.too_late()),
            Err(_) => {
                let reason = "the runtime of its connections has ended".into();
                return Err(ClientError::Lost { server: self.name(), reason });
            }
        };
        self.0.older.store(era == Era::Older, Ordering::Relaxed);
        let link = Arc::new(link);
        if self.0.followed.load(Ordering::Relaxed) {
            link.listen();
        }
        self.0.happening.send_modify(|happened| happened.links = happened.links.wrapping_add(1));
        *slot = Some(Arc::clone(&link));
        Ok(link)
    }

    /// The next request makes a new connection; calls that run keep theirs.
    async fn forget(&self, link: &Arc<Link>) {
        let mut slot = self.0.link.lock().await;
        if slot.as_ref().is_some_and(|open| Arc::ptr_eq(open, link)) {
            *slot = None;
        }
    }

    fn too_late(&self) -> ClientError {
        ClientError::TimedOut { server: self.name(), after: self.0.limits.call }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("server", &self.name())
            .field("limits", &self.0.limits)
            .finish_non_exhaustive()
    }
}
