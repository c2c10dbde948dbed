//! A request, whole in memory.

use std::fmt;
use std::time::Instant;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use url::Url;

use crate::error::bare;
use crate::{Addresses, HttpError, Identity, Redirects};

/// What is sent. Secret header values must be marked as sensitive ([`HeaderValue::set_sensitive`]): `Debug` hides
/// them. Of the address `Debug` shows no query, and of the body
/// its length: keys stand in the one, and the secrets of clients in the other.
#[derive(Clone)]
#[non_exhaustive]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The address: `http` or `https`.
    pub url: Url,
    /// The headers; `User-Agent`, `Host` and `Content-Length` are added where missing.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// Which redirects are followed. Default: those within the origin.
    pub redirects: Redirects,
    /// Which addresses may be connected to. Default: any for the request itself, public ones after a redirect to another
    /// origin.
    pub addresses: Addresses,
    /// The client certificate that the server is shown if it asks for one; such a request goes over `https` only.
    pub identity: Option<Identity>,
    /// When the whole answer must be there, if that is sooner than the client's own limit.
    pub deadline: Option<Instant>,
    /// The largest body of the answer in bytes, if not the client's own limit.
    pub body_limit: Option<u64>,
    /// Whether the server is told the trace.
    pub(crate) in_trace: bool,
    /// What the path was made from.
    pub(crate) template: Option<Box<str>>,
}

impl Request {
    /// A request without headers and body.
    pub fn new(method: Method, url: Url) -> Self {
        Self {
            method,
            url,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            redirects: Redirects::default(),
            addresses: Addresses::default(),
            identity: None,
            deadline: None,
            body_limit: None,
            in_trace: false,
            template: None,
        }
    }

    /// A `GET`.
    pub fn get(url: Url) -> Self {
        Self::new(Method::GET, url)
    }

    /// A `POST` of JSON that asks for JSON.
    pub fn post_json(url: Url, body: &Value) -> Self {
        const JSON: HeaderValue = HeaderValue::from_static("application/json");
        Self::new(Method::POST, url).header(CONTENT_TYPE, JSON).header(ACCEPT, JSON).body(body.to_string())
    }

    /// Sets a header; one of that name is replaced.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Sets a header whose value is a secret.
    ///
    /// # Errors
    /// [`HttpError::Header`] if the value holds a line end or another control character.
    pub fn secret_header(self, name: HeaderName, value: &SecretString) -> Result<Self, HttpError> {
        let value = secret_value(&name, value.expose_secret())?;
        Ok(self.header(name, value))
    }

    /// Sets `Authorization: Bearer TOKEN`.
    ///
    /// # Errors
    /// [`HttpError::Header`] if the token holds a line end or another control character.
    pub fn bearer(self, token: &SecretString) -> Result<Self, HttpError> {
        let value = secret_value(&AUTHORIZATION, &format!("Bearer {}", token.expose_secret()))?;
        Ok(self.header(AUTHORIZATION, value))
    }

    /// Sets all these headers; those of the same names are replaced.
    pub fn headers(mut self, headers: HeaderMap) -> Self {
        self.headers.extend(headers);
        self
    }

    /// Sets the body.
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Says which redirects are followed.
    pub fn redirects(mut self, redirects: Redirects) -> Self {
        self.redirects = redirects;
        self
    }

    /// Says which addresses may be connected to.
    pub fn addresses(mut self, addresses: Addresses) -> Self {
        self.addresses = addresses;
        self
    }

    /// Sets the client certificate that the server is shown if it asks for one.
    pub fn identity(mut self, identity: impl Into<Option<Identity>>) -> Self {
        self.identity = identity.into();
        self
    }

    /// Says when the whole answer must be there. The client's own limit holds as well.
    pub fn deadline(mut self, at: impl Into<Option<Instant>>) -> Self {
        self.deadline = at.into();
        self
    }

    /// Says what the path was made from, without the values in it: `/pets/{id}`. Traces group requests by it: it stands in the
    /// name of the request's span, and in its `url.template`. Where a redirect leads nobody knows it.
    pub fn template(mut self, path: impl Into<Box<str>>) -> Self {
        self.template = Some(path.into());
        self
    }

    /// Tells the server which trace the request is part of, by the headers `traceparent` and `tracestate`: the one of
    /// OpenTelemetry that is current when it is sent, with the span of the request itself if there is one, written as the
    /// host's propagator writes it. Headers that are there stay. Without a trace, and without the feature `otel`, nothing
    /// is added.
    pub fn in_trace(mut self) -> Self {
        self.in_trace = true;
        self
    }

    /// Sets the largest body of the answer in bytes, in place of the client's own limit.
    pub fn body_limit(mut self, bytes: impl Into<Option<u64>>) -> Self {
        self.body_limit = bytes.into();
        self
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("url", &bare(&self.url))
            .field("headers", &self.headers)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .field("redirects", &self.redirects)
            .field("addresses", &self.addresses)
            .finish_non_exhaustive()
    }
}

fn secret_value(name: &HeaderName, value: &str) -> Result<HeaderValue, HttpError> {
    let mut value =
        HeaderValue::from_str(value).map_err(|_| HttpError::Header { name: name.as_str().into() })?;
    value.set_sensitive(true);
    Ok(value)
}

/// Why a secret that somebody gave cannot be the value of a header, if it cannot.
pub fn unfit_for_header(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        Some("it is empty")
    } else if text.trim() != text {
        Some("it begins or ends with white space, as a line end from a file")
    } else if !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        Some("it holds characters other than printable ASCII, which a header cannot hold")
    } else {
        None
    }
}
