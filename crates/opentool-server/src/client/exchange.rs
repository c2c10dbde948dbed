//! One request and its answer: the key, the limits, what is tried again, and what a status means.
//!
//! What an answer says is for the callers to read; here it is only told whether it is a success.

use std::time::{Duration, Instant};

use opentool_core::visible::without_hidden;
use opentool_http::scrub::{self, Reach};
use opentool_http::{
    Addresses, Bytes, Client as Http, HeaderName, HeaderValue, HttpError, Incoming, Method, Request,
    Response, StatusCode, bounded,
};
use secrecy::SecretString;
use serde_json::Value;

use super::address::Address;
use super::{ClientError, KeyGiven, unreachable};
use crate::wire::endpoint::EVENT_STREAM;
use crate::wire::error_object::error_object;
use crate::wire::response::ErrorBody;

/// The wait before the first new try; each further one takes as much longer.
const PAUSE: Duration = Duration::from_millis(100);

/// How much a server may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The longest call, and the longest silence of a stream.
    pub(crate) call: Duration,
    /// The longest stream.
    pub(crate) stream: Duration,
    /// The most bytes of an answer or an event.
    pub(crate) answer: usize,
    /// The most bytes of a stream.
    pub(crate) stream_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            call: Duration::from_secs(60),
            stream: Duration::from_secs(600),
            answer: 32 * 1024 * 1024,
            stream_bytes: 256 * 1024 * 1024,
        }
    }
}

/// How a server is asked.
#[derive(Debug)]
pub(crate) struct Exchange {
    http: Http,
    address: Address,
    /// At most one: the API key.
    secrets: Vec<SecretString>,
    retries: u32,
    limits: Limits,
    addresses: Addresses,
}

/// What is wanted in answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// One JSON value.
    Json,
    /// An event stream.
    Events,
}

impl Exchange {
    pub(crate) fn new(
        http: Http,
        address: Address,
        key: Option<SecretString>,
        retries: u32,
        limits: Limits,
    ) -> Self {
        let (secrets, addresses) = (key.into_iter().collect(), Addresses::default());
        Self { http, address, secrets, retries, limits, addresses }
    }

