//! `multipart/form-data` bodies, by the document's `encoding` objects.

use std::fmt::Write as _;

use opentool_core::Problem;
use serde_json::{Map, Value};

use super::body::{Part, PartBody, Site, concrete};
use super::file;
use super::problems::Problems;
use super::value::{child, text};
use crate::plan::{Media, is_json};

/// The parts of an object, in its order: one for each member, or for each item of a list. `null` is left out.
pub(super) fn parts(
    media: &Media,
    members: &Map<String, Value>,
    site: &Site<'_>,
    problems: &mut Problems,
) -> Vec<Part> {
    let mut parts = Vec::new();
    for (name, value) in members {
        let schema = child(child(&media.schema, "properties"), name);
        let declared = child(child(&media.encoding, name), "contentType").as_str().unwrap_or_default();
        let (items, schema) = match value {
            Value::Array(items) => (items.as_slice(), child(schema, "items")),
            value => (std::slice::from_ref(value), schema),
        };
        for item in items {
            match part(name, item, schema, declared) {
                Ok(part) => parts.extend(part),
                Err(expected) => {
                    problems
                        .add(Problem::new(site.pointer(Some(name)), "contentEncoding").expected(expected));
                }
            }
        }
    }
    parts
}

fn part(name: &str, value: &Value, schema: &Value, declared: &str) -> Result<Option<Part>, &'static str> {
    if let Some(file) = file::read(value, schema) {
        let file = file?;
        let content_type = concrete(declared, file.media_type.as_deref(), "application/octet-stream");
        // Without an encoding object the value itself says what it is.
        let content_type =
            if declared.is_empty() { file.media_type.unwrap_or(content_type) } else { content_type };
        return Ok(Some(Part {
            name: name.to_owned(),
            // Servers take a part for a file only if it has a file name.
            filename: Some(file.name.unwrap_or_else(|| name.to_owned())),
            content_type,
            body: PartBody::Bytes(file.data),
        }));
    }
    let structured = matches!(value, Value::Object(_) | Value::Array(_));
    let fallback = if structured { "application/json" } else { "text/plain" };
    let content_type = concrete(declared, None, fallback);
    let body = if is_json(&content_type) && !value.is_null() {
        PartBody::Json(value.clone())
    } else {
        match text(value, schema) {
            Some(text) => PartBody::Text(text),
            None => return Ok(None),
        }
    };
    Ok(Some(Part { name: name.to_owned(), filename: None, content_type, body }))
}

/// A boundary that occurs in none of the parts. The same parts have the same boundary.
pub(super) fn boundary(parts: &[Part]) -> String {
    let mut number = 0_u64;
    loop {
        let boundary = format!("----opentool-{number:016x}");
        if !parts.iter().any(|part| holds(part, boundary.as_bytes())) {
            return boundary;
        }
        number += 1;
    }
}

fn holds(part: &Part, boundary: &[u8]) -> bool {
    let found = |bytes: &[u8]| bytes.windows(boundary.len()).any(|window| window == boundary);
    match &part.body {
        PartBody::Text(text) => found(text.as_bytes()),
        PartBody::Json(value) => found(value.to_string().as_bytes()),
        PartBody::Bytes(bytes) => found(bytes),
    }
}

/// The body on the wire.
pub(super) fn write(boundary: &str, parts: &[Part]) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts {
        let mut head =
            format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"", quoted(&part.name));
        if let Some(filename) = &part.filename {
            let _ = write!(head, "; filename=\"{}\"", quoted(filename));
        }
        // Plain text is what a part without a type is; many servers take a typed part for a file.
        if part.content_type != "text/plain" {
            let _ = write!(head, "\r\nContent-Type: {}", part.content_type);
        }
        head.push_str("\r\n\r\n");
        out.extend_from_slice(head.as_bytes());
        match &part.body {
            PartBody::Text(text) => out.extend_from_slice(text.as_bytes()),
            PartBody::Json(value) => out.extend_from_slice(value.to_string().as_bytes()),
            PartBody::Bytes(bytes) => out.extend_from_slice(bytes),
        }
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    out
}

/// A name as browsers write it into the header: what would end it is escaped.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}
