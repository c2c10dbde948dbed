//! The body of a POST: read within its limits, kept while it is answered, and what is said of one that is no message.
//!
//! The SDK answers a body that it cannot read with 415 and the text of its parser, and takes parameters of a list
//! that it cannot read for none. Nothing here is parsed before the SDK has given up on it: a good request costs
//! one reference more.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use rmcp::model::Extensions;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::budget::Budget;
use crate::refusal::{Carrier, Refusal};

/// The longest body that travels with its request. A list has a short one, and a call runs for long.
const LONGEST_KEPT: usize = 64 * 1024;

/// How long a body may take to arrive: the largest one at 70 kilobytes a second.
const LONGEST: Duration = Duration::from_secs(60);

/// The body of the request that is answered; travels with it if it is short.
#[derive(Clone)]
pub(crate) struct Kept(Bytes);

/// Reads the body and keeps it. Its share of the memory travels with the request.
///
/// # Errors
/// The response, if the body is longer than `most` bytes, breaks off or takes too long, or if there is no room for the request.
pub(crate) async fn keep(
    request: Request,
    most: usize,
    budget: &Budget,
) -> Result<(Request, Kept), Response> {
    /// The room that is taken first: most bodies are shorter.
    const FIRST: usize = 16 * 1024;
    let (mut parts, body) = request.into_parts();
    let mut frames = body.into_data_stream();
    let mut read = Vec::new();
    let (mut room, mut taken) = (0_usize, Vec::new());
    let ends = Instant::now() + LONGEST;
    while let Some(frame) = timeout_at(ends, frames.next()).await.map_err(|_| late())? {
        let frame = frame.map_err(|error| {
            tracing::debug!(%error, "a request body broke off");
            (StatusCode::BAD_REQUEST, "Bad Request: the body broke off\n").into_response()
        })?;
        if frame.len() > most.saturating_sub(read.len()) {
            let text = format!("Payload Too Large: the request body exceeds {most} bytes\n");
            return Err((StatusCode::PAYLOAD_TOO_LARGE, text).into_response());
        }
        let needed = read.len().saturating_add(frame.len());
        if needed > room {
            let larger = needed.saturating_mul(2).clamp(FIRST, most.max(FIRST));
            taken.push(budget.take(larger.saturating_sub(room)).ok_or_else(busy)?);
            room = larger;
        }
        read.extend_from_slice(&frame);
    }
    drop(taken);
    parts.extensions.insert(budget.admit(&read).ok_or_else(busy)?);
    let kept = Kept(read.into());
    if kept.0.len() <= LONGEST_KEPT {
        parts.extensions.insert(kept.clone());
    }
    let request = Request::from_parts(parts, Body::from(kept.0.clone()));
    Ok((request, kept))
}

fn late() -> Response {
    let text = "Request Timeout: the body did not come in time\n";
    (StatusCode::REQUEST_TIMEOUT, [(header::CONNECTION, "close")], text).into_response()
}

fn busy() -> Response {
    tracing::warn!(
        "a request was refused: the requests that are under way take all the memory that they may"
    );
    let text = "Service Unavailable: the server is busy with other requests; try again later\n";
    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "5")], text).into_response()
}

impl Kept {
    /// The message of a stream, if it is short.
    pub(crate) fn line(line: &[u8]) -> Option<Self> {
        (line.len() <= LONGEST_KEPT).then(|| Self(Bytes::copy_from_slice(line)))
    }

    /// The answer to a body that is not one message.
    pub(crate) fn refusal(&self) -> Response {
        let refusal = Refusal::of(&self.0, Carrier::Body);
        let json = [(header::CONTENT_TYPE, "application/json")];
        (StatusCode::BAD_REQUEST, json, refusal.to_json()).into_response()
    }
}

/// Whether the request had parameters. Only for requests whose parameters the SDK gave as none.
pub(crate) fn had_parameters(extensions: &Extensions) -> bool {
    let of_http = || extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Kept>());
    // Only what is long is not kept.
    let Some(kept) = extensions.get::<Kept>().or_else(of_http) else { return true };
    let message = serde_json::from_slice::<Value>(&kept.0).unwrap_or_default();
    message.get("params").is_some_and(|params| !params.is_null())
}
