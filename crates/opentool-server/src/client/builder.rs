//! How to reach a server: address, key, limits.

use std::fmt;
use std::future::IntoFuture;
use std::time::Duration;

use opentool_core::BoxFuture;
use opentool_http::{Addresses, Authorities, Client as Http, Options};
use secrecy::{ExposeSecret as _, SecretString};

use super::address::Address;
use super::exchange::{Exchange, Limits};
use super::{Client, ClientError};

/// A server at an address: `http://127.0.0.1:17001/opentool`, or without a path, where `/opentool` is the path.
///
/// Awaiting the builder asks the server for its version, so that a wrong address or key is an error now; use
/// [`ConnectBuilder::build`] to ask nothing until the first call.
pub fn connect(url: impl Into<String>) -> ConnectBuilder {
    ConnectBuilder {
        url: url.into(),
        base_path: None,
        api_key: None,
        connect_timeout: Duration::from_secs(10),
        retries: 2,
        limits: Limits::default(),
        addresses: Addresses::default(),
        authorities: None,
    }
}

/// A client that is being set up. Every limit has a default.
#[must_use = "await it, or call `build`"]
#[derive(Clone)]
pub struct ConnectBuilder {
    url: String,
    base_path: Option<String>,
    api_key: Option<SecretString>,
    connect_timeout: Duration,
    retries: u32,
    limits: Limits,
    addresses: Addresses,
    authorities: Option<Authorities>,
}

impl ConnectBuilder {
    /// The key that the server wants. It is sent to the address of this client only, as `Authorization: Bearer KEY`.
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// The path below which the endpoints are, in place of the address's: `/` for a server that has them at its root.
    pub fn base_path(mut self, path: impl Into<String>) -> Self {
        self.base_path = Some(path.into());
        self
    }

    /// The longest call, from the connection to the last byte, and the longest silence within a stream. Default: 60
    /// seconds. A tool's call ends with the deadline of its context, where that is sooner.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limits.call = limit;
        self
    }

    /// The longest stream. Default: 10 minutes.
    pub fn stream_timeout(mut self, limit: Duration) -> Self {
        self.limits.stream = limit;
        self
    }

    /// The longest wait for a connection, name lookup and TLS included. Default: 10 seconds.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// The largest answer, event, and result of a streaming tool, in bytes. Default: 32 MiB.
    pub fn answer_limit(mut self, bytes: usize) -> Self {
        self.limits.answer = bytes;
        self
    }

    /// The most bytes of a stream. Default: 256 MiB.
    pub fn stream_limit(mut self, bytes: u64) -> Self {
        self.limits.stream_bytes = bytes;
        self
    }

    /// How often a connection that nobody takes is tried again, after 100 ms, 200 ms, and so on. Default: 2. Whatever may
    /// have reached the server is never sent twice.
    pub fn retries(mut self, times: u32) -> Self {
        self.retries = times;
        self
    }

    /// Which addresses may be connected to. Default: [`Addresses::Named`]. Where a stranger named the server, such as a
    /// document from the web, [`Addresses::Public`] keeps them out of your network.
    pub fn addresses(mut self, addresses: Addresses) -> Self {
        self.addresses = addresses;
        self
    }

    /// Certificate authorities to trust beside those of the system.
    pub fn authorities(mut self, authorities: impl Into<Option<Authorities>>) -> Self {
        self.authorities = authorities.into();
        self
    }

    /// The client. Nothing is asked yet.
    ///
    /// # Errors
    /// [`ClientError::Address`], [`ClientError::ApiKey`].
    pub fn build(self) -> Result<Client, ClientError> {
        let mut address = Address::parse(&self.url)?;
        if let Some(path) = &self.base_path {
            address = address.base_path(path);
        }
        if let Some(key) = &self.api_key {
            check(key)?;
            if address.is_open() {
                let origin = address.origin();
                tracing::warn!(%origin, "the API key goes over plain http and can be read on its way");
            }
        }
        let options = Options::new()
            .connect_timeout(self.connect_timeout)
            .idle_timeout(None::<Duration>)
            .timeout(None::<Duration>)
            .authorities(self.authorities)
            .body_limit(u64::try_from(self.limits.answer).unwrap_or(u64::MAX));
        let http = Http::new(options);
        Ok(Client::new(
            Exchange::new(http, address, self.api_key, self.retries, self.limits).addresses(self.addresses),
        ))
    }
}

/// Connects: the server is asked for its version.
impl IntoFuture for ConnectBuilder {
    type Output = Result<Client, ClientError>;
    type IntoFuture = BoxFuture<'static, Result<Client, ClientError>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let client = self.build()?;
            client.version().await?;
            Ok(client)
        })
    }
}

impl fmt::Debug for ConnectBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may hold a password until it was checked.
        f.debug_struct("ConnectBuilder").field("limits", &self.limits).finish_non_exhaustive()
    }
}

fn check(key: &SecretString) -> Result<(), ClientError> {
    match opentool_http::unfit_for_header(key.expose_secret()) {
        Some(reason) => Err(ClientError::ApiKey { reason }),
        None => Ok(()),
    }
}
