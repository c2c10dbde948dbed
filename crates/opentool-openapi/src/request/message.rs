//! The request as a value: what is sent, and what may be shown of it.

use std::borrow::Cow;
use std::fmt;

use opentool_core::ToolError;
use opentool_http::scrub::{self, Reach};
use opentool_http::{HeaderMap, HeaderName, HeaderValue, Identity, Method, Redirects};
use secrecy::{ExposeSecret as _, SecretString};
use url::{Position, Url};

use super::body::RequestBody;
use super::security::MASK;
use super::server;
use super::settings::Settings;
use crate::plan::Operation;

/// A request that has not been sent. Secrets are in it; `Debug`, [`Request::to_json`] and [`Request::to_curl`] show
/// `***` in their place.
#[derive(Clone)]
pub struct Request {
    pub(super) method: Method,
    /// As it is sent, secrets in the query included.
    pub(super) sent_url: String,
    /// The same as parsers of addresses read it.
    pub(super) parsed: Url,
    /// With `***` for secrets.
    pub(super) url: String,
    pub(super) headers: Vec<Header>,
    pub(super) body: RequestBody,
    /// With `***` for secrets, where there are some in it.
    pub(super) shown_body: Option<RequestBody>,
    /// What no answer may repeat, the longest first.
    pub(super) secrets: Vec<SecretString>,
    /// The client certificate that goes with it.
    pub(super) identity: Option<Identity>,
}

/// A text in which `***` stands as itself, and not encoded.
pub(super) fn plain_masks(text: &str) -> String {
    scrub::text(text, &[MASK.into()], Reach::Message).into_owned()
}

/// One header.
#[derive(Clone)]
pub(super) struct Header {
    pub(super) name: HeaderName,
    /// The name as the document writes it.
    pub(super) written: Cow<'static, str>,
    pub(super) value: HeaderValue,
    /// What to show in place of a secret.
    pub(super) shown: Option<String>,
}

impl Header {
    pub(super) fn new(name: HeaderName, written: impl Into<Cow<'static, str>>, value: HeaderValue) -> Self {
        Self { name, written: written.into(), value, shown: None }
    }

    pub(super) fn secret(
        name: HeaderName,
        written: impl Into<Cow<'static, str>>,
        mut value: HeaderValue,
        shown: String,
    ) -> Self {
        value.set_sensitive(true);
        Self { name, written: written.into(), value, shown: Some(shown) }
    }

    /// The value as it may be shown.
    pub(super) fn shown(&self) -> String {
        self.shown.clone().unwrap_or_else(|| self.plain())
    }

    /// The value as it is sent.
    pub(super) fn plain(&self) -> String {
        String::from_utf8_lossy(self.value.as_bytes()).into_owned()
    }
}

impl Request {
    /// The method.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The address, with `***` in place of secrets.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The headers; the values of secret ones are marked as sensitive.
    pub fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(self.headers.len());
        for header in &self.headers {
            headers.append(header.name.clone(), header.value.clone());
        }
        headers
    }

    /// The body.
    pub fn body(&self) -> &RequestBody {
        &self.body
    }

    /// `GET https://api.example/pet/1`, with `***` in place of secrets.
    pub fn summary(&self) -> String {
        format!("{} {}", self.method, self.url)
    }

    /// What no answer may repeat.
    pub(crate) fn secrets(&self) -> &[SecretString] {
        &self.secrets
    }

    /// The same where `***` was given in place of secrets: it is shown so wherever it was encoded.
    ///
    /// # Errors
    /// If the server may not know who the host is.
    pub(crate) fn masked(mut self, operation: &Operation, settings: &Settings) -> Result<Self, ToolError> {
        server::may_know_who(operation, settings, &self.parsed)?;
        self.url = plain_masks(&self.url);
        self.sent_url = plain_masks(&self.sent_url);
        if let Ok(parsed) = Url::parse(&self.sent_url) {
            self.parsed = parsed;
        }
        for header in &mut self.headers {
            let shown = plain_masks(&header.shown());
            if shown.contains(MASK) {
                header.shown = Some(shown);
                header.value.set_sensitive(true);
            }
        }
        self.shown_body = Some(self.shown_body().map_texts(&plain_masks));
        Ok(self)
    }

    /// Shows what the same request shows in which `***` was given in place of secrets. Nothing that was made of a secret can
    /// then come to light, in whatever way it was written.
    pub(crate) fn shown_as(mut self, masked: &Self, secrets: &[SecretString]) -> Self {
        self.url.clone_from(&masked.url);
        let same = self.headers.len() == masked.headers.len();
        for (index, header) in self.headers.iter_mut().enumerate() {
            let other = masked.headers.get(index).filter(|other| same && other.name == header.name);
            match other {
                Some(other) if other.shown.is_none() && other.value == header.value => continue,
                Some(other) => header.shown = Some(other.shown()),
                None => header.shown = Some(MASK.to_owned()),
            }
            header.value.set_sensitive(true);
        }
        self.shown_body = Some(masked.shown_body().clone());
        self.secrets.extend_from_slice(secrets);
        self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose_secret().len()));
        self
    }

    /// The body as it may be shown.
    pub(super) fn shown_body(&self) -> &RequestBody {
        self.shown_body.as_ref().unwrap_or(&self.body)
    }

    /// Where it is sent: scheme, host and port.
    pub(crate) fn origin(&self) -> String {
        self.parsed.origin().ascii_serialization()
    }

    /// Which redirects it may follow. Credentials in headers and a certificate stay behind at another origin; of those that
    /// stand in the address nobody knows, so that such a request goes nowhere else, and neither does what changes something.
    fn redirects(&self) -> Redirects {
        let only_asks = matches!(self.method, Method::GET | Method::HEAD) && self.body == RequestBody::None;
        match only_asks && self.url == self.sent_url {
            true => Redirects::Any,
            false => Redirects::SameOrigin,
        }
    }

    /// The request for the HTTP client, secrets and all.
    ///
    /// # Errors
    /// If URL parsers would change the path: they drop a `.` segment.
    pub fn to_http(&self) -> Result<opentool_http::Request, ToolError> {
        let changed = || {
            ToolError::failed(format!(
                "nothing was sent: `{}` cannot be sent as it is, because HTTP clients would change its path",
                self.url
            ))
        };
        let url = self.parsed.clone();
        let written = self.sent_url.split(['?', '#']).next().unwrap_or_default();
        if written != &url[..Position::AfterPath] {
            return Err(changed());
        }
        Ok(opentool_http::Request::new(self.method.clone(), url)
            .headers(self.headers())
            .redirects(self.redirects())
            .identity(self.identity.clone())
            .body(self.body.to_bytes()))
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<_> = self.headers.iter().map(|header| (&header.written, header.shown())).collect();
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &headers)
            .field("body", self.shown_body())
            .finish()
    }
}
