//! The HTTP that the SDK's transport is given: ours, with its guard of addresses, its TLS and its limits.
//!
//! The SDK keeps sessions and streams; this sends one request and reads one answer. The host's secrets are put in here and
//! nowhere else, and covered in all that comes back.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use opentool_http::scrub;
use opentool_http::{
    Addresses, Bytes, Client as Http, HeaderMap, HeaderName, HeaderValue, HttpError, Incoming, Method,
    Request, StatusCode, Url,
};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, GetExtensions as _, GetMeta as _,
    JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use secrecy::SecretString;
use sse_stream::Sse;

use super::process::TOO_LONG;
use super::relay::Waits;
use super::server::Limits;
use super::{ClientError, TokenGiven, address, events};

const ACCEPT: HeaderName = HeaderName::from_static("accept");
const CONTENT_TYPE: HeaderName = HeaderName::from_static("content-type");
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// The longest text of a failure that is looked at, in bytes.
const LONGEST_FAILURE: usize = 64 * 1024;

/// How long the server may take to hear that a session is over.
const GOODBYE: Duration = Duration::from_secs(2);

/// A server's address, and how it is asked. Clones share its connections.
#[derive(Clone)]
pub(crate) struct Post(Arc<Inner>);

struct Inner {
    http: Http,
    url: Url,
    headers: HeaderMap,
    secrets: Vec<SecretString>,
    addresses: Addresses,
    limits: Limits,
}

type Failed = StreamableHttpError<ClientError>;

impl Post {
    pub(crate) fn new(
        http: Http,
        url: Url,
        headers: HeaderMap,
        secrets: Vec<SecretString>,
        addresses: Addresses,
        limits: Limits,
    ) -> Self {
        Self(Arc::new(Inner { http, url, headers, secrets, addresses, limits }))
    }

    pub(crate) fn url(&self) -> &Url {
        &self.0.url
    }

    /// Scheme, host and port.
    pub(crate) fn origin(&self) -> Box<str> {
        address::origin(&self.0.url)
    }

    /// A request with the host's headers and the protocol's.
    fn request(
        &self,
        method: Method,
        session: Option<&str>,
        own: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Request, ClientError> {
        let mut request = Request::new(method, self.0.url.clone())
            .addresses(self.0.addresses)
            .header(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"))
            .headers(own.into_iter().collect())
            .headers(self.0.headers.clone());
        if let Some(session) = session {
            let value = HeaderValue::from_str(session)
                .map_err(|_| self.not_mcp("the id of its session cannot stand in a header"))?;
            request = request.header(SESSION, value);
        }
        Ok(request)
    }

    async fn open(&self, request: Request) -> Result<Incoming, ClientError> {
        self.0.http.open(request).await.map_err(|error| self.unanswered(error))
    }

    /// The whole body of an answer, without the host's secrets.
    async fn body(&self, incoming: Incoming) -> Result<Bytes, ClientError> {
        let mut answer = incoming.whole().await.map_err(|error| self.unanswered(error))?;
        scrub::answer(&mut answer, &self.0.secrets);
        Ok(answer.body)
    }

    /// The events of an answer, one by one, without the host's secrets. `asked`: the request that they answer.
    fn events(
        &self,
        incoming: Incoming,
        asked: Option<RequestId>,
    ) -> BoxStream<'static, Result<Sse, SseError>> {
        let this = self.clone();
        events::read(incoming, self.origin(), self.0.limits.answer)
            .map(move |event| match event {
                Ok(mut event) => {
                    if let Some(data) = event.data.take() {
                        let clean = scrub::body(data.as_bytes(), &this.0.secrets);
                        event.data = Some(String::from_utf8_lossy(&clean).into_owned());
                    }
                    Ok(event)
                }
                // The SDK drops what ended a stream; as an answer it reaches the call.
                Err(error) => match (events::cause(error), &asked) {
                    (Some(ClientError::TooLarge { .. }), Some(id)) => Ok(too_long(id)),
                    (Some(error), _) => Err(SseError::Body(Box::new(error))),
                    (None, _) => Err(SseError::InvalidLine),
                },
            })
            .boxed()
    }

    /// What a status means that is not one of success.
    fn refusal(&self, incoming: &Incoming) -> ClientError {
        let (server, status) = (self.origin(), incoming.status());
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ClientError::Unauthorized {
                server,
                token: if self.0.secrets.is_empty() { TokenGiven::No } else { TokenGiven::Yes },
            },
            StatusCode::NOT_FOUND | StatusCode::GONE => ClientError::NoAccess {
                server,
                reason: "it answers 404; is the path right? Many servers are at `/mcp`",
                source: None,
            },
            StatusCode::METHOD_NOT_ALLOWED => ClientError::NoAccess {
                server,
                reason: "it answers 405; is the path right? The transport of 2024, with two addresses, is not spoken",
                source: None,
            },
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => ClientError::Busy {
                server,
                status: status.as_u16(),
                retry_after: header(incoming, "retry-after")
                    .and_then(|seconds| seconds.trim().parse().ok())
                    .map(Duration::from_secs),
            },
            _ if status.is_redirection() => {
                let to = header(incoming, "location").and_then(|to| incoming.url().join(to).ok());
                let to = to.map_or_else(|| "nowhere".into(), |to| address::origin(&to));
                ClientError::Redirected { server, to }
            }
            _ => ClientError::Status { server, status: status.as_u16() },
        }
    }

