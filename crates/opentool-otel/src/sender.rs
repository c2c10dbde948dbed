//! How the exporter sends: through the one HTTP client, on a runtime of its own.
//!
//! The SDK exports from threads of its own, where no async runtime is, and also while a program ends and its runtime is
//! gone or busy. So requests run on a small runtime that nothing else uses, and whoever exports waits for it.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{Request, Response};
use opentelemetry_http::{HttpClient, HttpError};
use opentool_http::{Client, HeaderMap, Identity, Options, Url};
use tokio::runtime::Handle;

use crate::OtelError;
use crate::environment::Signal;

/// The largest answer that is read, in bytes. Collectors answer with next to nothing.
const ANSWER: u64 = 1024 * 1024;

/// Sends the requests of one signal.
pub(crate) struct Sender {
    client: Client,
    identity: Option<Identity>,
    runtime: Handle,
    outcome: Outcome,
}

/// Why the last export did not arrive; nothing if it did.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome(Arc<Mutex<Option<Box<str>>>>);

impl Outcome {
    fn set(&self, failure: Option<Box<str>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    }

    /// The failure, which is told once.
    pub(crate) fn take(&self) -> Option<Box<str>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Sender {
    pub(crate) fn new(signal: Signal, runtime: Handle) -> Result<Self, OtelError> {
        let options =
            Options::new().timeout(signal.timeout()?).body_limit(ANSWER).authorities(signal.authorities()?);
        let (client, identity) = (Client::new(options), signal.identity()?);
        Ok(Self { client, identity, runtime, outcome: Outcome::default() })
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.outcome.clone()
    }

    fn request(&self, request: Request<Bytes>) -> Result<opentool_http::Request, HttpError> {
        let (parts, body) = request.into_parts();
        let url: Url = parts.uri.to_string().parse()?;
        let mut headers = HeaderMap::new();
        for (name, mut value) in parts.headers {
            let Some(name) = name else { continue };
            // Those that an operator sets are keys.
            let is_plain = matches!(name.as_str(), "content-type" | "content-encoding" | "user-agent");
            value.set_sensitive(!is_plain);
            headers.insert(name, value);
        }
        let request = opentool_http::Request::new(parts.method, url).headers(headers).body(body);
        Ok(request.identity(self.identity.clone()))
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let request = self.request(request)?;
        let client = self.client.clone();
        let answer = self.runtime.spawn(async move { client.send(request).await }).await??;
        let status = answer.status;
        let failure = match status.is_success() {
            true => None,
            false => Some(format!("the collector answered {status}").into()),
        };
        self.outcome.set(failure);
        let mut response = Response::builder().status(status);
        if let Some(headers) = response.headers_mut() {
            *headers = answer.headers;
        }
        Ok(response.body(answer.body)?)
    }
}

impl HttpClient for Sender {
    fn send_bytes<'life0, 'async_trait>(
        &'life0 self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(async move {
            let sent = self.send(request).await;
            if let Err(error) = &sent {
                self.outcome.set(Some(error.to_string().into()));
            }
            sent
        })
    }
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}
