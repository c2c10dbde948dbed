//! Limits of a client, and how it treats redirects.

use std::sync::Arc;
use std::time::Duration;

use crate::{Authorities, Resolve};

/// The limits of a [`crate::Client`]. Every one has a default; none is "for ever" unless asked for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The longest wait for a connection, name lookup and TLS included. Default: 10 seconds.
    pub connect_timeout: Duration,
    /// The longest silence: between the request and the answer's head, and between two parts of the body.
    /// Default: 30 seconds. `None`: no limit.
    pub idle_timeout: Option<Duration>,
    /// The longest exchange, redirects and body included. Default: 60 seconds. `None`: no limit.
    pub timeout: Option<Duration>,
    /// The largest body in bytes. Default: 10 MiB.
    pub body_limit: u64,
    /// The `User-Agent` where a request has none. Default: `opentool/VERSION`.
    pub user_agent: String,
    /// What turns names into addresses. Default: the system's resolver.
    pub resolver: Option<Arc<dyn Resolve>>,
    /// Authorities whose certificates are trusted besides those that the platform trusts. Default: none.
    pub authorities: Option<Authorities>,
}

impl Options {
    /// The defaults.
    pub fn new() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Some(Duration::from_secs(30)),
            timeout: Some(Duration::from_secs(60)),
            body_limit: 10 * 1024 * 1024,
            user_agent: concat!("opentool/", env!("CARGO_PKG_VERSION")).to_owned(),
            resolver: None,
            authorities: None,
        }
    }

    /// The longest wait for a connection.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// The longest silence; `None` for no limit.
    pub fn idle_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.idle_timeout = limit.into();
        self
    }

    /// The longest exchange; `None` for no limit.
    pub fn timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.timeout = limit.into();
        self
    }

    /// The largest body in bytes.
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.body_limit = bytes;
        self
    }

    /// What turns names into addresses, in place of the system's resolver.
    pub fn resolver(mut self, resolver: impl Resolve + 'static) -> Self {
        self.resolver = Some(Arc::new(resolver));
        self
    }

    /// Authorities whose certificates are trusted besides those that the platform trusts.
    pub fn authorities(mut self, authorities: impl Into<Option<Authorities>>) -> Self {
        self.authorities = authorities.into();
        self
    }

    /// The `User-Agent`.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

/// Which redirects are followed; ten at most. One that is not is the answer, with its 3xx status.
///
/// A redirect is followed only if it keeps the method: 307 and 308 do, 303 says `GET`, and 301 and 302 are followed
/// for `GET` and `HEAD` only. A client that turns a `POST` into a `GET` would report a success that never was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Redirects {
    /// None.
    None,
    /// Those within the origin (scheme, host, port), and from `http` to `https` on one host at the default ports.
    #[default]
    SameOrigin,
    /// Any but those from `https` to `http`. When the origin changes, a client certificate stays behind and so do all headers
    /// but `Accept`, `Accept-Encoding`, `Accept-Language`, `Content-Encoding`, `Content-Type`, `Range` and `User-Agent`,
    /// where these are not marked as sensitive: a key may stand in a header of any name.
    Any,
}
