//! The span of one exchange, by OpenTelemetry's conventions for HTTP clients: `GET`, or `GET /pets/{id}`.
//!
//! It is a `tracing` span of the target `opentool::http`, at `info`, from the request until the answer is read. It is made
//! only inside another span, a call of a tool or a question to a model: a request on nobody's behalf is in no trace, and
//! least of all that of an exporter, which would have itself to export. Without a subscriber nothing is made. In the address
//! are no user, no password, no fragment, and of the query the names alone: values are arguments, and keys.

use std::borrow::Cow;
use std::fmt::Write as _;

use http::{Method, StatusCode};
use tracing::Span;
use tracing::field::Empty;
use url::Url;

use crate::{HttpError, Request};

/// The longest address that is shown, in bytes.
const ADDRESS: usize = 2_048;

/// An exchange that goes on. Dropped before an answer begins, it was given up; whoever drops the rest of an answer may have
/// had enough of it.
#[derive(Debug)]
pub(crate) struct Exchange {
    span: Span,
    is_open: bool,
}

impl Exchange {
    /// The exchange that follows this many redirects.
    pub(crate) fn begin(request: &Request, redirects: usize) -> Self {
        if Span::current().is_none() {
            return Self { span: Span::none(), is_open: false };
        }
        let method = known(&request.method);
        let name = method.unwrap_or("HTTP");
        let template = request.template.as_deref().filter(|_| redirects == 0);
        let span = tracing::info_span!(
            target: "opentool::http",
            "http",
            "otel.name" = template.map_or(Cow::Borrowed(name), |path| format!("{name} {path}").into()).as_ref(),
            "otel.kind" = "client",
            "otel.status_code" = Empty,
            "http.request.method" = method.unwrap_or("_OTHER"),
            "http.request.resend_count" = (redirects > 0).then_some(redirects as i64),
            "url.full" = shown(&request.url),
            "url.template" = template,
            "server.address" = request.url.host_str(),
            "server.port" = request.url.port_or_known_default().map(i64::from),
            "http.response.status_code" = Empty,
            "error.type" = Empty,
        );
        let is_open = !span.is_disabled();
        Self { span, is_open }
    }

    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    /// The head of an answer is there.
    pub(crate) fn answered(&mut self, status: StatusCode) {
        self.is_open = false;
        self.span.record("http.response.status_code", i64::from(status.as_u16()));
        if status.is_client_error() || status.is_server_error() {
            self.error(status.as_str());
        }
    }

    /// There is no answer, or no whole one.
    pub(crate) fn failed(&mut self, error: &HttpError) {
        self.is_open = false;
        self.error(match error {
            HttpError::TimedOut { .. } => "timeout",
            HttpError::Connect { .. } => "connect",
            HttpError::Broken { .. } => "broken",
            HttpError::TooLarge { .. } => "too_large",
            HttpError::NotPublic { .. } => "not_public",
            HttpError::Tls { .. } => "tls",
            _ => "_OTHER",
        });
    }

    fn error(&self, kind: &str) {
        self.span.record("error.type", kind);
        self.span.record("otel.status_code", "ERROR");
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if self.is_open {
            self.error("cancelled");
        }
    }
}

/// The methods that the conventions know. A document can invent any number of others.
fn known(method: &Method) -> Option<&str> {
    const KNOWN: [&str; 9] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "CONNECT", "TRACE"];
    KNOWN.into_iter().find(|known| *known == method.as_str())
}

/// The address as a trace may hold it.
fn shown(url: &Url) -> String {
    let mut shown = String::from(&*crate::error::bare(url));
    for (nth, pair) in url.query().into_iter().flat_map(|query| query.split('&')).enumerate() {
        let name = pair.split_once('=').map_or("", |(name, _)| name);
        let mark = if nth == 0 { '?' } else { '&' };
        let _ = write!(shown, "{mark}{name}{}REDACTED", if name.is_empty() { "" } else { "=" });
    }
    shown.truncate(shown.floor_char_boundary(ADDRESS));
    shown
}
