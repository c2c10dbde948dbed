//! The body of a POST: read within its limit, kept while it is answered, and what is said of one that is no message.
//!
//! The SDK answers a body that it cannot read with 415 and the text of its parser, and takes parameters of a list
//! that it cannot read for none. Nothing here is parsed before the SDK has given up on it: a good request costs
//! one reference more.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use rmcp::model::Extensions;
use serde_json::{Value, json};

/// The longest body that travels with its request. A list has a short one, and a call runs for long.
const LONGEST_KEPT: usize = 64 * 1024;

/// The body of the request that is answered; travels with it if it is short.
#[derive(Clone)]
pub(crate) struct Kept(Bytes);

/// Reads the body and keeps it.
///
/// # Errors
/// The response, if the body is longer than `most` bytes or breaks off.
pub(crate) async fn keep(request: Request, most: usize) -> Result<(Request, Kept), Response> {
    let (mut parts, body) = request.into_parts();
    let mut frames = body.into_data_stream();
    let mut read = Vec::new();
    while let Some(frame) = frames.next().await {
        let frame = frame.map_err(|error| {
            tracing::debug!(%error, "a request body broke off");
            (StatusCode::BAD_REQUEST, "Bad Request: the body broke off\n").into_response()
        })?;
        if frame.len() > most.saturating_sub(read.len()) {
            let text = format!("Payload Too Large: the request body exceeds {most} bytes\n");
            return Err((StatusCode::PAYLOAD_TOO_LARGE, text).into_response());
        }
        read.extend_from_slice(&frame);
    }
    let kept = Kept(read.into());
    if kept.0.len() <= LONGEST_KEPT {
        parts.extensions.insert(kept.clone());
    }
    let request = Request::from_parts(parts, Body::from(kept.0.clone()));
    Ok((request, kept))
}

/// Whether the body is said to be JSON; if not, 415 is the right answer.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|value| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

impl Kept {
    /// The answer to a body that is not one message.
    pub(crate) fn refusal(&self) -> Response {
        let (code, message, id) = match serde_json::from_slice::<Value>(&self.0) {
            Err(_) if self.0.is_empty() => (-32700, "Parse error: the body is empty".to_owned(), Value::Null),
            Err(error) => (-32700, format!("Parse error: the body is not JSON: {error}"), Value::Null),
            Ok(Value::Array(_)) => {
                let message = "Invalid request: batches are not supported; send one message a request";
                (-32600, message.to_owned(), Value::Null)
            }
            Ok(other) => {
                let id = other.get("id").filter(|id| id.is_string() || id.is_i64()).cloned();
                let message = "Invalid request: the body is not a JSON-RPC 2.0 message";
                (-32600, message.to_owned(), id.unwrap_or_default())
            }
        };
        let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
        let json = [(header::CONTENT_TYPE, "application/json")];
        (StatusCode::BAD_REQUEST, json, error.to_string()).into_response()
    }
}

/// Whether the request had parameters. Only for requests whose parameters the SDK gave as none.
pub(crate) fn had_parameters(extensions: &Extensions) -> bool {
    let Some(kept) = extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Kept>()) else {
        return false;
    };
    let message = serde_json::from_slice::<Value>(&kept.0).unwrap_or_default();
    message.get("params").is_some_and(|params| !params.is_null())
}
