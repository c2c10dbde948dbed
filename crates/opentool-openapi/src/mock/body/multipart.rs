//! Multipart bodies (RFC 2046, section 5.1, and RFC 7578), by the document's `encoding` objects.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::super::Fault;
use super::super::contract::WantedMedia;
use super::super::decode::Read;
use super::super::view::View;
use crate::plan::is_json;
use crate::request::media::MediaKind;
use crate::xml::XmlForm;

/// One part as it stands in the body.
struct Part<'b> {
    name: String,
    filename: Option<String>,
    content_type: Option<String>,
    /// The names of all its headers, in small letters.
    headers: Vec<String>,
    data: &'b [u8],
}

/// The object of all parts, as the schema sees it and as it came.
pub(super) fn read(
    media: &WantedMedia,
    content_type: &str,
    body: &[u8],
    read: &mut Read,
) -> Result<(Value, Value), String> {
    let boundary = parameter(content_type, "boundary").ok_or("the media type names no `boundary`")?;
    let parts = parts(body, &boundary)?;
    let view = media.judge.view();
    if view.allows("array") && !view.allows("object") {
        return in_order(&parts, &view.items(), read);
    }
    if parts.iter().any(|part| part.name.is_empty()) {
        return Err("a part has no `name`".to_owned());
    }
    let (mut judged, mut received) = (Map::new(), Map::new());
    let styled = styled(media, &view);
    let mut form = String::new();
    for part in parts {
        if let Some(text) = styled.as_ref().and_then(|styled| styled.pair(&part)) {
            form.push_str(&text);
            continue;
        }
        let at = opentool_text::pointer::join(super::BASE, &part.name);
        let property = view.property(&part.name);
        let is_list = property.allows("array") && !property.allows_scalar();
        let listed =
            media.encoding.get(&part.name).and_then(|encoding| encoding.get("contentType")?.as_str());
        if let Some(listed) = listed {
            let own = part.content_type.as_deref().unwrap_or("text/plain");
            if !super::is_listed(listed, own) {
                let detail = format!("expected a part of the media type {listed}");
                read.faults.push(Fault::new(at.clone(), "encoding", detail).found(own));
            }
        }
        for (_, needed) in media.needed_headers.iter().filter(|(property, _)| *property == part.name) {
            if !part.headers.iter().any(|own| own.eq_ignore_ascii_case(needed)) {
                let detail = format!("the part needs the header `{needed}`");
                read.faults.push(Fault::new(at.clone(), "encoding", detail));
            }
        }
        let as_item = if is_list { property.items() } else { property };
        let form = media.xml.as_ref().map(|form| form.member(&part.name)).unwrap_or_default();
        let form = if is_list { form.items() } else { form };
        match value(&part, &as_item, &form) {
            Ok((schema, plain)) => {
                add(&mut judged, &part.name, schema, is_list);
                add(&mut received, &part.name, plain, is_list);
            }
            Err(detail) => {
                let text = String::from_utf8_lossy(part.data);
                read.faults.push(Fault::new(at, "encoding", detail).found(&text));
            }
        }
    }
    if let Value::Object(members) = super::form::read(media, &form, read) {
        for (name, value) in members {
            judged.insert(name.clone(), value.clone());
            received.insert(name, value);
        }
    }
    Ok((Value::Object(judged), Value::Object(received)))
}

/// The list of all parts, which have places in place of names.
fn in_order(parts: &[Part<'_>], item: &View<'_>, read: &mut Read) -> Result<(Value, Value), String> {
    let (mut judged, mut received) = (Vec::new(), Vec::new());
    for (index, part) in parts.iter().enumerate() {
        match value(part, item, &XmlForm::default()) {
            Ok((schema, plain)) => {
                judged.push(schema);
                received.push(plain);
            }
            Err(detail) => {
                let at = opentool_text::pointer::join(super::BASE, &index.to_string());
                read.faults
                    .push(Fault::new(at, "encoding", detail).found(&String::from_utf8_lossy(part.data)));
            }
        }
    }
    Ok((judged.into(), received.into()))
}

/// The properties that are written by a style, and those that are not.
struct Styled<'m> {
    styled: Vec<&'m str>,
    others: Vec<&'m str>,
}

/// The properties of a body that are written by a style, if there are any.
fn styled<'m>(media: &'m WantedMedia, view: &View<'m>) -> Option<Styled<'m>> {
    let encoding = media.encoding.as_object()?;
    let by_style = |name: &str| encoding.get(name).is_some_and(super::form::is_by_style);
    let styled: Vec<&str> = encoding.keys().map(String::as_str).filter(|name| by_style(name)).collect();
    let others = view.names().filter(|name| !by_style(name)).collect();
    (!styled.is_empty()).then_some(Styled { styled, others })
}

