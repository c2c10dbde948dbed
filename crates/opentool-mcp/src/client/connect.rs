//! How to reach a server at an address: token, headers, limits.

use std::fmt;
use std::future::IntoFuture;
use std::time::Duration;

use opentool_core::BoxFuture;
use opentool_http::{Addresses, Authorities, Client as Http, HeaderMap, HeaderName, HeaderValue, Options};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::runtime::Handle;

use super::post::Post;
use super::server::{Limits, Way};
use super::{Client, ClientError, address};

/// Headers that are the protocol's own, or the connection's.
const RESERVED: [&str; 9] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
];

/// A server at an address, over streamable HTTP: `https://tools.example/mcp`.
///
/// Awaiting the builder makes the connection, so that a wrong address or token is an error now; use
/// [`ConnectBuilder::build`] to ask nothing until the first call.
pub fn connect(url: impl Into<String>) -> ConnectBuilder {
    ConnectBuilder {
        url: url.into(),
        token: None,
        headers: Vec::new(),
        connect_timeout: Duration::from_secs(10),
        limits: Limits::default(),
        addresses: Addresses::default(),
        authorities: None,
        runtime: None,
    }
}

/// A client that is being set up. Every limit has a default.
#[must_use = "await it, or call `build`"]
#[derive(Clone)]
pub struct ConnectBuilder {
    url: String,
    token: Option<SecretString>,
    headers: Vec<(String, SecretString)>,
    connect_timeout: Duration,
    limits: Limits,
    addresses: Addresses,
    authorities: Option<Authorities>,
    runtime: Option<Handle>,
}

impl ConnectBuilder {
    /// The token that the server wants. It is sent to the address of this client only, as `Authorization: Bearer TOKEN`.
    pub fn bearer(mut self, token: impl Into<SecretString>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// A header that goes with every request. Its value counts as a secret: it is never shown, stays within the server's
    /// origin, and what the server repeats of it is covered.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The longest call, and the longest opening of the connection. Default: 60 seconds. A tool's call ends with the
    /// deadline of its context, where that is sooner.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limits.call = limit;
        self
    }

    /// The longest wait for a connection, name lookup and TLS included. Default: 10 seconds.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// The largest answer, in bytes. Default: 32 MiB.
    pub fn answer_limit(mut self, bytes: usize) -> Self {
        self.limits.answer = bytes;
        self
    }

    /// Which addresses may be connected to. Default: [`Addresses::Named`]. Where a stranger named the server,
    /// [`Addresses::Public`] keeps them out of your network.
    pub fn addresses(mut self, addresses: Addresses) -> Self {
        self.addresses = addresses;
        self
    }

    /// Certificate authorities to trust beside those of the system.
    pub fn authorities(mut self, authorities: impl Into<Option<Authorities>>) -> Self {
        self.authorities = authorities.into();
        self
    }

    /// The runtime on which the connection lives. Default: that on which it is made. A program whose runtimes come and go
    /// names one that stays.
    pub fn runtime(mut self, runtime: Handle) -> Self {
        self.runtime = Some(runtime);
        self
    }

    /// The client. Nothing is asked yet.
    ///
    /// # Errors
    /// [`ClientError::Address`], [`ClientError::Header`].
    pub fn build(self) -> Result<Client, ClientError> {
        let url = address::parse(&self.url)?;
        let headers = self.header_map()?;
        if opentool_http::is_open(&url) && !headers.is_empty() {
            let origin = address::origin(&url);
            tracing::warn!(%origin, "secrets of the host go over plain http and can be read on their way");
        }
        let options = Options::new()
            .connect_timeout(self.connect_timeout)
            // Streams may be silent for as long as a call runs; calls have limits of their own.
            .idle_timeout(None::<Duration>)
            .timeout(None::<Duration>)
            .authorities(self.authorities)
            .body_limit(u64::try_from(self.limits.answer).unwrap_or(u64::MAX));
        let secrets =
            self.token.into_iter().chain(self.headers.into_iter().map(|(_, value)| value)).collect();
        let post = Post::new(Http::new(options), url, headers, secrets, self.addresses, self.limits);
        Ok(Client::new(Way::Http(Box::new(post)), self.limits, self.runtime))
    }

    fn header_map(&self) -> Result<HeaderMap, ClientError> {
        let mut headers = HeaderMap::new();
        for (written, value) in &self.headers {
            let refuse = |reason| ClientError::Header { name: opentool_http::shown(written), reason };
            let name =
                HeaderName::try_from(written.as_str()).map_err(|_| refuse("this is no name of a header"))?;
            if RESERVED.contains(&name.as_str()) {
                return Err(refuse("the protocol sets it itself"));
            }
            let value = value_of(value.expose_secret()).map_err(refuse)?;
            headers.append(name, value);
        }
        if let Some(token) = &self.token {
            let refuse = |reason| ClientError::Header { name: "authorization".into(), reason };
            value_of(token.expose_secret()).map_err(refuse)?;
            let value = value_of(&format!("Bearer {}", token.expose_secret())).map_err(refuse)?;
            headers.insert("authorization", value);
        }
        Ok(headers)
    }
}

fn value_of(text: &str) -> Result<HeaderValue, &'static str> {
    if let Some(reason) = opentool_http::unfit_for_header(text) {
        return Err(reason);
    }
    let mut value = HeaderValue::from_str(text).map_err(|_| "it cannot stand in a header")?;
    value.set_sensitive(true);
    Ok(value)
}

/// Connects: the server is asked which revision it speaks.
impl IntoFuture for ConnectBuilder {
    type Output = Result<Client, ClientError>;
    type IntoFuture = BoxFuture<'static, Result<Client, ClientError>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let client = self.build()?;
            client.open().await?;
            Ok(client)
        })
    }
}

impl fmt::Debug for ConnectBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may hold a key.
        f.debug_struct("ConnectBuilder").field("limits", &self.limits).finish_non_exhaustive()
    }
}