    pub(crate) fn addresses(mut self, addresses: Addresses) -> Self {
        self.addresses = addresses;
        self
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Asks an endpoint and reads the whole answer, which is a success.
    pub(crate) async fn ask(
        &self,
        method: Method,
        endpoint: &str,
        body: impl Into<Bytes>,
        deadline: Option<Instant>,
    ) -> Result<Response, ClientError> {
        let answer = self.send(method, endpoint, body.into(), deadline).await?;
        self.succeeded(answer)
    }

    /// The same for an answer of any status.
    pub(crate) async fn send(
        &self,
        method: Method,
        endpoint: &str,
        body: Bytes,
        deadline: Option<Instant>,
    ) -> Result<Response, ClientError> {
        let incoming = self.open(method, endpoint, body, Wanted::Json, deadline).await?;
        self.whole(incoming).await
    }

    /// Asks an endpoint; the body of the answer is still to be read.
    pub(crate) async fn open(
        &self,
        method: Method,
        endpoint: &str,
        body: Bytes,
        wanted: Wanted,
        deadline: Option<Instant>,
    ) -> Result<Incoming, ClientError> {
        const ACCEPT: HeaderName = HeaderName::from_static("accept");
        const CONTENT_TYPE: HeaderName = HeaderName::from_static("content-type");
        const JSON: HeaderValue = HeaderValue::from_static("application/json");
        let (accept, longest) = match wanted {
            Wanted::Json => (JSON, self.limits.call),
            Wanted::Events => (HeaderValue::from_static(EVENT_STREAM), self.limits.stream),
        };
        let own = Instant::now().checked_add(longest);
        let mut request = Request::new(method, self.address.endpoint(endpoint))
            .header(ACCEPT, accept)
            .addresses(self.addresses)
            .deadline(own.into_iter().chain(deadline).min());
        if wanted == Wanted::Events {
            request = request.body_limit(self.limits.stream_bytes);
        }
        if !body.is_empty() {
            request = request.header(CONTENT_TYPE, JSON).body(body);
        }
        if let Some(key) = self.secrets.first() {
            request = request.bearer(key)?;
        }
        request = request.in_trace();
        let mut tries = 0_u32;
        loop {
            let error = match self.http.open(request.clone()).await {
                Ok(incoming) => return Ok(incoming),
                Err(error) => error,
            };
            if tries >= self.retries || !unreachable::is_refused(&error) {
                return Err(self.unanswered(error));
            }
            tries = tries.saturating_add(1);
            let pause = PAUSE.saturating_mul(tries);
            let end = request.deadline.map(|end| end.saturating_duration_since(Instant::now()));
            if end.is_some_and(|left| left <= pause) {
                return Err(self.unanswered(error));
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// Reads the rest of an answer, and covers the key in it.
    pub(crate) async fn whole(&self, incoming: Incoming) -> Result<Response, ClientError> {
        let mut answer = incoming.whole().await?;
        scrub::answer(&mut answer, &self.secrets);
        Ok(answer)
    }

    /// The answer, if its status is one of success.
    pub(crate) fn succeeded(&self, answer: Response) -> Result<Response, ClientError> {
        if answer.status.is_success() { Ok(answer) } else { Err(self.refusal(&answer)) }
    }

    /// What an answer means whose status is not one of success.
    pub(crate) fn refusal(&self, answer: &Response) -> ClientError {
        let origin = self.address.origin();
        let status = answer.status.as_u16();
        match answer.status {
            StatusCode::UNAUTHORIZED => {
                let key = if self.secrets.is_empty() { KeyGiven::No } else { KeyGiven::Yes };
                ClientError::Unauthorized { origin, key }
            }
            StatusCode::NOT_FOUND | StatusCode::GONE => {
                let reason = "it answers 404; is the OpenTool server running there, and is the path right?";
                ClientError::NoAccess { origin, reason, source: None }
            }
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => ClientError::Busy {
                origin,
                message: match error_in(&answer.body) {
                    Some(error) => self.clean(&error.message),
                    None => format!("HTTP {}", answer.status).into(),
                },
                retry_after: header(answer, "retry-after")
                    .and_then(|seconds| seconds.trim().parse().ok())
                    .map(Duration::from_secs),
            },
            status if status.is_redirection() && header(answer, "location").is_some() => {
                let to = header(answer, "location").and_then(|to| answer.url.join(to).ok());
                let to = to.map_or_else(|| "nowhere".to_owned(), |to| to.origin().ascii_serialization());
                ClientError::Redirected { origin, to: self.clean(&to) }
            }
            _ => match error_in(&answer.body) {
                Some(error) => self.failed(&error),
                None => ClientError::ErrorNull { origin, status },
            },
        }
    }

    /// The failure that the server tells of.
    pub(crate) fn failed(&self, error: &ErrorBody) -> ClientError {
        ClientError::Call { code: error.code, message: self.clean(&error.message) }
    }

    pub(crate) fn not_opentool(&self, reason: impl AsRef<str>) -> ClientError {
        ClientError::NotOpenTool { origin: self.address.origin(), reason: self.clean(reason.as_ref()) }
    }

    /// A text of the server's, short and without the key.
    pub(crate) fn clean(&self, text: &str) -> Box<str> {
        bounded(&without_hidden(&scrub::text(text, &self.secrets, Reach::Message))).into()
    }

    /// A part of an answer without the key.
    pub(crate) fn covered(&self, text: String) -> String {
        match scrub::body(text.as_bytes(), &self.secrets) {
            std::borrow::Cow::Borrowed(_) => text,
            std::borrow::Cow::Owned(changed) => String::from_utf8_lossy(&changed).into_owned(),
        }
    }

    fn unanswered(&self, error: HttpError) -> ClientError {
        if unreachable::is_not_http(&error) {
            let tls = "; if the port speaks TLS, write https://";
            let hint = if self.address.is_https() { "" } else { tls };
            return self.not_opentool(format!("what it sends is not HTTP{hint}"));
        }
        if !matches!(error, HttpError::Connect { .. }) {
            return error.into();
        }
        let (reason, source) = (unreachable::reason(&error), unreachable::cause(&error));
        ClientError::NoAccess { origin: self.address.origin(), reason, source }
    }
}

/// The error in the body of an answer: that of a JSON-RPC answer, or an error by itself.
pub(crate) fn error_in(body: &[u8]) -> Option<ErrorBody> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let body = body.as_object()?;
    match body.get("error") {
        None | Some(Value::Null) => error_object(body),
        Some(error) => Some(ErrorBody::read(error)),
    }
}

fn header<'a>(answer: &'a Response, name: &str) -> Option<&'a str> {
    answer.headers.get(name)?.to_str().ok()
}
