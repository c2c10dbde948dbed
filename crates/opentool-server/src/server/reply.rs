//! Responses that are no results: plain errors, JSON-RPC errors, refusals.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use serde::Serialize;

use super::host::Busy;
use crate::wire::id::Id;
use crate::wire::request::{INVALID_REQUEST, Unreadable};
use crate::wire::response::{ErrorBody, ResponseBody};

/// JSON under this status.
pub(super) fn json(status: StatusCode, body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(Body::from(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The value as JSON under this status.
fn written(status: StatusCode, value: &impl Serialize) -> Response {
    // What is written here are texts and numbers, which is always possible.
    json(status, serde_json::to_vec(value).unwrap_or_default())
}

/// `{"code": …, "message": …}`, the form in which this protocol writes what is no answer to a call.
pub(super) fn plain(status: StatusCode, message: &str) -> Response {
    written(status, &ErrorBody::new(i64::from(status.as_u16()), message))
}

/// A failure as JSON-RPC writes it.
pub(super) fn failed(status: StatusCode, id: &Id, error: &ErrorBody) -> Response {
    written(status, &ResponseBody::failed(id, error))
}

/// The answer to a body that is no call.
pub(super) fn unreadable(why: &Unreadable) -> Response {
    failed(StatusCode::BAD_REQUEST, &why.id, &why.error)
}

/// The answer to a request for a call that is not even read.
pub(super) fn not_a_call(status: StatusCode, message: &str) -> Response {
    failed(status, &Id::Absent, &ErrorBody::new(INVALID_REQUEST, message))
}

/// The answer to a request without a key, or with a wrong one.
pub(super) fn unauthorized() -> Response {
    let mut response = plain(
        StatusCode::UNAUTHORIZED,
        "Unauthorized: send one of the server's keys as `Authorization: Bearer KEY`",
    );
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// The answer to a method that the endpoint does not have.
pub(super) fn method_not_allowed(allowed: &'static str) -> Response {
    let mut response =
        plain(StatusCode::METHOD_NOT_ALLOWED, &format!("Method Not Allowed: this endpoint takes {allowed}"));
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

/// The answer to a call that is not run now. Nothing was done, so it can be sent again.
pub(super) fn busy(id: &Id, why: Busy) -> Response {
    let message = match why {
        Busy::Full => {
            "Service Unavailable: as many calls as allowed run already; nothing was run, try again later"
        }
        Busy::Ending => "Service Unavailable: the server is about to end; nothing was run",
    };
    let mut response = failed(StatusCode::SERVICE_UNAVAILABLE, id, &ErrorBody::new(503, message));
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    if why == Busy::Ending {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
