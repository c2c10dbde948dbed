//! What a server is told before it serves.

use std::path::PathBuf;
use std::time::Duration;

use opentool_core::{Cancellation, ToolContext};
use opentool_doc::{Document, Info};
use secrecy::SecretString;

use crate::wire::endpoint::BASE_PATH;

/// Whether a client may end the server with `POST /stop`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// It is refused with 403. The default.
    #[default]
    Refused,
    /// The server ends as it does when it is asked to by its own program: running calls finish first.
    Allowed,
}

/// What `GET /load` answers.
#[derive(Debug, Clone)]
pub(super) enum Shown {
    /// A document made from the tools.
    Export(Info),
    /// This document.
    Given(Box<Document>),
    /// `{}`, which means that there is none.
    Nothing,
}

/// The two files of a TLS server.
#[derive(Debug, Clone)]
pub(super) struct TlsFiles {
    pub(super) certificates: PathBuf,
    pub(super) key: PathBuf,
}

/// What [`super::Server`] is told; documented there.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) base_path: String,
    pub(super) keys: Vec<SecretString>,
    pub(super) shown: Shown,
    pub(super) stop: Stop,
    pub(super) stopped: Cancellation,
    pub(super) max_request_bytes: usize,
    pub(super) timeout: Duration,
    pub(super) max_calls: usize,
    pub(super) max_connections: usize,
    pub(super) grace: Duration,
    pub(super) context: ToolContext,
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
    pub(super) tls: Option<TlsFiles>,
}

impl Settings {
    /// More calls or connections at once than any host can run, and well within a semaphore.
    pub(super) const MOST: usize = 1_000_000;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            base_path: BASE_PATH.to_owned(),
            keys: Vec::new(),
            shown: Shown::Export(Info::new("opentool", "1.0.0")),
            stop: Stop::default(),
            stopped: Cancellation::new(),
            max_request_bytes: 4 * 1024 * 1024,
            timeout: Duration::from_secs(60),
            max_calls: 256,
            max_connections: 512,
            grace: Duration::from_secs(10),
            context: ToolContext::new(),
            hosts: Vec::new(),
            origins: Vec::new(),
            tls: None,
        }
    }
}
