//! What comes of a request.

use bytes::Bytes;
use http::Response;

use super::Fault;
use crate::request::Located;

/// What the service made of a request.
#[derive(Debug)]
#[non_exhaustive]
pub struct Answer {
    pub(super) operation: Option<String>,
    pub(super) target: String,
    pub(super) received: Located,
    pub(super) faults: Vec<Fault>,
    pub(super) own_faults: Vec<Fault>,
    pub(super) response: Response<Bytes>,
}

impl Answer {
    /// The name of the operation's tool; none if the request is for none.
    pub fn operation(&self) -> Option<&str> {
        self.operation.as_deref()
    }

    /// Path and query of the request, with `***` in place of keys: fit to be shown.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// The values that were read out of the request, by place. Bytes that are no text are `{"$base64": …}`.
    pub fn received(&self) -> &Located {
        &self.received
    }

    /// What is wrong with the request, and what is only odd.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// What is wrong with the answer: where neither an example of the document nor one that is made fits the schema of the
    /// answer. The pointers begin with `/response`.
    pub fn own_faults(&self) -> &[Fault] {
        &self.own_faults
    }

    /// Whether the request is what the document asks for.
    pub fn fits(&self) -> bool {
        self.operation.is_some() && !self.faults.iter().any(Fault::is_error)
    }

    /// What is answered.
    pub fn response(&self) -> &Response<Bytes> {
        &self.response
    }

    /// The same, to be sent.
    pub fn into_response(self) -> Response<Bytes> {
        self.response
    }
}