    fn unanswered(&self, error: HttpError) -> ClientError {
        let server = self.origin();
        match error {
            HttpError::TimedOut { after, .. } => ClientError::TimedOut { server, after },
            HttpError::TooLarge { limit, .. } => ClientError::TooLarge { server, limit },
            HttpError::Connect { .. } => {
                let reason = if error.trust().is_some() {
                    "its certificate is not trusted"
                } else if is_refused(&error) {
                    "nobody takes the connection; is the server running?"
                } else {
                    "there is no connection; is the address right?"
                };
                ClientError::NoAccess { server, reason, source: Some(Box::new(error)) }
            }
            error => error.into(),
        }
    }

    fn not_mcp(&self, reason: impl Into<Box<str>>) -> ClientError {
        ClientError::NotMcp { server: self.origin(), reason: reason.into() }
    }
}

impl StreamableHttpClient for Post {
    type Error = ClientError;

    async fn post_message(
        &self,
        _uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let mut request = self
            .request(Method::POST, session.as_deref(), headers)
            .map_err(Failed::Client)?
            .header(CONTENT_TYPE, HeaderValue::from_static(JSON))
            .body(serde_json::to_vec(&message)?);
        if let JsonRpcMessage::Request(asked) = &message {
            if matches!(asked.request, ClientRequest::SubscriptionsListenRequest(_)) {
                // A stream lasts as long as the connection; its events have their limit.
                request = request.body_limit(u64::MAX);
            }
            request = request.deadline(asked.request.extensions().get::<Waits>().map(Waits::until));
            for key in ["traceparent", "tracestate"] {
                let value = asked.request.get_meta().get(key).and_then(serde_json::Value::as_str);
                if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
                    request = request.header(HeaderName::from_static(key), value);
                }
            }
        }
        let incoming = self.open(request).await.map_err(Failed::Client)?;
        let status = incoming.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && session.is_some() {
            return Err(Failed::SessionExpired);
        }
        if !status.is_success() {
            return self.failure(&message, session.is_some(), incoming).await;
        }
        let id = header(&incoming, SESSION.as_str()).map(str::to_owned);
        let waits = matches!(message, JsonRpcMessage::Request(_));
        match content_type(&incoming) {
            Some(kind) if kind.starts_with(EVENTS) => {
                let asked = match &message {
                    JsonRpcMessage::Request(asked) => Some(asked.id.clone()),
                    _ => None,
                };
                Ok(StreamableHttpPostResponse::Sse(self.events(incoming, asked), id))
            }
            // Servers answer a notification with whatever they like.
            _ if !waits => Ok(StreamableHttpPostResponse::Accepted),
            Some(kind) if kind.starts_with(JSON) => {
                let body = self.body(incoming).await.map_err(Failed::Client)?;
                let message = serde_json::from_slice(&body).map_err(|error| {
                    Failed::Client(self.not_mcp(format!("its answer is no message of the protocol: {error}")))
                })?;
                Ok(StreamableHttpPostResponse::Json(message, id))
            }
            _ => {
                let reason = "its answer is neither JSON nor an event stream; is the path right?";
                Err(Failed::Client(self.not_mcp(reason)))
            }
        }
    }

    async fn delete_session(
        &self,
        _uri: Arc<str>,
        session: Arc<str>,
        _token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        let end = std::time::Instant::now().checked_add(GOODBYE);
        let request =
            self.request(Method::DELETE, Some(&session), headers).map_err(Failed::Client)?.deadline(end);
        // A server may keep its sessions for itself; nothing depends on it.
        self.open(request).await.map(drop).map_err(Failed::Client)
    }

    async fn get_stream(
        &self,
        _uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        let mut request = self.request(Method::GET, session.as_deref(), headers).map_err(Failed::Client)?;
        // A stream lasts as long as the session; its events have their limit.
        request = request.body_limit(u64::MAX);
        if let Some(value) = last_event.and_then(|id| HeaderValue::try_from(id).ok()) {
            request = request.header(LAST_EVENT, value);
        }
        let incoming = self.open(request).await.map_err(Failed::Client)?;
        if incoming.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(Failed::ServerDoesNotSupportSse);
        }
        if !incoming.status().is_success() {
            return Err(Failed::Client(self.refusal(&incoming)));
        }
        match content_type(&incoming) {
            Some(kind) if kind.starts_with(EVENTS) => Ok(self.events(incoming, None)),
            _ => Err(Failed::ServerDoesNotSupportSse),
        }
    }
}

