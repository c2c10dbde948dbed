//! The body of a request: read within its size and its time.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use opentool_listen::is_json;
use tokio::time::timeout;

use super::reply;

/// How long a client may take to send a body, and how many bytes of the largest body make that a second longer.
const LONGEST: Duration = Duration::from_secs(30);
const BYTES_A_SECOND: u64 = 128 * 1024;

/// How much of a body that is not wanted is read nevertheless, and for how long: a client that still writes when the
/// connection closes may never see why.
const MOST_UNWANTED: usize = 8 * 1024 * 1024;
const LONGEST_UNWANTED: Duration = Duration::from_secs(2);

/// Reads the body of a call.
///
/// # Errors
/// The response, if the body is not said to be JSON, is longer than `most` bytes, slow, or breaks off.
pub(super) async fn read(headers: &HeaderMap, body: Body, most: usize) -> Result<Bytes, Response> {
    if !is_json(headers) {
        discard(headers, body).await;
        let message = "Invalid Request: the content type of a call is `application/json`";
        return Err(reply::not_a_call(StatusCode::BAD_REQUEST, message));
    }
    if announced(headers).is_some_and(|length| length > most as u64) {
        discard(headers, body).await;
        return Err(too_large(most));
    }
    let mut frames = body.into_data_stream();
    let longest = LONGEST.saturating_add(Duration::from_secs(most as u64 / BYTES_A_SECOND));
    match timeout(longest, gather(&mut frames, most)).await {
        Ok(Ok(whole)) => Ok(whole),
        Ok(Err(Broken::TooLarge)) => {
            drain(frames).await;
            Err(too_large(most))
        }
        Ok(Err(Broken::Off(error))) => {
            tracing::debug!(%error, "a request body broke off");
            let message = if headers.contains_key(header::TRANSFER_ENCODING) {
                "Invalid Request: the body broke off, or is not in chunks as `Transfer-Encoding` says; send \
                 `Content-Length` instead"
            } else {
                "Invalid Request: the body broke off"
            };
            Err(reply::not_a_call(StatusCode::BAD_REQUEST, message))
        }
        Err(_) => {
            let message = format!(
                "Request Timeout: the body was not there within {}",
                opentool_core::in_units(longest)
            );
            Err(reply::not_a_call(StatusCode::REQUEST_TIMEOUT, &message))
        }
    }
}

/// Reads away a body that nobody wants, within bounds.
pub(super) async fn discard(headers: &HeaderMap, body: Body) {
    // A client that waits for a go-ahead has not sent anything, and reading would tell it to.
    if !headers.contains_key(header::EXPECT) {
        drain(body.into_data_stream()).await;
    }
}

async fn drain(mut frames: BodyDataStream) {
    let reading = async {
        let mut read = 0_usize;
        while let Some(Ok(frame)) = frames.next().await {
            read = read.saturating_add(frame.len());
            if read > MOST_UNWANTED {
                break;
            }
        }
    };
    // Enough was done for it, whether it came to its end or not.
    let _ = timeout(LONGEST_UNWANTED, reading).await;
}

enum Broken {
    TooLarge,
    Off(axum::Error),
}

async fn gather(frames: &mut BodyDataStream, most: usize) -> Result<Bytes, Broken> {
    let mut first = Bytes::new();
    let mut whole: Option<BytesMut> = None;
    while let Some(frame) = frames.next().await {
        let frame = frame.map_err(Broken::Off)?;
        let read = whole.as_ref().map_or(first.len(), BytesMut::len);
        if frame.len() > most.saturating_sub(read) {
            return Err(Broken::TooLarge);
        }
        match &mut whole {
            Some(whole) => whole.extend_from_slice(&frame),
            // Most bodies are one frame, which is not copied.
            None if first.is_empty() => first = frame,
            None => {
                let mut joined = BytesMut::from(&*first);
                joined.extend_from_slice(&frame);
                whole = Some(joined);
            }
        }
    }
    Ok(whole.map_or(first, BytesMut::freeze))
}

fn too_large(most: usize) -> Response {
    let message = format!("Payload Too Large: the request body exceeds {most} bytes");
    reply::not_a_call(StatusCode::PAYLOAD_TOO_LARGE, &message)
}

fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
