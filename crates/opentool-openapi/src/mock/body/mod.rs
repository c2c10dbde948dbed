//! The body of a request: which of the declared media types it is, and what it says.

mod form;
mod multipart;
mod xml;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::Request;
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use super::contract::{Contract, WantedMedia};
use super::decode::Read;
use super::{Fault, accept};
use crate::plan::essence;
use crate::request::media::MediaKind;

const BASE: &str = "/body";

/// Reads the body and judges it.
pub(super) fn read(contract: &Contract, request: &Request<Bytes>, read: &mut Read) {
    let bytes = request.body();
    let content_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let Some(wanted) = &contract.body else {
        if !bytes.is_empty() {
            let fault = Fault::new(BASE, "undeclared", "the document has no body for this operation");
            read.faults.push(fault.note());
        }
        return;
    };
    let Some(content_type) = content_type else {
        if !bytes.is_empty() {
            let fault = Fault::new("/header/Content-Type", "content-type", "the body has no media type");
            read.faults.push(fault);
        } else if wanted.required {
            read.faults.push(Fault::new(BASE, "required", "the body is required"));
        }
        return;
    };
    let Some(media) = declared(&wanted.media, content_type) else {
        let names: Vec<&str> = wanted.media.iter().map(|media| media.media_type.as_str()).collect();
        let detail = format!("expected {}", names.join(" or "));
        read.faults.push(Fault::new("/header/Content-Type", "content-type", detail).found(content_type));
        return;
    };
    match decode(media, content_type, bytes, read) {
        Ok(Some(value)) => read.located.body = Some(value),
        Ok(None) => {}
        Err(detail) => {
            let text = String::from_utf8_lossy(bytes);
            read.faults.push(Fault::new(BASE, "encoding", detail).found(&text));
        }
    }
}

/// The declared media type that a body's is, the most exact first.
fn declared<'m>(media: &'m [WantedMedia], content_type: &str) -> Option<&'m WantedMedia> {
    let exactness = |media: &WantedMedia| {
        let ranges = media.media_type.split(',').map(str::trim);
        ranges.filter(|range| accept::covers(range, content_type)).map(accept::specificity).max()
    };
    let fitting = media.iter().filter_map(|media| Some((exactness(media)?, media)));
    // The first of equals.
    let best = fitting.rev().max_by_key(|(exactness, _)| *exactness).map(|(_, media)| media);
    // An object that is described as mail or an image is none, and comes as JSON.
    best.or_else(|| media.iter().find(|media| crate::plan::is_json(content_type) && is_no_object(media)))
}

/// Whether the schema is one of objects only, and the media type has none.
fn is_no_object(media: &WantedMedia) -> bool {
    let view = media.judge.view();
    let is_thing = ["message/", "image/", "audio/", "video/", "font/"]
        .iter()
        .any(|kind| essence(&media.media_type).starts_with(kind));
    is_thing && view.allows("object") && !view.allows_scalar()
}

/// What the body says; judged here.
fn decode(
    media: &WantedMedia,
    content_type: &str,
    bytes: &Bytes,
    read: &mut Read,
) -> Result<Option<Value>, String> {
    let text = || std::str::from_utf8(bytes).map_err(|error| format!("expected UTF-8: {error}"));
    let value = match MediaKind::of(content_type) {
        MediaKind::Json => {
            serde_json::from_slice(bytes).map_err(|error| format!("expected JSON: {error}"))?
        }
        MediaKind::JsonLines => {
            let mut values = lines(text()?)?;
            // One that is described as an object is a sequence of one.
            match values.pop() {
                Some(only) if values.is_empty() && !media.judge.view().allows("array") => only,
                last => values.into_iter().chain(last).collect(),
            }
        }
        MediaKind::Form => form::read(media, text()?, read),
        MediaKind::Multipart => {
            let (judged, received) = multipart::read(media, content_type, bytes, read)?;
            media.judge.check(&judged, BASE, &mut read.faults);
            return Ok(Some(received));
        }
        MediaKind::Xml => match xml::read(media, text()?)? {
            Some(value) => value,
            // The document says nothing about what is in it.
            None => return Ok(Some(Value::String(text()?.to_owned()))),
        },
        MediaKind::Text => {
            let view = media.judge.view();
            if view.is_bytes() {
                return Ok(Some(of_bytes(bytes)));
            }
            view.scalar(text()?)
        }
        MediaKind::Binary => return Ok(Some(of_bytes(bytes))),
    };
    media.judge.check(&value, BASE, &mut read.faults);
    Ok(Some(value))
}

/// One JSON value a line, or after each record separator.
fn lines(text: &str) -> Result<Vec<Value>, String> {
    let lines = text.split(['\n', '\u{1e}']).map(str::trim).filter(|line| !line.is_empty());
    lines
        .enumerate()
        .map(|(at, line)| {
            serde_json::from_str(line)
                .map_err(|error| format!("expected JSON in line {}: {error}", at.saturating_add(1)))
        })
        .collect()
}

/// Bytes as a value: the text that they are, or base64.
fn of_bytes(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => Value::String(text.to_owned()),
        Err(_) => json!({"$base64": STANDARD.encode(bytes)}),
    }
}

/// Whether a media type is one of those that an `encoding` object lists.
fn is_listed(listed: &str, media_type: &str) -> bool {
    listed.split(',').map(str::trim).any(|range| accept::covers(range, &essence(media_type)))
}
