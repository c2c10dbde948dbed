//! Multipart bodies, by the document's `encoding` objects: parts with names, and (3.2) parts in their order.

pub(crate) mod headers;

use std::fmt::Write as _;

use opentool_core::Problem;
use opentool_http::{HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::body::{Part, PartBody, Site, concrete, misfit, not_xml, part_as_xml};
use super::form::{ByStyle, by_style};
use super::problems::Problems;
use super::value::{child, text};
use super::{encode, file, style};
use crate::plan::{Media, PartHeader, is_json};

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
        let encoding = child(&media.encoding, name);
        let headers: Vec<&PartHeader> =
            media.part_headers.iter().filter(|header| header.property == *name).collect();
        let refused =
            |rule, expected: String| Problem::new(site.pointer(Some(name)), rule).expected(expected);
        match by_style(encoding).filter(|_| !holds_file(value, schema)) {
            Some(said) => match headers::of(value, schema, &headers) {
                Ok(own) => styled(&said, name, value, schema, &own, &mut parts),
                Err(expected) => problems.add(refused("encoding", expected)),
            },
            None => {
                let declared = child(encoding, "contentType").as_str().unwrap_or_default();
                let (items, schema, is_list) = match value {
                    Value::Array(items) => (items.as_slice(), child(schema, "items"), true),
                    value => (std::slice::from_ref(value), schema, false),
                };
                for (index, item) in items.iter().enumerate() {
                    let own = headers::of(item, schema, &headers);
                    let place = (name.as_str(), is_list.then_some(index));
                    let xml = match part_as_xml(media, place, item, schema, declared).transpose() {
                        Ok(xml) => xml,
                        Err(unwritable) => {
                            problems.add(not_xml(site.pointer(Some(name)), &unwritable));
                            continue;
                        }
                    };
                    let made = match xml {
                        Some(text) => Ok(Some(xml_part(name, declared, text))),
                        None => part(name, item, schema, declared),
                    };
                    match made {
                        Ok(Some(part)) => match own {
                            Ok(headers) => parts.push(Part { headers, ..part }),
                            Err(expected) => problems.add(refused("encoding", expected)),
                        },
                        Ok(None) => {}
                        Err(expected) => problems.add(refused("contentEncoding", expected)),
                    }
                }
            }
        }
    }
    parts
}

/// The parts of a list, in its order, without names. `null` is left out.
pub(super) fn in_order(
    media: &Media,
    items: &[Value],
    site: &Site<'_>,
    problems: &mut Problems,
) -> Vec<Part> {
    let mut parts = Vec::new();
    let first = child(&media.schema, "prefixItems").as_array().map(Vec::as_slice).unwrap_or_default();
    for (index, item) in items.iter().enumerate() {
        let schema = first.get(index).unwrap_or_else(|| child(&media.schema, "items"));
        match part("", item, schema, media.in_order.content_type(index)) {
            Ok(part) => parts.extend(part),
            Err(expected) => {
                let at = site.pointer(Some(&index.to_string()));
                problems.add(Problem::new(at, "contentEncoding").expected(expected));
            }
        }
    }
    parts
}

/// Whether a value, or an item of it, is a file, which no style can write.
fn holds_file(value: &Value, schema: &Value) -> bool {
    let is_file = |value: &Value, schema: &Value| file::read(value, schema).is_some();
    is_file(value, schema)
        || value
            .as_array()
            .is_some_and(|items| items.iter().any(|item| is_file(item, child(schema, "items"))))
}

/// The parts of a value that is written by a style: those of its pairs, in which nothing is percent-encoded (3.1,
/// section 4.8.15.1.3; RFC 7578).
fn styled(
    said: &ByStyle,
    name: &str,
    value: &Value,
    schema: &Value,
    headers: &[(HeaderName, HeaderValue)],
    parts: &mut Vec<Part>,
) {
    let mut pairs = Vec::new();
    style::pairs(said.style, said.explode, name, value, schema, encode::strict, &mut pairs);
    let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    parts.extend(pairs.iter().map(|pair| Part {
        name: plain(pair.name()),
        filename: None,
        content_type: "text/plain".to_owned(),
        headers: headers.to_vec(),
        body: PartBody::Text(plain(pair.value())),
    }));
}

fn part(name: &str, value: &Value, schema: &Value, declared: &str) -> Result<Option<Part>, String> {
    if let Some(file) = file::read(value, schema) {
        let file = file?;
        if let Some(expected) = misfit(declared, file.media_type.as_deref()) {
            return Err(expected);
        }
        let content_type = concrete(declared, file.media_type.as_deref(), "application/octet-stream");
        // Without an encoding object the value itself says what it is.
        let content_type =
            if declared.is_empty() { file.media_type.unwrap_or(content_type) } else { content_type };
        return Ok(Some(Part {
            name: name.to_owned(),
            // Servers take a field for a file only if it has a file name.
            filename: file.name.or_else(|| (!name.is_empty()).then(|| name.to_owned())),
            content_type,
            headers: Vec::new(),
            body: PartBody::Bytes(file.data),
        }));
    }
    let fallback = match value {
        Value::Object(_) | Value::Array(_) => "application/json",
        _ if is_bytes_by_default(schema) => "application/octet-stream",
        _ => "text/plain",
    };
    let content_type = concrete(declared, None, fallback);
    let body = if is_json(&content_type) && !value.is_null() {
        PartBody::Json(value.clone())
    } else {
        match text(value, schema) {
            Some(text) => PartBody::Text(text.into_owned()),
            None => return Ok(None),
        }
    };
    Ok(Some(Part { name: name.to_owned(), filename: None, content_type, headers: Vec::new(), body }))
}

/// A part that is XML.
fn xml_part(name: &str, declared: &str, text: String) -> Part {
    Part {
        name: name.to_owned(),
        filename: None,
        content_type: concrete(declared, None, "application/xml"),
        headers: Vec::new(),
        body: PartBody::Text(text),
    }
}

/// Whether a value is sent as bytes where nothing is said about its media type: texts that are encoded bytes, and values
/// about whose type nothing is said at all (OpenAPI 3.0.4, 3.1.1 and 3.2, section on the Encoding Object).
fn is_bytes_by_default(schema: &Value) -> bool {
    let says_nothing =
        |members: &Map<String, Value>| members.keys().all(|keyword| crate::schema::is_note(keyword));
    schema.get("contentEncoding").is_some() || schema.as_object().is_some_and(says_nothing)
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
        let mut head = format!("--{boundary}");
        match (part.name.as_str(), &part.filename) {
            ("", None) => {}
            ("", Some(_)) => head.push_str("\r\nContent-Disposition: attachment"),
            (name, _) => {
                let _ = write!(head, "\r\nContent-Disposition: form-data; name=\"{}\"", quoted(name));
            }
        }
        if let Some(filename) = &part.filename {
            let _ = write!(head, "; filename=\"{}\"", quoted(filename));
        }
        // Plain text is what a part without a type is; many servers take a typed part for a file.
        if part.content_type != "text/plain" {
            let _ = write!(head, "\r\nContent-Type: {}", part.content_type);
        }
        out.extend_from_slice(head.as_bytes());
        for (name, value) in &part.headers {
            out.extend_from_slice(format!("\r\n{name}: ").as_bytes());
            out.extend_from_slice(value.as_bytes());
        }
        out.extend_from_slice(b"\r\n\r\n");
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
