//! Why a server cannot start or go on. Failures of single calls are not here: they are answers to the client.

use std::io;

/// Why the server cannot start or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The transport broke.
    #[error("the transport broke")]
    Io(#[from] io::Error),
}
