//! The body of a request.

use std::borrow::Cow;

use bytes::Bytes;
use opentool_core::Problem;
use opentool_http::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::media::{self, MediaKind};
use super::problems::{Problems, pointer};
use super::value::{kind, text};
use super::{file, form, multipart};
use crate::plan::{Body, BodyArguments, Media, XmlForm, essence};
use crate::xml;

/// The body that is sent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RequestBody {
    /// None at all.
    None,
    /// A JSON value.
    Json(Value),
    /// Text as it is.
    Text(String),
    /// `name=value` pairs, encoded.
    Form(String),
    /// Parts.
    Multipart {
        /// What stands between them; occurs in none of them.
        boundary: String,
        /// The parts in order.
        parts: Vec<Part>,
    },
    /// Bytes as they are.
    Bytes(Bytes),
}

impl RequestBody {
    /// The same with its texts changed; bytes that are text are one.
    pub(super) fn map_texts(&self, change: &impl Fn(&str) -> String) -> Self {
        let bytes = |bytes: &Bytes| match std::str::from_utf8(bytes) {
            Ok(text) => change(text).into(),
            Err(_) => bytes.clone(),
        };
        match self {
            Self::None => Self::None,
            Self::Json(value) => Self::Json(map_strings(value, change)),
            Self::Text(text) => Self::Text(change(text)),
            Self::Form(text) => Self::Form(change(text)),
            Self::Bytes(own) => Self::Bytes(bytes(own)),
            Self::Multipart { boundary, parts } => {
                let changed = |part: &Part| {
                    let body = match &part.body {
                        PartBody::Text(text) => PartBody::Text(change(text)),
                        PartBody::Json(value) => PartBody::Json(map_strings(value, change)),
                        PartBody::Bytes(own) => PartBody::Bytes(bytes(own)),
                    };
                    Part { body, ..part.clone() }
                };
                Self::Multipart { boundary: boundary.clone(), parts: parts.iter().map(changed).collect() }
            }
        }
    }
}

fn map_strings(value: &Value, change: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(text)),
        Value::Array(items) => items.iter().map(|item| map_strings(item, change)).collect(),
        Value::Object(members) => {
            let changed = |(name, value): (&String, &Value)| (name.clone(), map_strings(value, change));
            Value::Object(members.iter().map(changed).collect())
        }
        other => other.clone(),
    }
}

/// One part of a multipart body.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Part {
    /// The name of the field; empty where parts have places in place of names.
    pub name: String,
    /// The name of the file, where it is one.
    pub filename: Option<String>,
    /// The media type.
    pub content_type: String,
    /// Its other headers.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// What it holds.
    pub body: PartBody,
}

/// What a part holds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PartBody {
    /// Text.
    Text(String),
    /// A JSON value.
    Json(Value),
    /// Bytes.
    Bytes(Bytes),
}

impl RequestBody {
    /// The bytes that are sent.
    pub fn to_bytes(&self) -> Bytes {
        match self {
            Self::None => Bytes::new(),
            Self::Json(value) => value.to_string().into(),
            Self::Text(text) | Self::Form(text) => text.clone().into(),
            Self::Multipart { boundary, parts } => multipart::write(boundary, parts).into(),
            Self::Bytes(bytes) => bytes.clone(),
        }
    }
}

/// Where a body stands among the arguments, for pointers.
pub(super) struct Site<'a>(&'a Body);

impl Site<'_> {
    /// The pointer of a member of the body.
    pub(super) fn pointer(&self, member: Option<&str>) -> String {
        match &self.0.arguments {
            BodyArguments::Whole(name) => pointer([name.as_str()].into_iter().chain(member)),
            BodyArguments::Properties(_) => pointer(member),
        }
    }
}

