//! Why a call of a server failed, by what the caller can do about it.
//!
//! Texts name the origin of the server and never its path, its key or an argument.

use std::fmt;
use std::time::Duration;

use opentool_core::BoxError;
use opentool_doc::DocError;
use opentool_http::HttpError;

/// Why there is no answer, or not the one that was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The address is not one of a server.
    #[error("`{url}` is not the address of an OpenTool server: {reason}")]
    Address {
        /// The address, shortened, without user, password, query and fragment.
        url: Box<str>,
        /// What is wrong with it, and what to write.
        reason: &'static str,
    },
    /// The API key is not one that can be sent.
    #[error("the API key cannot be used: {reason}")]
    ApiKey {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The document does not say where its functions are run.
    #[error(
        "the document names no server, so its functions cannot be called: give it a `server` with a `url` (version \
         1.1.0), or let `mock` answer"
    )]
    NoServer,
    /// The server does not let us in (HTTP 401).
    #[error("{origin} {key}")]
    Unauthorized {
        /// Who: scheme, host, port.
        origin: Box<str>,
        /// Whether it was given a key.
        key: KeyGiven,
    },
    /// There is no OpenTool server: nobody takes the connection, or what is there knows no such path (HTTP 404).
    /// Nothing was run.
    #[error("no access to an OpenTool server at {origin}: {reason}")]
    NoAccess {
        /// Where: scheme, host, port.
        origin: Box<str>,
        /// What was met, and what to check.
        reason: &'static str,
        /// Why there is no connection.
        source: Option<BoxError>,
    },
    /// The server refuses work for now (HTTP 503 or 429). It did not say whether it ran anything.
    #[error("{origin} is busy: {message}{}", after(*.retry_after))]
    Busy {
        /// Who: scheme, host, port.
        origin: Box<str>,
        /// The server's words, cut; the status where it had none.
        message: Box<str>,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The server sends us elsewhere, where neither calls nor keys follow by themselves.
    #[error("{origin} redirects to {to}; connect there if you trust it")]
    Redirected {
        /// Who: scheme, host, port.
        origin: Box<str>,
        /// Where to: scheme, host, port.
        to: Box<str>,
    },
    /// The server answered with success and without a result.
    #[error("{origin} answered HTTP {status} without a result")]
    ResponseNull {
        /// Who: scheme, host, port.
        origin: Box<str>,
        /// The status.
        status: u16,
    },
    /// The server answered with failure and without an error.
    #[error("{origin} answered HTTP {status} without saying what went wrong")]
    ErrorNull {
        /// Who: scheme, host, port.
        origin: Box<str>,
        /// The status.
        status: u16,
    },
    /// The server says that the call failed.
    #[error("the call failed ({code}){}", said(.message))]
    Call {
        /// 405: no such function. 400: the arguments are not valid. 500: the tool is broken; do not call it again.
        /// Others are the server's own.
        code: i64,
        /// The server's words, cut. Empty where it had none, and in the cause of a tool's failure, which has them.
        message: Box<str>,
    },
    /// What came back is not what the protocol says.
    #[error("{origin} does not speak OpenTool: {reason}")]
    NotOpenTool {
        /// Who: scheme, host, port.
        origin: Box<str>,
        /// What is wrong with the answer.
        reason: Box<str>,
    },
    /// The server has no document, so nobody can know its functions; they can be called by name.
    #[error(
        "{origin} gives no document, so its functions are not known; a document from a file can stand in for it"
    )]
    NoDocument {
        /// Who: scheme, host, port.
        origin: Box<str>,
    },
    /// What the server gives is not a document.
    #[error("{origin} gives a document that cannot be read: {source}")]
    Document {
        /// Who: scheme, host, port.
        origin: Box<str>,
        /// What is wrong with it, and where.
        source: DocError,
    },
    /// The exchange took too long, was too large, or broke off. The call may have run.
    #[error(transparent)]
    Http(#[from] HttpError),
}

const _: () = assert!(size_of::<ClientError>() <= 64);

impl ClientError {
    /// Whether the call certainly did not run, so that it can be made again.
    pub fn not_run(&self) -> bool {
        match self {
            Self::Address { .. }
            | Self::ApiKey { .. }
            | Self::NoServer
            | Self::Unauthorized { .. }
            | Self::NoAccess { .. }
            | Self::Redirected { .. } => true,
            Self::Http(error) => error.is_unsent(),
            _ => false,
        }
    }
}

/// Whether a server that wants a key was given one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyGiven {
    /// It was, and did not accept it.
    Yes,
    /// It was not.
    No,
}

impl fmt::Display for KeyGiven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "does not accept the API key",
            Self::No => "wants an API key, and none was given",
        })
    }
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

fn after(wait: Option<Duration>) -> String {
    wait.map(|wait| format!(" (it asks to be left alone for {})", opentool_core::in_units(wait)))
        .unwrap_or_default()
}
