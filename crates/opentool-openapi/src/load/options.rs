//! What may be read because a document refers to it, and how much.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use opentool_http::{Client, Options};

use super::cache::Cache;
use super::text::MAX_BYTES;

/// The longest time for fetching a document.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How documents are loaded. By default a document that is a file may refer to files below its own directory, and
/// nothing else is read.
///
/// ```no_run
/// # async fn example() -> Result<(), opentool_openapi::OpenApiError> {
/// use opentool_openapi::LoadOptions;
///
/// let api = LoadOptions::new().root("specs").load("specs/shop/openapi.yaml").await?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoadOptions {
    /// Which references are followed.
    pub references: References,
    /// The directory that files must be below. Default: the directory of the document; for a text without a file, none.
    pub root: Option<PathBuf>,
    /// Hosts (`schemas.example.com`, or `schemas.example.com:8443` for a port of its own) whose documents may be fetched
    /// because a document refers to them.
    pub hosts: Vec<String>,
    /// How many other documents are read for one. Default: 500.
    pub max_documents: usize,
    /// How many bytes the other documents may have together. Default: 64 MiB.
    pub max_bytes: u64,
    /// How many documents may stand between one and the document that was asked for. Default: 20.
    pub max_depth: usize,
    /// The client that fetches. Default: one with a limit of 60 seconds.
    pub client: Option<Client>,
    /// The machine that a text came from which the host fetched itself, for [`LoadOptions::read`]; see
    /// [`Settings::document_peer`](crate::Settings::document_peer). Default: as [`LoadOptions::load`] finds it.
    pub document_peer: Option<IpAddr>,
    /// A directory for copies of YAML documents in a form that is read faster, by the hash of their text. It is made if it
    /// is not there, for its user alone; whoever can write into it decides what documents say. Default: none.
    pub cache: Option<PathBuf>,
}

/// Which references to other documents are followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum References {
    /// None.
    Ignore,
    /// From files to files below the root; to the named hosts.
    #[default]
    Files,
    /// Also from a document with a URL to documents of the same scheme, host and port.
    SameOrigin,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            references: References::default(),
            root: None,
            hosts: Vec::new(),
            max_documents: 500,
            max_bytes: 64 * 1024 * 1024,
            max_depth: 20,
            client: None,
            document_peer: None,
            cache: None,
        }
    }
}

impl LoadOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says which references are followed.
    pub fn references(mut self, references: References) -> Self {
        self.references = references;
        self
    }

    /// Sets the directory that files must be below.
    pub fn root(mut self, directory: impl Into<PathBuf>) -> Self {
        self.root = Some(directory.into());
        self
    }

    /// Allows documents of a host to be fetched because a document refers to them.
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Sets how many other documents are read for one.
    pub fn max_documents(mut self, count: usize) -> Self {
        self.max_documents = count;
        self
    }

    /// Sets how many bytes the other documents may have together.
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets how many documents may stand between one and the document that was asked for.
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth;
        self
    }

    /// Sets the client that fetches.
    pub fn client(mut self, client: Client) -> Self {
        self.client = Some(client);
        self
    }

    /// Says which machine a text came from that the host fetched itself: where its address is public, the document leads
    /// to public ones only, by references too.
    pub fn document_peer(mut self, peer: impl Into<Option<IpAddr>>) -> Self {
        self.document_peer = peer.into();
        self
    }

    /// Sets a directory for copies of YAML documents in a form that is read faster.
    pub fn cache(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cache = Some(directory.into());
        self
    }

    /// How texts are read.
    pub(super) fn reader(&self) -> Option<Cache> {
        self.cache.as_ref().map(Cache::new)
    }

    pub(super) fn client_or_default(&self) -> Client {
        self.client
            .clone()
            .unwrap_or_else(|| Client::new(Options::new().timeout(TIMEOUT).body_limit(MAX_BYTES)))
    }
}