/// The body, and its `Content-Type`.
pub(super) fn build(
    body: &Body,
    value: Option<Cow<'_, Value>>,
    wanted: Option<&str>,
    problems: &mut Problems,
) -> (RequestBody, Option<String>) {
    let site = Site(body);
    let Some(value) = value else {
        if body.required {
            problems.add(
                Problem::new(site.pointer(None), "required").expected("expected a value: it is the body"),
            );
        }
        return (RequestBody::None, None);
    };
    let chosen = match wanted.map(|wanted| body.choose(wanted)) {
        Some(None) => {
            let names: Vec<&str> = body.media.iter().map(|media| media.media_type.as_str()).collect();
            let expected = format!("expected a media type of the document: {}", names.join(", "));
            problems.add(Problem::new("/Content-Type", "media-type").expected(expected));
            return (RequestBody::None, None);
        }
        Some(chosen) => chosen,
        None => None,
    };
    let Some(media) = chosen.as_ref().or_else(|| body.preferred()) else {
        // A body without a media type in the document: what nearly every service reads.
        return (RequestBody::Json(value.into_owned()), Some("application/json".to_owned()));
    };
    let declared = media.media_type.trim();
    let body_kind = MediaKind::of_schema(declared, &media.schema);
    if body_kind == MediaKind::Json {
        let media_type = if declared.contains('*') { "application/json" } else { declared };
        return (RequestBody::Json(value.into_owned()), Some(media_type.to_owned()));
    }
    let value = &*value;
    match body_kind {
        MediaKind::JsonLines => (RequestBody::Text(lines(declared, value)), Some(declared.to_owned())),
        MediaKind::Form => {
            let form = object(value, &site, problems).map(|members| form::write(media, members));
            let form = form.unwrap_or_else(|| Ok(String::new())).unwrap_or_else(|(name, unwritable)| {
                problems.add(not_xml(site.pointer(Some(name)), &unwritable));
                String::new()
            });
            (RequestBody::Form(form), Some(declared.to_owned()))
        }
        MediaKind::Multipart => {
            let parts = match value {
                Value::Array(items) if essence(declared) != "multipart/form-data" => {
                    multipart::in_order(media, items, &site, problems)
                }
                value => object(value, &site, problems)
                    .map(|members| multipart::parts(media, members, &site, problems))
                    .unwrap_or_default(),
            };
            let boundary = multipart::boundary(&parts);
            let media_type = format!("{}; boundary={boundary}", essence(declared));
            (RequestBody::Multipart { boundary, parts }, Some(media_type))
        }
        MediaKind::Xml if is_structured(value, &media.schema) => xml(media, value, &site, problems),
        kind => plain(kind, media, value, &site, problems),
    }
}

/// A form's value must be an object.
fn object<'a>(value: &'a Value, site: &Site<'_>, problems: &mut Problems) -> Option<&'a Map<String, Value>> {
    if let Value::Object(members) = value {
        return Some(members);
    }
    problems.add(
        Problem::new(site.pointer(None), "type")
            .expected("expected an object: it is a form")
            .found(kind(value)),
    );
    None
}

/// Whether a value is written as XML by the document's rules. A text that may be one is XML already.
pub(super) fn is_structured(value: &Value, schema: &Value) -> bool {
    let is_text = schema.get("type").is_none_or(|name| name == "string");
    match value {
        Value::Object(members) => !members.contains_key("$base64"),
        Value::String(_) | Value::Null => false,
        _ => !is_text || value.is_array(),
    }
}

/// The body as XML, written by the `xml` objects of its schema.
fn xml(
    media: &Media,
    value: &Value,
    site: &Site<'_>,
    problems: &mut Problems,
) -> (RequestBody, Option<String>) {
    let undescribed = XmlForm::default();
    match xml::write(media.xml.as_ref().unwrap_or(&undescribed), value) {
        Ok(text) => {
            (RequestBody::Text(text), Some(concrete(media.media_type.trim(), None, "application/xml")))
        }
        Err(unwritable) => {
            problems.add(not_xml(site.pointer(None), &unwritable));
            (RequestBody::None, None)
        }
    }
}

/// What is to be said of a value that cannot be XML.
pub(super) fn not_xml(at: String, unwritable: &xml::Unwritable) -> Problem {
    let at = at + &pointer(unwritable.path.iter().map(String::as_str));
    Problem::new(at, "xml").expected(unwritable.expected)
}

/// A value of a form or a part as XML, where its media type is that and the value is no text already.
pub(super) fn part_as_xml(
    media: &Media,
    (name, index): (&str, Option<usize>),
    value: &Value,
    schema: &Value,
    media_type: &str,
) -> Option<Result<String, xml::Unwritable>> {
    let is_xml = MediaKind::of(media_type) == MediaKind::Xml && is_structured(value, schema);
    is_xml.then(|| {
        let whole = media.xml.as_ref().map(|form| form.member(name)).unwrap_or_default();
        let form = if index.is_some() { whole.items() } else { whole };
        xml::write_named(&form, name, value)
    })
}

