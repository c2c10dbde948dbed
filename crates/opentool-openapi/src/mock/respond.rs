//! Answers: which of the document's responses, in which media type, with which example.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use opentool_schema::Examples;
use opentool_text::pointer;
use serde_json::{Map, Value};

use super::contract::{Contract, xml_form};
use super::made::Made;
use super::prefer::{APPLIED, Prefer};
use super::{Fault, accept, check, schema};
use crate::Api;
use crate::document::Document;
use crate::plan::essence;
use crate::request::media::MediaKind;
use crate::schema::Direction;
use crate::version::Version;

/// What an answer says about the connection is not the document's to say.
const FRAMING: [&str; 8] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "keep-alive",
    "transfer-encoding",
    "trailer",
    "upgrade",
];

/// How many examples are made in search of one that fits.
const MOST_TRIES: u64 = 8;

/// A picture of one point.
const PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0,
    0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 13, b'I', b'D', b'A', b'T', 0x78, 0x9c, 0x63, 0xf8,
    0xcf, 0xc0, 0xf0, 0x1f, 0, 5, 0, 1, 0xff, 0x56, 0xc7, 0x2f, 0x0d, 0, 0, 0, 0, b'I', b'E', b'N', b'D',
    0xae, 0x42, 0x60, 0x82,
];

/// The answer to a request that is as the document asks, and what is wrong with the answer itself.
pub(super) fn respond(
    api: &Api,
    contract: &Contract,
    headers: &HeaderMap,
    seed: u64,
    own_faults: &mut Vec<Fault>,
) -> Response<Bytes> {
    let (document, operation) = (api.document(), &contract.operation);
    let place = document.place(operation.document.as_deref(), &operation.pointer);
    let prefer = Prefer::read(headers);
    let seed = prefer.seed.unwrap_or(seed);
    let at = pointer::join(&place, "responses");
    let responses = document.at(&at).and_then(Value::as_object);
    let there_are = || {
        let keys: Vec<&str> = responses.into_iter().flat_map(Map::keys).map(String::as_str).collect();
        if keys.is_empty() {
            "it describes none".to_owned()
        } else {
            format!("it describes {}", keys.join(", "))
        }
    };
    if let Some(wrong) = &prefer.wrong {
        let detail = format!("{wrong}; of statuses of the document {}", there_are());
        return check::failed(StatusCode::BAD_REQUEST, "Not understood", &detail, &[]);
    }
    let Some((status, key)) = choose(responses, prefer.code) else {
        return match prefer.code.and_then(|code| StatusCode::from_u16(code).ok()) {
            Some(code) => {
                let detail = format!(
                    "`Prefer: code={}` was asked for; the document does not describe it: {}",
                    code.as_u16(),
                    there_are()
                );
                check::failed(code, "Not described", &detail, &[])
            }
            None => Response::new(Bytes::new()),
        };
    };
    let at = pointer::join(&at, key);
    let found = responses.and_then(|responses| responses.get(key)).map(|value| document.follow(value, &at));
    let Some(Ok(found)) = found else { return status_only(status) };
    let answering = Answering { document, seed, example: prefer.example.as_deref() };
    let content = match document.version_at(&found.pointer) {
        Version::V2 => answering.swagger(&place, found.value, &found.pointer),
        _ => answering.content(found.value, &found.pointer),
    };
    let mut response = status_only(status);
    if let Some(wanted) = prefer.example.as_deref().filter(|_| content.is_empty()) {
        return no_example(wanted, &[]);
    }
    if !content.is_empty() && status != StatusCode::NO_CONTENT && status != StatusCode::NOT_MODIFIED {
        let offered: Vec<&str> = content.iter().map(|media| media.media_type.as_str()).collect();
        let wanted = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
        let Some(media) = accept::choose(wanted, &offered).and_then(|index| content.get(index)) else {
            let detail = format!("the document answers with {}", offered.join(" or "));
            return check::failed(StatusCode::NOT_ACCEPTABLE, "Not acceptable", &detail, &[]);
        };
        let names = media.names();
        if let Some(wanted) = prefer.example.as_deref().filter(|wanted| !names.contains(wanted)) {
            return no_example(wanted, &names);
        }
        let key = (media.place.clone(), media.media_type.clone(), seed, prefer.example.clone());
        let made = contract.made.get(key, || answering.value(media));
        own_faults.extend(made.faults.iter().cloned());
        let (media_type, body) = answering.body(media, &made.value);
        *response.body_mut() = body;
        if let Ok(media_type) = HeaderValue::from_str(&media_type) {
            response.headers_mut().insert(CONTENT_TYPE, media_type);
        }
    }
    answering.headers(found.value, &found.pointer, response.headers_mut());
    let applied = [
        prefer.code.map(|code| format!("code={code}")),
        prefer.example.as_ref().map(|name| format!("example=\"{name}\"")),
        prefer.seed.map(|seed| format!("seed={seed}")),
    ];
    let applied: Vec<String> = applied.into_iter().flatten().collect();
    if let (false, Ok(applied)) = (applied.is_empty(), HeaderValue::from_str(&applied.join(", "))) {
        response.headers_mut().insert(APPLIED, applied);
    }
    response
}

