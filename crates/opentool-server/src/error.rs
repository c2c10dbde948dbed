//! Why a server cannot start or go on. Failures of single calls are not here: they are answers to the client.

use std::io;
use std::path::{Path, PathBuf};

/// Why the server cannot start or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// Another program listens at the address.
    #[error(
        "the address {address} is in use: another program listens there. Stop it, or choose another port \
         (port 0 picks a free one)"
    )]
    AddressInUse {
        /// The address as it was asked for.
        address: Box<str>,
    },
    /// The address cannot be listened at for another reason.
    #[error("cannot listen at `{address}`; an address looks like `127.0.0.1:17001`")]
    Bind {
        /// The address as it was asked for.
        address: Box<str>,
        /// What the system said.
        source: io::Error,
    },
    /// What was given to [`Server::base_path`](crate::server::Server::base_path) is no path.
    #[error(
        "`{path}` is not a base path; write one like `/opentool` or `/tools/v1`: it begins with a slash, and holds \
         letters, digits and `-._~` between slashes"
    )]
    InvalidBasePath {
        /// The path as it was given.
        path: Box<str>,
    },
    /// A key that no client could send, or that would let everybody in. The key itself is not shown.
    #[error("an API key is not usable: {problem}")]
    InvalidApiKey {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// An entry of [`Server::allow_host`](crate::server::Server::allow_host) is no host.
    #[error(
        "`{host}` is not a host name; write `example.com` or `example.com:8080`, without scheme and path"
    )]
    InvalidHost {
        /// The entry.
        host: Box<str>,
    },
    /// An entry of [`Server::allow_origin`](crate::server::Server::allow_origin) is no origin.
    #[error("`{origin}` is not an origin; write scheme, host and port: `https://app.example.com`")]
    InvalidOrigin {
        /// The entry.
        origin: Box<str>,
    },
    /// A file of the TLS configuration cannot be read.
    #[error("cannot read the TLS file `{}`", path.display())]
    TlsFile {
        /// The file.
        path: Box<Path>,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the TLS configuration does not hold what it should, or does not go with the other.
    #[error("the TLS file `{}` cannot be used: {problem}", path.display())]
    Tls {
        /// The file.
        path: Box<Path>,
        /// What is wrong, and what should be there.
        problem: Box<str>,
    },
    /// The socket broke.
    #[error("the socket broke")]
    Io(#[from] io::Error),
}

impl ServerError {
    pub(crate) fn bind(address: &str, source: io::Error) -> Self {
        let address = address.into();
        match source.kind() {
            io::ErrorKind::AddrInUse => Self::AddressInUse { address },
            _ => Self::Bind { address, source },
        }
    }

    pub(crate) fn tls(path: &Path, problem: impl Into<Box<str>>) -> Self {
        Self::Tls { path: PathBuf::from(path).into(), problem: problem.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::ServerError;

    #[test]
    fn an_error_is_small() {
        assert!(size_of::<ServerError>() <= 64, "{}", size_of::<ServerError>());
    }
}