impl Styled<'_> {
    /// A part of a styled property as the pair of a form, which has the same styles.
    fn pair(&self, part: &Part<'_>) -> Option<String> {
        let base = part.name.split('[').next().unwrap_or_default();
        let is_own = self.styled.contains(&base) || !self.others.contains(&part.name.as_str());
        let text = std::str::from_utf8(part.data).ok().filter(|_| is_own && part.filename.is_none())?;
        let coded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        // Commas separate where they are raw.
        Some(format!("{}={}&", coded(&part.name), coded(text).replace("%2C", ",")))
    }
}

fn add(object: &mut Map<String, Value>, name: &str, value: Value, is_list: bool) {
    // A list may also come as one part of JSON.
    let is_whole = value.is_array();
    match object.get_mut(name) {
        Some(Value::Array(items)) => items.push(value),
        Some(first) => *first = Value::Array(vec![first.take(), value]),
        None if is_list && !is_whole => {
            object.insert(name.to_owned(), Value::Array(vec![value]));
        }
        None => {
            object.insert(name.to_owned(), value);
        }
    }
}

/// What a part says: as its schema describes it, where bytes are a string, and as it came.
fn value(part: &Part<'_>, view: &View<'_>, form: &XmlForm) -> Result<(Value, Value), String> {
    let content_type = part.content_type.as_deref().unwrap_or("text/plain");
    if is_json(content_type) && part.filename.is_none() {
        let value: Value =
            serde_json::from_slice(part.data).map_err(|error| format!("expected JSON: {error}"))?;
        return Ok((value.clone(), value));
    }
    let is_file = part.filename.is_some() || view.is_bytes();
    match std::str::from_utf8(part.data) {
        Ok(text) if !is_file => {
            if MediaKind::of(content_type) == MediaKind::Xml
                && let Some(value) = super::xml::part(form, view, text)?
            {
                return Ok((value.clone(), value));
            }
            let value = view.scalar(text);
            Ok((value.clone(), value))
        }
        decoded => {
            let mut file = json!({"$base64": STANDARD.encode(part.data)});
            if let Value::Object(members) = &mut file {
                members
                    .extend(part.filename.clone().map(|name| ("filename".to_owned(), Value::String(name))));
                let content_type = part.content_type.clone();
                members.extend(content_type.map(|name| ("contentType".to_owned(), Value::String(name))));
            }
            Ok((Value::String(decoded.unwrap_or_default().to_owned()), file))
        }
    }
}

/// The parts between the boundaries.
fn parts<'b>(body: &'b [u8], boundary: &str) -> Result<Vec<Part<'b>>, String> {
    let delimiter = format!("--{boundary}");
    let mut rest = match find(body, delimiter.as_bytes()) {
        Some(at) => body.get(at.saturating_add(delimiter.len())..).unwrap_or_default(),
        None => return Err("the boundary does not stand in the body".to_owned()),
    };
    let delimiter = format!("\r\n--{boundary}");
    let mut parts = Vec::new();
    loop {
        if rest.starts_with(b"--") {
            return Ok(parts);
        }
        let line = find(rest, b"\r\n").ok_or("a boundary has no line end")?;
        rest = rest.get(line.saturating_add(2)..).unwrap_or_default();
        let end = find(rest, delimiter.as_bytes()).ok_or("the last part has no end")?;
        let whole = rest.get(..end).unwrap_or_default();
        parts.push(part(whole)?);
        rest = rest.get(end.saturating_add(delimiter.len())..).unwrap_or_default();
    }
}

fn part(whole: &[u8]) -> Result<Part<'_>, String> {
    // A part may have no headers at all.
    let (head, data) = match whole.strip_prefix(b"\r\n") {
        Some(data) => (&[][..], data),
        None => {
            let end = find(whole, b"\r\n\r\n").ok_or("a part has no empty line after its headers")?;
            let (head, data) = whole.split_at_checked(end).unwrap_or_default();
            (head, data.get(4..).unwrap_or_default())
        }
    };
    let head = std::str::from_utf8(head).map_err(|_| "the headers of a part are not UTF-8")?;
    let header = |wanted: &str| {
        head.split("\r\n").find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.trim().eq_ignore_ascii_case(wanted).then(|| value.trim())
        })
    };
    let disposition = header("content-disposition").unwrap_or_default();
    Ok(Part {
        name: parameter(disposition, "name").unwrap_or_default(),
        filename: parameter(disposition, "filename"),
        content_type: header("content-type").map(str::to_owned),
        headers: head
            .split("\r\n")
            .filter_map(|line| Some(line.split_once(':')?.0.trim().to_ascii_lowercase()))
            .collect(),
        data,
    })
}

/// A parameter of a header value, quoted or not. Browsers escape a quote as `%22`.
fn parameter(value: &str, wanted: &str) -> Option<String> {
    let mut rest = value.split_once(';')?.1;
    loop {
        let (name, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let (text, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').map(|(text, next)| (text, next.trim_start()))?,
            None => {
                let end = after.find(';').unwrap_or(after.len());
                after.split_at_checked(end)?
            }
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            let text = text.trim();
            return Some(text.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"));
        }
        rest = next.strip_prefix(';')?;
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len().max(1)).position(|window| window == wanted)
}