/// The refusal of an example that there is not.
fn no_example(wanted: &str, names: &[&str]) -> Response<Bytes> {
    let wanted: String = wanted.chars().take(40).collect();
    let names = if names.is_empty() { "no examples with names".to_owned() } else { names.join(", ") };
    let detail = format!("`Prefer: example={wanted}` names no example of this answer, which has {names}");
    check::failed(StatusCode::BAD_REQUEST, "No such example", &detail, &[])
}

fn status_only(status: StatusCode) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = status;
    response
}

/// The status of the answer, and the key of its response: the one that is asked for, else the lowest success.
fn choose(responses: Option<&Map<String, Value>>, code: Option<u16>) -> Option<(StatusCode, &str)> {
    let keys = || responses.into_iter().flat_map(Map::keys).map(String::as_str);
    let range = |digit: char| {
        keys()
            .find(|key| key.len() == 3 && key.starts_with(digit) && key.to_ascii_lowercase().ends_with("xx"))
    };
    let default = || keys().find(|key| *key == "default");
    if let Some(code) = code {
        let exact = code.to_string();
        let digit = exact.chars().next().unwrap_or('2');
        let key = keys().find(|key| *key == exact).or_else(|| range(digit)).or_else(default)?;
        return Some((StatusCode::from_u16(code).ok()?, key));
    }
    let exact = |digit: char| {
        keys().filter(|key| key.len() == 3 && key.starts_with(digit) && key.parse::<u16>().is_ok()).min()
    };
    let of = |key: &str, or: u16| StatusCode::from_u16(key.parse().unwrap_or(or)).unwrap_or_default();
    let success = exact('2').or_else(|| range('2')).map(|key| (of(key, 200), key));
    success
        .or_else(|| default().map(|key| (StatusCode::OK, key)))
        // A status without a success is what the operation is for: a redirect, or that it is gone.
        .or_else(|| {
            ['3', '4', '5'].into_iter().find_map(|digit| {
                let or = digit.to_digit(10).unwrap_or(5).saturating_mul(100);
                let key = exact(digit).or_else(|| range(digit))?;
                Some((of(key, u16::try_from(or).unwrap_or(500)), key))
            })
        })
}

/// One way to answer.
struct Media<'d> {
    media_type: String,
    /// The media type object, or the response itself in Swagger 2.0.
    value: &'d Value,
    place: String,
    /// The example that stands elsewhere.
    example: Option<&'d Value>,
}

impl<'d> Media<'d> {
    /// The names of its examples.
    fn names(&self) -> Vec<&'d str> {
        let named = self.value.get("examples").and_then(Value::as_object).filter(|_| self.example.is_none());
        named.into_iter().flat_map(Map::keys).map(String::as_str).collect()
    }
}

struct Answering<'d> {
    document: &'d Document,
    seed: u64,
    example: Option<&'d str>,
}