impl Post {
    /// The message in the body of a failure, if it is short and one.
    async fn said(&self, mut incoming: Incoming) -> Option<ServerJsonRpcMessage> {
        let mut body = Vec::new();
        while let Some(part) = incoming.chunk().await.ok()? {
            body.extend_from_slice(&part);
            if body.len() > LONGEST_FAILURE {
                return None;
            }
        }
        serde_json::from_slice(&scrub::body(&body, &self.0.secrets)).ok()
    }

    /// The failure of a request: an error of the protocol, if the answer holds one, else what the status means.
    async fn failure(
        &self,
        message: &ClientJsonRpcMessage,
        in_session: bool,
        incoming: Incoming,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let (status, refusal) = (incoming.status(), self.refusal(&incoming));
        if matches!(refusal, ClientError::Unauthorized { .. } | ClientError::Redirected { .. }) {
            return Err(Failed::Client(refusal));
        }
        let is_json = content_type(&incoming).is_some_and(|kind| kind.starts_with(JSON));
        let said = if is_json { self.said(incoming).await } else { None };
        let JsonRpcMessage::Request(asked) = message else { return Err(Failed::Client(refusal)) };
        let discovers = matches!(asked.request, ClientRequest::DiscoverRequest(_));
        match said {
            Some(JsonRpcMessage::Error(mut error)) => {
                // The answer came on the connection of the question; servers that could not read it name no id.
                error.id = Some(asked.id.clone());
                Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), None))
            }
            // A server of an older revision knows neither the question nor a request without a session.
            _ if discovers && !in_session && status.is_client_error() => {
                let error = ErrorData::invalid_request(format!("HTTP {status}"), None);
                let answer = ServerJsonRpcMessage::error(error, Some(asked.id.clone()));
                Ok(StreamableHttpPostResponse::Json(answer, None))
            }
            _ => Err(Failed::Client(refusal)),
        }
    }
}

impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Post").field("origin", &self.origin()).finish_non_exhaustive()
    }
}

/// The answer to a request whose answer is too long.
fn too_long(id: &RequestId) -> Sse {
    let error = ErrorData::new(ErrorCode(TOO_LONG), "the answer is too long", None);
    let message = ServerJsonRpcMessage::error(error, Some(id.clone()));
    Sse::default().data(serde_json::to_string(&message).unwrap_or_default())
}

fn header<'a>(incoming: &'a Incoming, name: &str) -> Option<&'a str> {
    incoming.headers().get(name)?.to_str().ok()
}

fn content_type(incoming: &Incoming) -> Option<String> {
    header(incoming, CONTENT_TYPE.as_str()).map(|kind| kind.trim().to_ascii_lowercase())
}

/// Whether nobody takes the connection, which may be different in a moment.
fn is_refused(error: &HttpError) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            return io.kind() == std::io::ErrorKind::ConnectionRefused;
        }
        cause = error.source();
    }
    false
}