/// One value a line; `json-seq` puts a record separator before each.
fn lines(media_type: &str, value: &Value) -> String {
    let before = if essence(media_type) == "application/json-seq" { "\u{1e}" } else { "" };
    let single = std::slice::from_ref(value);
    let items = value.as_array().map_or(single, Vec::as_slice);
    items.iter().map(|item| format!("{before}{item}\n")).collect()
}

/// Text, XML as text, and bytes.
fn plain(
    body_kind: MediaKind,
    media: &Media,
    value: &Value,
    site: &Site<'_>,
    problems: &mut Problems,
) -> (RequestBody, Option<String>) {
    let declared = media.media_type.trim();
    let binary = serde_json::json!({"format": "binary"});
    let schema = if body_kind == MediaKind::Binary { &binary } else { &media.schema };
    let given = match file::read(value, schema) {
        Some(Ok(file)) => file,
        Some(Err(expected)) => {
            problems.add(Problem::new(site.pointer(None), "contentEncoding").expected(expected));
            return (RequestBody::None, None);
        }
        None => {
            let scalar = !matches!(value, Value::Object(_) | Value::Array(_));
            if let Some(text) = text(value, &media.schema).filter(|_| scalar) {
                let fallback =
                    if body_kind == MediaKind::Binary { "application/octet-stream" } else { "text/plain" };
                return (RequestBody::Text(text.into_owned()), Some(concrete(declared, None, fallback)));
            }
            if !scalar && media.is_json_in_disguise() {
                let media_type = match media.is_no_object() {
                    true => "application/json".to_owned(),
                    false => concrete(declared, None, "application/json"),
                };
                return (RequestBody::Json(value.clone()), Some(media_type));
            }
            let expected = match body_kind {
                MediaKind::Binary => {
                    "expected {\"$base64\": \"…\"}, or a string: the body is bytes".to_owned()
                }
                _ => format!("expected a string: the body is {declared}, and is sent as it is written"),
            };
            problems.add(Problem::new(site.pointer(None), "type").expected(expected).found(kind(value)));
            return (RequestBody::None, None);
        }
    };
    if let Some(expected) = misfit(declared, given.media_type.as_deref()) {
        problems.add(Problem::new(site.pointer(None), "contentType").expected(expected));
        return (RequestBody::None, None);
    }
    let media_type = concrete(declared, given.media_type.as_deref(), "application/octet-stream");
    // A string that is no data URI is the text that it is, only that nobody may change it.
    match value {
        Value::String(text) if given.media_type.is_none() => {
            (RequestBody::Text(text.clone()), Some(media_type))
        }
        _ => (RequestBody::Bytes(given.data), Some(media_type)),
    }
}

/// What is expected in place of what a file says about itself, where the document has nothing but ranges (`image/*`) that do
/// not hold it: no media type could then be said of it that is true and allowed.
pub(super) fn misfit(declared: &str, given: Option<&str>) -> Option<String> {
    let only_ranges =
        !declared.is_empty() && !declared.split(',').any(|choice| media::is_concrete(choice.trim()));
    let given = given.filter(|given| only_ranges && !is_within(declared, given))?;
    let given: String = given.chars().take(60).collect();
    Some(format!("expected a `contentType` of {declared}; it is {given}"))
}

/// Whether a media type is one of a list, in which ranges stand for many.
fn is_within(declared: &str, given: &str) -> bool {
    let given = essence(given);
    declared.split(',').map(essence).any(|choice| {
        choice == given
            || choice == "*/*"
            || choice.strip_suffix('*').is_some_and(|prefix| given.starts_with(prefix))
    })
}

/// One media type out of `declared`, which may be a range (`image/*`), and what the value says about itself.
pub(super) fn concrete(declared: &str, given: Option<&str>, fallback: &str) -> String {
    let given = given.filter(|given| is_within(declared, given));
    let named =
        given.or_else(|| declared.split(',').map(str::trim).find(|choice| media::is_concrete(choice)));
    named.unwrap_or(fallback).to_owned()
}