impl<'d> Answering<'d> {
    fn content(&self, response: &'d Value, at: &str) -> Vec<Media<'d>> {
        let at = pointer::join(at, "content");
        let content = response.get("content").and_then(Value::as_object).into_iter().flatten();
        content
            .filter(|(media_type, _)| media_type.contains('/'))
            .map(|(media_type, value)| {
                let place = pointer::join(&at, media_type);
                let (value, place) = match self.document.follow(value, &place) {
                    Ok(found) => (found.value, found.pointer.into_owned()),
                    Err(_) => (value, place),
                };
                Media { media_type: media_type.clone(), value, place, example: None }
            })
            .collect()
    }

    /// Swagger 2.0 has the media types beside the operation, and one schema.
    fn swagger(&self, operation: &str, response: &'d Value, at: &str) -> Vec<Media<'d>> {
        if response.get("schema").is_none() && response.get("examples").is_none() {
            return Vec::new();
        }
        let own = self.document.at(&pointer::join(operation, "produces"));
        let produces = own.or_else(|| self.document.root().get("produces")).and_then(Value::as_array);
        let mut types: Vec<&str> = produces.into_iter().flatten().filter_map(Value::as_str).collect();
        let examples = response.get("examples").and_then(Value::as_object);
        if types.is_empty() {
            types.extend(examples.into_iter().flat_map(Map::keys).map(String::as_str));
        }
        if types.is_empty() {
            types.push("application/json");
        }
        let media = |media_type: &str| Media {
            media_type: media_type.to_owned(),
            value: response,
            place: at.to_owned(),
            example: examples.and_then(|examples| examples.get(media_type)),
        };
        types.into_iter().filter(|media_type| media_type.contains('/')).map(media).collect()
    }

    /// The example of a media type: the one that is asked for; else the document's own, or one that is made, the first that
    /// fits the schema of the answer.
    fn value(&self, media: &Media<'_>) -> Made {
        let named =
            media.value.get("examples").and_then(Value::as_object).filter(|_| media.example.is_none());
        let value_of = |name: &str, example: &Value| {
            let at = pointer::join(&pointer::join(&media.place, "examples"), name);
            let found = self.document.follow(example, &at).ok()?;
            let value = found.value.get("value").or_else(|| found.value.get("dataValue"))?;
            self.data(value, &found.pointer)
        };
        let schema = self.schema(media);
        if let Some(wanted) = self.example
            && let Some(value) = named.and_then(|named| value_of(wanted, named.get(wanted)?))
        {
            return Made::first_that_fits(schema, [value]);
        }
        let own = media.example.or_else(|| media.value.get("example"));
        let own = own.and_then(|own| self.data(own, &media.place));
        let all = named.into_iter().flatten().filter_map(|(name, example)| value_of(name, example));
        let declared = own.into_iter().chain(all).filter(|_| self.seed == 0);
        // What schemas name themselves may be what does not fit.
        let bare = std::cell::LazyCell::new(|| schema.as_ref().map(schema::without_examples));
        let examples = |turn: u64| {
            let schema = if turn == 0 { schema.as_ref() } else { bare.as_ref() };
            schema.map(|schema| Examples::new().seed(self.seed.wrapping_add(turn / 2)).value(schema))
        };
        let made = (0..MOST_TRIES).map_while(examples);
        let values: Box<dyn Iterator<Item = Value>> = Box::new(declared.chain(made));
        Made::first_that_fits(schema.clone(), values)
    }

    /// The schema of a media type.
    fn schema(&self, media: &Media<'_>) -> Option<Value> {
        let converted = |member: &str| {
            let schema = media.value.get(member)?;
            let place = pointer::join(&media.place, member);
            Some(schema::convert(self.document, schema, &place, Direction::Output))
        };
        converted("schema").or_else(|| converted("itemSchema").map(schema::sequence))
    }

    /// A value of the document, where a reference stands for it too: to a value, or to one of the examples that have names.
    /// `None` where references stand within it, as nobody would send them.
    fn data(&self, value: &Value, at: &str) -> Option<Value> {
        let found = self.document.follow(value, at).ok()?;
        let is_named =
            found.pointer.rsplit_once('/').is_some_and(|(holder, _)| holder.ends_with("/examples"));
        let value = found.value.get("value").filter(|_| is_named).unwrap_or(found.value);
        crate::schema::is_plain(value).then(|| value.clone())
    }

    /// The media type and the bytes of an answer.
    fn body(&self, media: &Media<'_>, value: &Value) -> (String, Bytes) {
        let first = media.media_type.split(',').next().unwrap_or_default().trim();
        let media_type = match essence(first).split_once('/') {
            Some(("*", _)) | Some(("application", "*")) => "application/json".to_owned(),
            Some(("image", "*")) => "image/png".to_owned(),
            Some((kind, "*")) => format!("{kind}/plain"),
            _ => first.to_owned(),
        };
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let items = || value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        let body: Bytes = match MediaKind::of(&media_type) {
            MediaKind::Json => value.to_string().into(),
            MediaKind::JsonLines => items().iter().map(|item| format!("{item}\n")).collect::<String>().into(),
            MediaKind::Xml if !value.is_string() => {
                let form = xml_form(self.document, &pointer::join(&media.place, "schema"));
                crate::xml::write(&form, value).unwrap_or_else(|_| "<root/>".to_owned()).into()
            }
            MediaKind::Text if essence(&media_type) == "text/event-stream" => {
                items().iter().map(|item| format!("data: {}\n\n", text(item))).collect::<String>().into()
            }
            MediaKind::Binary if essence(&media_type) == "image/png" => Bytes::from_static(PNG),
            _ => text(value).into(),
        };
        (media_type, body)
    }

    /// The headers that the response has, with examples.
    fn headers(&self, response: &Value, at: &str, headers: &mut HeaderMap) {
        let at = pointer::join(at, "headers");
        for (name, value) in response.get("headers").and_then(Value::as_object).into_iter().flatten() {
            let place = pointer::join(&at, name);
            let (Ok(header), Ok(found)) =
                (HeaderName::from_bytes(name.as_bytes()), self.document.follow(value, &place))
            else {
                continue;
            };
            if FRAMING.contains(&header.as_str()) {
                continue;
            }
            let given = found.value.get("example").cloned();
            // Swagger 2.0 has the schema on the header itself.
            let (schema, place) = match found.value.get("schema") {
                Some(schema) => (schema, pointer::join(&found.pointer, "schema")),
                None => (found.value, found.pointer.to_string()),
            };
            let made = || {
                let schema = schema::convert(self.document, schema, &place, Direction::Output);
                Examples::new().seed(self.seed).named(name, &schema)
            };
            let text = |value: &Value| match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let text = match given.unwrap_or_else(made) {
                Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(","),
                value => text(&value),
            };
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.insert(header, value);
            }
        }
    }
}
