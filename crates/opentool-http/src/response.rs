//! An answer: whole, or part by part as it comes.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::error::{HttpError, Waiting, bare, origin};
use crate::span::Exchange;

/// A whole answer. `Debug` shows its status, its address without the query, and the length of its body: tokens come in
/// bodies.
#[derive(Clone)]
#[non_exhaustive]
pub struct Response {
    /// The status, whatever it is.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, no larger than the limit.
    pub body: Bytes,
    /// The address that answered, after redirects.
    pub url: Url,
    /// The machine that answered; the proxy, where there is one. `None` where it is not known.
    pub peer: Option<IpAddr>,
}

impl Response {
    /// The `Content-Type`, as it was sent.
    pub fn content_type(&self) -> Option<&str> {
        self.headers.get(CONTENT_TYPE)?.to_str().ok()
    }

    /// The body as text; what is not UTF-8 becomes `U+FFFD`.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status)
            .field("url", &bare(&self.url))
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish_non_exhaustive()
    }
}

/// An answer whose body is still coming. Dropping it closes the connection.
#[derive(Debug)]
pub struct Incoming {
    status: StatusCode,
    headers: HeaderMap,
    url: Url,
    body: reqwest::Response,
    limits: Limits,
    read: u64,
    /// Its span, which lasts as long as the answer is read.
    exchange: Exchange,
}

/// The limits that hold for one exchange.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) end: Option<Instant>,
    pub(crate) whole: Duration,
    pub(crate) idle: Duration,
    pub(crate) body: u64,
}

impl Incoming {
    pub(crate) fn new(mut body: reqwest::Response, url: Url, limits: Limits, exchange: Exchange) -> Self {
        Self {
            status: body.status(),
            headers: std::mem::take(body.headers_mut()),
            url,
            body,
            limits,
            read: 0,
            exchange,
        }
    }

    /// The status, whatever it is.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The address that answered, after redirects.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The next part of the body as it came; `None` at its end.
    ///
    /// # Errors
    /// [`HttpError::TooLarge`], [`HttpError::TimedOut`], [`HttpError::Broken`].
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        let next = self.next().await;
        next.inspect_err(|error| self.exchange.failed(error))
    }

    async fn next(&mut self) -> Result<Option<Bytes>, HttpError> {
        let next = match self.limits.end {
            Some(end) => match timeout_at(end, self.body.chunk()).await {
                Ok(next) => next,
                Err(_) => return Err(self.timed_out(Waiting::Whole, self.limits.whole)),
            },
            None => self.body.chunk().await,
        };
        let chunk = match next {
            Ok(Some(chunk)) => chunk,
            Ok(None) => return Ok(None),
            Err(error) if error.is_timeout() => {
                return Err(self.timed_out(Waiting::Body, self.limits.idle));
            }
            Err(error) => {
                let source = Box::new(error.without_url());
                return Err(HttpError::Broken { origin: origin(&self.url), source });
            }
        };
        self.read = self.read.saturating_add(chunk.len() as u64);
        self.check_size(self.read)?;
        Ok(Some(chunk))
    }

    /// Reads the rest of the body.
    ///
    /// # Errors
    /// Those of [`Incoming::chunk`]. A body that says beforehand that it is too large is not read at all.
    pub async fn whole(mut self) -> Result<Response, HttpError> {
        let announced = self.body.content_length().unwrap_or(0);
        self.check_size(announced).inspect_err(|error| self.exchange.failed(error))?;
        // The limit was checked, but the length is the server's word only: no more than this is set aside for it.
        let capacity = usize::try_from(announced.min(64 * 1024)).unwrap_or(0);
        let mut body = BytesMut::with_capacity(capacity);
        while let Some(chunk) = self.chunk().await? {
            body.extend_from_slice(&chunk);
        }
        let peer = self.body.remote_addr().map(|address| address.ip());
        Ok(Response { status: self.status, headers: self.headers, body: body.freeze(), url: self.url, peer })
    }

    fn check_size(&self, size: u64) -> Result<(), HttpError> {
        if size > self.limits.body {
            return Err(HttpError::TooLarge { origin: origin(&self.url), limit: self.limits.body });
        }
        Ok(())
    }

    fn timed_out(&self, waiting: Waiting, after: Duration) -> HttpError {
        HttpError::TimedOut { origin: origin(&self.url), after, waiting }
    }
}
