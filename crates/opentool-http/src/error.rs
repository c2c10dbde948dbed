//! Why no answer came.
//!
//! Texts name the origin (scheme, host, port) and never the path or the query: those may hold keys. The source
//! chain has the rest, with addresses taken out.

use std::fmt;
use std::time::Duration;

use url::Url;

pub(crate) type Source = Box<dyn std::error::Error + Send + Sync>;

/// Why an HTTP exchange gave no answer, by what the caller can do about it. Any status is an answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The address is not one that can be asked: not `http` or `https`, or without a host.
    #[error("`{url}` cannot be asked: {reason}; write http:// or https:// and a host")]
    Address {
        /// The address without user, password, query and fragment.
        url: Box<str>,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A header value that cannot be sent.
    #[error("the value of the header `{name}` holds characters that a header cannot hold (line ends, NUL)")]
    Header {
        /// The header.
        name: Box<str>,
    },
    /// The address leads to a machine that is not public, or to a metadata service, and such are not allowed for it; see
    /// [`crate::Addresses`]. Nothing was sent.
    #[error(
        "{origin} was not asked: it leads to a {kind} address, where neither a document nor a redirect may lead; the \
         operator can name or allow it"
    )]
    NotPublic {
        /// Where to: scheme, host, port.
        origin: Box<str>,
        /// The kind of the address: `loopback`, `private`, `link-local` and so on.
        kind: &'static str,
    },
    /// TLS cannot be set up on this machine.
    #[error("TLS cannot be set up: {reason}")]
    Tls {
        /// What is missing and what to do.
        reason: Box<str>,
    },
    /// A certificate or a key that the host brings cannot be used.
    #[error("{file} cannot be used: {reason}")]
    Certificate {
        /// The file, or what it was given as.
        file: Box<str>,
        /// What is wrong with it, and what to do. Nothing of what it holds.
        reason: Box<str>,
    },
    /// There is no connection: refused, no such host, no route, or no trust in the certificate.
    #[error("cannot connect to {origin}")]
    Connect {
        /// Where to: scheme, host, port.
        origin: Box<str>,
        /// Why not.
        source: Source,
    },
    /// It took too long.
    #[error("{origin} gave no {waiting} within {}", in_units(*after))]
    TimedOut {
        /// Who: scheme, host, port.
        origin: Box<str>,
        /// The limit that was hit.
        after: Duration,
        /// What was waited for.
        waiting: Waiting,
    },
    /// The body is larger than allowed. At most the limit was read.
    #[error("the answer of {origin} is larger than the limit of {limit} bytes")]
    TooLarge {
        /// Who: scheme, host, port.
        origin: Box<str>,
        /// The limit in bytes.
        limit: u64,
    },
    /// One redirect after the other.
    #[error("{origin} redirected more than {limit} times")]
    TooManyRedirects {
        /// Who sent the last one: scheme, host, port.
        origin: Box<str>,
        /// How many are followed.
        limit: usize,
    },
    /// The connection ended in mid-answer, or what came is not HTTP.
    #[error("the exchange with {origin} broke off")]
    Broken {
        /// Who: scheme, host, port.
        origin: Box<str>,
        /// What happened.
        source: Source,
    },
}

impl HttpError {
    /// Whether more time could have helped.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::TimedOut { .. })
    }

    /// Whom it is about, as scheme, host and port: after a redirect another than was asked first. `None` if it is about no
    /// server.
    pub fn origin(&self) -> Option<&str> {
        match self {
            Self::NotPublic { origin, .. }
            | Self::Connect { origin, .. }
            | Self::TimedOut { origin, .. }
            | Self::TooLarge { origin, .. }
            | Self::TooManyRedirects { origin, .. }
            | Self::Broken { origin, .. } => Some(origin),
            Self::Address { .. } | Self::Header { .. } | Self::Tls { .. } | Self::Certificate { .. } => None,
        }
    }

    /// Whether the request certainly did not leave for who was to answer it, so that it can be made again.
    pub fn is_unsent(&self) -> bool {
        matches!(
            self,
            Self::Address { .. }
                | Self::Header { .. }
                | Self::NotPublic { .. }
                | Self::Tls { .. }
                | Self::Certificate { .. }
                | Self::Connect { .. }
                | Self::TimedOut { waiting: Waiting::Connection, .. }
        )
    }

    /// Why the server's certificate is not trusted, if that is what kept the connection from being made.
    pub fn trust(&self) -> Option<Trust> {
        let Self::Connect { source, .. } = self else { return None };
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(source.as_ref());
        while let Some(error) = cause {
            // Errors of the system carry others without calling them their source.
            let carried = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
            let tls = match carried {
                Some(inner) => inner.downcast_ref::<rustls::Error>(),
                None => error.downcast_ref::<rustls::Error>(),
            };
            if let Some(rustls::Error::InvalidCertificate(error)) = tls {
                return Some(Trust::of(error));
            }
            cause = match carried {
                Some(inner) => Some(inner),
                None => error.source(),
            };
        }
        None
    }
}

/// Why a server's certificate is not trusted, by what can be done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trust {
    /// It was issued by nobody whom this machine trusts; see [`crate::Authorities`].
    UnknownIssuer,
    /// It is for another name.
    Name,
    /// It has expired, or is not valid yet.
    Time,
    /// It is revoked, or of a kind that cannot be accepted.
    Other,
}

impl Trust {
    fn of(error: &rustls::CertificateError) -> Self {
        use rustls::CertificateError as E;
        match error {
            // The signature is wrong where an authority of the same name is trusted, but not this one: an old root, say.
            E::UnknownIssuer | E::BadSignature => Self::UnknownIssuer,
            E::NotValidForName | E::NotValidForNameContext { .. } => Self::Name,
            E::Expired | E::ExpiredContext { .. } | E::NotValidYet | E::NotValidYetContext { .. } => {
                Self::Time
            }
            _ => Self::Other,
        }
    }
}

/// What a client waited for when its time was up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Waiting {
    /// The connection.
    Connection,
    /// The head of the answer.
    Answer,
    /// The next part of the body.
    Body,
    /// The whole exchange, from the first byte to the last.
    Whole,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connection => "connection",
            Self::Answer => "answer",
            Self::Body => "further part of its answer",
            Self::Whole => "complete answer",
        })
    }
}

/// A time as people write it: `50 ms`, `1.5 s`.
fn in_units(time: Duration) -> String {
    match time.as_millis() {
        milliseconds @ 0..1_000 => format!("{milliseconds} ms"),
        milliseconds if milliseconds % 1_000 == 0 => format!("{} s", milliseconds / 1_000),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

/// Scheme, host and port: what an error may name of an address.
pub(crate) fn origin(url: &Url) -> Box<str> {
    url.origin().ascii_serialization().into()
}

/// The address without all that may be a secret.
pub(crate) fn bare(url: &Url) -> Box<str> {
    let mut bare = url.clone();
    bare.set_query(None);
    bare.set_fragment(None);
    // Both fail only for addresses that have no user and no password anyway.
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    String::from(bare).into()
}
