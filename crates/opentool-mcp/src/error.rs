//! Why a server cannot start or go on. Failures of single calls are not here: they are answers to the client.

use std::io;

use opentool_core::BoxError;

/// Why the server cannot start or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
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
    #[error("cannot listen at `{address}`; an address looks like `127.0.0.1:3000`")]
    Bind {
        /// The address as it was asked for.
        address: Box<str>,
        /// What the system said.
        source: io::Error,
    },
    /// An entry of [`crate::Server::allow_host`] is no host.
    #[error(
        "`{host}` is not a host name; write `example.com` or `example.com:8080`, without scheme and path"
    )]
    InvalidHost {
        /// The entry.
        host: Box<str>,
    },
    /// An entry of [`crate::Server::allow_origin`] is no origin.
    #[error("`{origin}` is not an origin; write scheme, host and port: `https://app.example.com`")]
    InvalidOrigin {
        /// The entry.
        origin: Box<str>,
    },
    /// The client of a stream did not begin the way MCP clients begin.
    #[error("the client did not begin an MCP session")]
    Handshake {
        /// What it did instead.
        source: BoxError,
    },
    /// The transport broke.
    #[error("the transport broke")]
    Io(#[from] io::Error),
}

impl McpError {
    pub(crate) fn bind(address: &str, source: io::Error) -> Self {
        let address = address.into();
        match source.kind() {
            io::ErrorKind::AddrInUse => Self::AddressInUse { address },
            _ => Self::Bind { address, source },
        }
    }
}
