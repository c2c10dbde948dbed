//! The body of `/call` and `/streamCall`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::id::Id;
use super::response::ErrorBody;

/// The body is not JSON, or not an object.
pub const PARSE_ERROR: i64 = -32700;
/// It is an object, but not a request.
pub const INVALID_REQUEST: i64 = -32600;
/// Its parameters are not an object.
pub const INVALID_PARAMS: i64 = -32602;

/// The longest piece of a request that an error repeats, in characters.
const SHOWN: usize = 60;

/// A call, as it is sent.
#[derive(Debug, Serialize)]
pub struct RequestBody<'a, P> {
    jsonrpc: &'static str,
    method: &'a str,
    params: P,
    id: &'a str,
}

impl<'a, P: Serialize> RequestBody<'a, P> {
    /// The call of a function. `params` must be written as an object.
    pub fn new(id: &'a str, method: &'a str, params: P) -> Self {
        Self { jsonrpc: "2.0", method, params, id }
    }
}

/// A call, as it was received.
#[derive(Debug)]
pub struct Request<'a> {
    /// The id, which the answer repeats.
    pub id: Id,
    /// The name of the function.
    pub method: Cow<'a, str>,
    /// The text of the arguments: a JSON object. `None` where there are none.
    pub params: Option<&'a str>,
}

/// Why a body is not a call: all that the answer needs. Its HTTP status is 400.
#[derive(Debug)]
pub struct Unreadable {
    /// The id, where it could be read.
    pub id: Id,
    /// What is wrong.
    pub error: ErrorBody,
}

impl Unreadable {
    fn new(id: Id, code: i64, message: impl Into<String>) -> Self {
        Self { id, error: ErrorBody::new(code, message) }
    }
}

#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

impl<'a> Request<'a> {
    /// Reads a body.
    ///
    /// Liberal where implementations differ: `jsonrpc` is `"2.0"`, `"2.0.0"` or missing, the id is a text, a number or
    /// missing, parameters are an object, `null` or missing. Members that are not known are skipped.
    ///
    /// # Errors
    /// What to answer, with status 400.
    pub fn read(body: &'a [u8]) -> Result<Self, Unreadable> {
        let text = std::str::from_utf8(body)
            .map_err(|error| parse_error(format!("the body is not UTF-8: {error}")))?;
        let text = text.trim_start_matches('\u{feff}').trim_ascii();
        if text.is_empty() {
            return Err(parse_error("the body is empty"));
        }
        if !text.starts_with('{') {
            return Err(match serde_json::from_str::<serde::de::IgnoredAny>(text) {
                Ok(_) => parse_error("the body is not a JSON object"),
                Err(error) => parse_error(format!("the body is not JSON: {error}")),
            });
        }
        let members: Members<'a> = serde_json::from_str(text).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => {
                Unreadable::new(Id::Absent, INVALID_REQUEST, format!("Invalid Request: {error}"))
            }
            _ => parse_error(format!("the body is not JSON: {error}")),
        })?;
        let id = match members.id.map(RawValue::get) {
            None => Id::Absent,
            Some(id) => Id::read(id)
                .ok_or_else(|| invalid(Id::Absent, &format!("`id` is a string, found {}", shown(id))))?,
        };
        if let Some(version) = members.jsonrpc.map(RawValue::get)
            && !matches!(version, "\"2.0\"" | "\"2.0.0\"")
        {
            return Err(invalid(id, &format!("`jsonrpc` is \"2.0\", found {}", shown(version))));
        }
        let method = match members.method.map(RawValue::get) {
            None => return Err(invalid(id, "`method`, the name of the function, is missing")),
            Some(method) => match text_of(method) {
                Some(method) => method,
                None => return Err(invalid(id, &format!("`method` is a string, found {}", shown(method)))),
            },
        };
        let params = members.params.map(RawValue::get);
        match params {
            Some(params) if !params.starts_with('{') => Err(Unreadable::new(
                id,
                INVALID_PARAMS,
                format!("Invalid params: `params` is an object of named arguments, found {}", shown(params)),
            )),
            params => Ok(Self { id, method, params }),
        }
    }
}

fn parse_error(what: impl std::fmt::Display) -> Unreadable {
    Unreadable::new(Id::Absent, PARSE_ERROR, format!("Parse error: {what}"))
}

fn invalid(id: Id, what: &str) -> Unreadable {
    Unreadable::new(id, INVALID_REQUEST, format!("Invalid Request: {what}"))
}

/// The string that a JSON text is, without a copy where it has no escapes.
fn text_of(json: &str) -> Option<Cow<'_, str>> {
    match serde_json::from_str::<&str>(json) {
        Ok(text) => Some(Cow::Borrowed(text)),
        Err(_) => serde_json::from_str::<String>(json).ok().map(Cow::Owned),
    }
}

/// A piece of the request, shortened.
fn shown(json: &str) -> String {
    match json.char_indices().nth(SHOWN) {
        None => json.to_owned(),
        Some((cut, _)) => format!("{}…", json.get(..cut).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Request, RequestBody};
    use crate::wire::id::Id;

    fn code(body: &[u8]) -> (i64, Id) {
        let unreadable = Request::read(body).unwrap_err();
        (unreadable.error.code, unreadable.id)
    }

    #[test]
    fn a_call_is_read_as_it_was_written() {
        let body = serde_json::to_vec(&RequestBody::new("7", "add", serde_json::json!({"a": 1}))).unwrap();
        assert_eq!(body, br#"{"jsonrpc":"2.0","method":"add","params":{"a":1},"id":"7"}"#);
        let request = Request::read(&body).unwrap();
        assert_eq!((request.id, &*request.method, request.params), (Id::from("7"), "add", Some("{\"a\":1}")));
    }

    #[test]
    fn what_other_clients_send_is_read() {
        for body in [
            r#"{"jsonrpc":"2.0.0","method":"n\u006fw","id":3}"#,
            r#"{"method":"now","id":3,"params":null,"trace":{}}"#,
            "\u{feff} {\"id\":3,\"method\":\"now\",\"jsonrpc\":\"2.0\"}\r\n",
        ] {
            let request = Request::read(body.as_bytes()).unwrap();
            assert_eq!((request.id.text().as_deref(), &*request.method), (Some("3"), "now"), "{body}");
            assert_eq!(request.params, None, "{body}");
        }
    }

    #[test]
    fn what_is_not_a_call_is_told_with_its_code_and_its_id() {
        for body in ["", "nonsense", "[]", "[\"2.0\",\"add\",{},\"1\"]", "null", "7", "{\"id\":", "\u{1}"] {
            assert_eq!(code(body.as_bytes()), (-32700, Id::Absent), "{body:?}");
        }
        assert_eq!(code(b"{\"method\":\"\xff\"}").0, -32700);
        for (body, id) in [
            (r#"{"id":"a"}"#, Id::from("a")),
            (r#"{"id":"a","method":null}"#, Id::from("a")),
            (r#"{"id":"a","method":7}"#, Id::from("a")),
            (r#"{"id":"a","method":"x","jsonrpc":"1.0"}"#, Id::from("a")),
            (r#"{"id":["a"],"method":"x"}"#, Id::Absent),
            (r#"{"id":"a","method":"x","method":"y"}"#, Id::Absent),
        ] {
            assert_eq!(code(body.as_bytes()), (-32600, id), "{body}");
        }
        assert_eq!(code(br#"{"id":"a","method":"x","params":[1]}"#), (-32602, Id::from("a")));
        assert_eq!(code(br#"{"id":"a","method":"x","params":"{}"}"#).0, -32602);
    }
}
