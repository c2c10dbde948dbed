//! A client, and what it asks beside calls: version, document, stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use opentool_core::{Diagnostic, ToolSet};
use opentool_doc::{Document, Parsed};
use opentool_http::{Method, Response};
use serde_json::Value;

use super::exchange::{Exchange, error_in};
use super::{ClientError, document_tools};
use crate::wire::endpoint;
use crate::wire::response::ErrorBody;

/// The code with which servers say that they have no document.
const NO_DOCUMENT: i64 = 404;

/// The longest answer that is looked at as an error in the place of a document, in bytes.
const LONGEST_ERROR: usize = 4_096;

/// A server that can be called. Clones share its connections, which are kept open between calls.
#[derive(Debug, Clone)]
pub struct Client(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    exchange: Exchange,
    calls: AtomicU64,
}

impl Client {
    pub(crate) fn new(exchange: Exchange) -> Self {
        Self(Arc::new(Inner { exchange, calls: AtomicU64::new(0) }))
    }

    pub(crate) fn exchange(&self) -> &Exchange {
        &self.0.exchange
    }

    /// An id for a call whose caller has none.
    pub(crate) fn next_id(&self) -> String {
        let before = self.0.calls.fetch_add(1, Ordering::Relaxed);
        format!("call-{}", before.wrapping_add(1))
    }

    /// The address of the server, with its base path.
    pub fn url(&self) -> &str {
        self.exchange().address().as_str()
    }

    /// The version of the protocol that the server speaks, as it says it.
    ///
    /// # Errors
    /// [`ClientError`]; [`ClientError::NotOpenTool`] if the answer holds no version.
    pub async fn version(&self) -> Result<String, ClientError> {
        let answer = self.exchange().ask(Method::GET, endpoint::VERSION, "", None).await?;
        let body: Value = serde_json::from_slice(&answer.body)
            .map_err(|_| self.exchange().not_opentool("what it gives as its version is not JSON"))?;
        match body.get("version") {
            Some(Value::String(version)) => Ok(self.exchange().clean(version).into()),
            _ => Err(match error_in(&answer.body) {
                Some(error) => self.exchange().failed(&error),
                None => self.exchange().not_opentool("what it gives as its version has no member `version`"),
            }),
        }
    }

    /// The document that describes the server's functions; `None` if the server has none (it answers `{}`, or with an
    /// error of the code 404).
    ///
    /// # Errors
    /// [`ClientError`]; [`ClientError::Document`] if it is not a document.
    pub async fn load(&self) -> Result<Option<Document>, ClientError> {
        Ok(self.load_checked().await?.map(|parsed| parsed.document))
    }

    /// [`Client::load`], with all that is to say about the document.
    ///
    /// # Errors
    /// Those of [`Client::load`].
    pub async fn load_checked(&self) -> Result<Option<Parsed>, ClientError> {
        let answer = self.exchange().send(Method::GET, endpoint::LOAD, "".into(), None).await?;
        match self.in_its_place(&answer) {
            Some(error) if error.code == NO_DOCUMENT => {
                if !answer.status.is_success() {
                    // A server says the same where the path is wrong; then it has no version either.
                    self.version().await?;
                }
                return Ok(None);
            }
            Some(error) if answer.status.is_success() => return Err(self.exchange().failed(&error)),
            _ => {}
        }
        let answer = self.exchange().succeeded(answer)?;
        let origin = self.exchange().address().origin();
        let file = self.exchange().address().endpoint(endpoint::LOAD).to_string();
        // A large document takes a while, which other tasks of the thread should not wait for.
        let reading = tokio::task::spawn_blocking(move || opentool_doc::parse(&answer.body, &file));
        match reading.await {
            Ok(Ok(parsed)) => Ok(Some(parsed)),
            Ok(Err(source)) => Err(ClientError::Document { origin, source }),
            Err(_) => Err(self.exchange().not_opentool("reading its document failed with an internal error")),
        }
    }

    /// The functions of the server as tools, and what is wrong with its document.
    ///
    /// Their calls go to this client's address, whatever `server.url` the document names.
    ///
    /// # Errors
    /// Those of [`Client::load`]; [`ClientError::NoDocument`] if the server has none.
    pub async fn tools(&self) -> Result<(ToolSet, Vec<Diagnostic>), ClientError> {
        let Some(parsed) = self.load_checked().await? else {
            return Err(ClientError::NoDocument { origin: self.exchange().address().origin() });
        };
        Ok((document_tools(&parsed.document, self), parsed.diagnostics))
    }

    /// Ends the server, which it does only where its operator allowed it.
    ///
    /// # Errors
    /// [`ClientError`]; [`ClientError::Call`] with the server's words where it is not allowed.
    pub async fn stop(&self) -> Result<(), ClientError> {
        let answer = self.exchange().ask(Method::POST, endpoint::STOP, "{}", None).await?;
        error_in(&answer.body).map_or(Ok(()), |error| Err(self.exchange().failed(&error)))
    }

    /// What a server says in the place of a document.
    fn in_its_place(&self, answer: &Response) -> Option<ErrorBody> {
        // A document is larger than any error; it is not read twice.
        if answer.body.len() > LONGEST_ERROR {
            return None;
        }
        match answer.body.trim_ascii() {
            b"{}" if answer.status.is_success() => Some(ErrorBody::new(NO_DOCUMENT, "")),
            body => error_in(body),
        }
    }
}
