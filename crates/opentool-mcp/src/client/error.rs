//! Why a server's tools cannot be had, or a call of one gave no answer, by what the caller can do about it.
//!
//! Texts name the origin of a server, or the program that is one, and never a path, a token or an argument.

use std::fmt;
use std::io;
use std::time::Duration;

use opentool_core::BoxError;
use opentool_http::HttpError;

/// Why there is no answer, or not the one that was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The address is not one of a server.
    #[error("`{url}` is not the address of an MCP server: {reason}")]
    Address {
        /// The address, shortened, without user, password, query and fragment.
        url: Box<str>,
        /// What is wrong with it, and what to write.
        reason: &'static str,
    },
    /// A header, or the token, cannot be sent.
    #[error("the header `{name}` cannot be sent: {reason}")]
    Header {
        /// Its name.
        name: Box<str>,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The program that is the server cannot be started.
    #[error("`{program}` cannot be started: {}", not_started(.source))]
    Spawn {
        /// The program.
        program: Box<str>,
        /// What the system said.
        source: io::Error,
    },
    /// The server does not let us in (HTTP 401 or 403).
    #[error("{server} {token}")]
    Unauthorized {
        /// Who: scheme, host, port.
        server: Box<str>,
        /// Whether it was given a token.
        token: TokenGiven,
    },
    /// There is no MCP server: nobody takes the connection, or what is there knows no such path. Nothing was run.
    #[error("no access to an MCP server at {server}: {reason}")]
    NoAccess {
        /// Where: scheme, host, port.
        server: Box<str>,
        /// What was met, and what to check.
        reason: &'static str,
        /// Why there is no connection.
        source: Option<BoxError>,
    },
    /// The server refuses work for now (HTTP 429 or 503).
    #[error("{server} is busy (HTTP {status}){}", after(*.retry_after))]
    Busy {
        /// Who: scheme, host, port.
        server: Box<str>,
        /// The status.
        status: u16,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The server answers with a status that is no success, and without an error of the protocol.
    #[error("{server} answered HTTP {status}")]
    Status {
        /// Who: scheme, host, port.
        server: Box<str>,
        /// The status.
        status: u16,
    },
    /// The server sends us elsewhere, where neither calls nor tokens follow by themselves.
    #[error("{server} redirects to {to}; connect there if you trust it")]
    Redirected {
        /// Who: scheme, host, port.
        server: Box<str>,
        /// Where to: scheme, host, port.
        to: Box<str>,
    },
    /// What comes back is not what the protocol says.
    #[error("{server} does not speak MCP: {reason}")]
    NotMcp {
        /// Who: scheme, host, port, or the program.
        server: Box<str>,
        /// What is wrong with the answer.
        reason: Box<str>,
    },
    /// The server refuses the request, by an error of the protocol.
    #[error("{server} refuses the request ({code}): {message}")]
    Refused {
        /// Who: scheme, host, port, or the program.
        server: Box<str>,
        /// The code of JSON-RPC. -32602: the request is not valid; -32601: no such method; -32603: the server is broken.
        code: i32,
        /// The server's words, cut.
        message: Box<str>,
    },
    /// The server wants to ask a person or a model before it answers, and there is nobody to ask here.
    #[error("{server} wants {what} before it answers, which this client does not give")]
    WantsMore {
        /// Who: scheme, host, port, or the program.
        server: Box<str>,
        /// What it wants.
        what: &'static str,
    },
    /// The connection was lost. A call that was under way may have run; the next one makes a new connection.
    #[error("the connection to {server} was lost{}", because(.reason))]
    Lost {
        /// Who: scheme, host, port, or the program.
        server: Box<str>,
        /// What is known: how the program ended, and what it said last.
        reason: Box<str>,
    },
    /// There was no answer in time. A call may have run; the server was told that nobody waits any more.
    #[error("{server} gave no answer within {}", opentool_core::in_units(*.after))]
    TimedOut {
        /// Who: scheme, host, port, or the program.
        server: Box<str>,
        /// The limit.
        after: Duration,
    },
    /// An answer is larger than allowed.
    #[error("the answer of {server} is larger than the limit of {limit} bytes")]
    TooLarge {
        /// Who: scheme, host, port, or the program.
        server: Box<str>,
        /// The limit in bytes.
        limit: u64,
    },
    /// The HTTP exchange failed in another way. A call may have run.
    #[error(transparent)]
    Http(#[from] HttpError),
}

const _: () = assert!(size_of::<ClientError>() <= 64);

impl ClientError {
    /// Whether a call certainly did not run, so that it can be made again.
    pub fn not_run(&self) -> bool {
        match self {
            Self::Address { .. }
            | Self::Header { .. }
            | Self::Spawn { .. }
            | Self::Unauthorized { .. }
            | Self::NoAccess { .. }
            | Self::Redirected { .. } => true,
            Self::Http(error) => error.is_unsent(),
            _ => false,
        }
    }

    /// Whether the connection itself is at fault, so that the next call needs a new one.
    pub(crate) fn is_of_the_connection(&self) -> bool {
        !matches!(
            self,
            Self::Refused { .. } | Self::WantsMore { .. } | Self::TimedOut { .. } | Self::TooLarge { .. }
        )
    }

    /// Whether a server of the older revisions may answer like this to what it does not know.
    pub(crate) fn may_be_of_an_older_server(&self) -> bool {
        match self {
            Self::Status { .. }
            | Self::NotMcp { .. }
            | Self::Refused { .. }
            | Self::Lost { .. }
            | Self::Busy { .. } => true,
            Self::Http(error) => matches!(error, HttpError::Broken { .. }),
            _ => false,
        }
    }
}

/// Whether a server that wants a token was given one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenGiven {
    /// It was, and did not accept it.
    Yes,
    /// It was not.
    No,
}

impl fmt::Display for TokenGiven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "does not accept the token",
            Self::No => "wants a token, and none was given",
        })
    }
}

fn not_started(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "there is no such program on `PATH`; is it installed, and is its name right?".to_owned()
        }
        io::ErrorKind::PermissionDenied => "the system does not allow it; is it a program?".to_owned(),
        _ => error.to_string(),
    }
}

fn after(wait: Option<Duration>) -> String {
    wait.map(|wait| format!("; it asks to be left alone for {}", opentool_core::in_units(wait)))
        .unwrap_or_default()
}

fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}
