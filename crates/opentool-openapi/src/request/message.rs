//! The request as a value: what is sent, and what may be shown of it.

use std::borrow::Cow;
use std::fmt;

use opentool_core::ToolError;
use opentool_http::scrub::{self, Reach};
use opentool_http::{HeaderMap, HeaderName, HeaderValue, Identity, Method, Redirects};
use secrecy::{ExposeSecret as _, SecretString};
use url::{Position, Url};

use super::body::RequestBody;
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

    /// Covers what an argument brought that is a secret of the host, wherever it stands.
    ///
    /// # Errors
    /// If the server may not know who the host is.
    pub(crate) fn cover(
        mut self,
        operation: &Operation,
        settings: &Settings,
        secrets: &[SecretString],
    ) -> Result<Self, ToolError> {
        server::may_know_who(operation, settings, &self.parsed)?;
        let covered = |text: &str| scrub::text(text, secrets, Reach::Message).into_owned();
        self.url = covered(&self.url);
        for header in &mut self.headers {
            let (shown, plain) = (covered(&header.shown()), header.shown());
            if shown != plain {
                header.shown = Some(shown);
                header.value.set_sensitive(true);
            }
        }
        self.shown_body = Some(self.body.map_texts(&covered));
        self.secrets.extend_from_slice(secrets);
        self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose_secret().len()));
        Ok(self)
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
