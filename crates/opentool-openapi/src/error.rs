//! Why a document gave no tools at all.
//!
//! What is wrong with a part of a document is never one of these: it is a [`Diagnostic`] beside the tools of the
//! rest.

use opentool_core::{BoxError, Diagnostic, NameClash};

/// Why an OpenAPI document could not be read, by what the caller can do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenApiError {
    /// There is no such file, or the server says that there is no such document.
    #[error("{address}: not found ({reason})")]
    NotFound {
        /// The file or address, without secrets.
        address: Box<str>,
        /// What the system or the server said.
        reason: Box<str>,
    },
    /// The file cannot be read, or the address gives no document.
    #[error("{address}: cannot be read: {reason}")]
    Unreachable {
        /// The file or address, without secrets.
        address: Box<str>,
        /// What went wrong, and what to do.
        reason: Box<str>,
        /// The cause.
        source: Option<BoxError>,
    },
    /// The text is neither JSON nor YAML, or is broken at a place.
    #[error("{0}")]
    Syntax(Box<Diagnostic>),
    /// It was read, but it is not an OpenAPI document that describes operations.
    #[error("{0}")]
    NotOpenApi(Box<Diagnostic>),
    /// An OpenAPI document in which no operation is usable.
    #[error("{address}: no operation of the document is usable: {reason}")]
    NoOperations {
        /// The file or address, without secrets.
        address: Box<str>,
        /// Why, with the first diagnostic.
        reason: Box<str>,
    },
    /// Two operations ended up with one name. Names are made unique, so this is a fault of this crate.
    #[error(transparent)]
    NameClash(Box<NameClash>),
    /// The host's configuration cannot be read, or does not fit the document.
    #[error("the configuration cannot be used: {0}")]
    Config(Box<Diagnostic>),
    /// A credential that is kept elsewhere cannot be read.
    #[error("the credential in {place} cannot be used: {reason}")]
    Credential {
        /// Where it is kept: a file, an environment variable, a command without its arguments.
        place: Box<str>,
        /// Why not. Nothing of what is kept there.
        reason: Box<str>,
    },
    /// The server that the host set is not an address.
    #[error("the server `{url}` cannot be used: {reason}; write `https://host/path`")]
    Server {
        /// What was given.
        url: Box<str>,
        /// What is wrong with it.
        reason: Box<str>,
    },
}

impl OpenApiError {
    pub(crate) fn syntax(diagnostic: Diagnostic) -> Self {
        Self::Syntax(Box::new(diagnostic))
    }

    pub(crate) fn not_openapi(diagnostic: Diagnostic) -> Self {
        Self::NotOpenApi(Box::new(diagnostic))
    }
}

const _: () = assert!(size_of::<OpenApiError>() <= 64);
