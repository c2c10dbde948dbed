//! The body that answers a call; every `data` and `error` event holds one, too.

use std::collections::HashMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::error_object::error_object;
use super::id::Id;

/// An answer, as it is sent: `result`, which the specification wants to be an object, and on failure the error beside
/// an empty one.
#[derive(Debug, Serialize)]
pub struct ResponseBody<'a, R> {
    jsonrpc: &'static str,
    result: R,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ErrorBody>,
    id: &'a Id,
}

impl<'a, R: Serialize> ResponseBody<'a, R> {
    /// A success.
    pub fn new(id: &'a Id, result: R) -> Self {
        Self { jsonrpc: "2.0", result, error: None, id }
    }
}

impl<'a> ResponseBody<'a, Map<String, Value>> {
    /// A failure.
    pub fn failed(id: &'a Id, error: &'a ErrorBody) -> Self {
        Self { jsonrpc: "2.0", result: Map::new(), error: Some(error), id }
    }
}

/// What went wrong with a call, in a number and in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorBody {
    /// 400, 405, 500, or a code of JSON-RPC.
    pub code: i64,
    /// In words; the model reads them.
    pub message: String,
}

impl ErrorBody {
    /// This code, in these words.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Reads what stands where an error is expected. It never fails: what is not the usual object is shown as it is,
    /// with the code 500, because saying less would hide a failure.
    pub fn read(value: &Value) -> Self {
        let code = value.get("code").and_then(code).unwrap_or(500);
        let message = match value.get("message").unwrap_or(value) {
            Value::String(message) => message.clone(),
            other => other.to_string(),
        };
        Self { code, message }
    }
}

/// A code as implementations write it: a whole number, now and then as a text.
pub(crate) fn code(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// An answer, as it was received.
#[derive(Debug)]
pub struct Reply<'a> {
    /// The text of the result; `None` where it is missing or `null`.
    pub result: Option<&'a str>,
    /// The error; `None` where it is missing or `null`, which means success.
    pub error: Option<ErrorBody>,
    /// The id.
    pub id: Id,
}

#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Value>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

impl Members<'_> {
    fn is_empty(&self) -> bool {
        self.result.is_none() && self.error.is_none() && self.id.is_none()
    }
}

/// Whether an object has a member of an answer, which may be null.
fn is_answer(text: &str) -> bool {
    let members: HashMap<String, IgnoredAny> = serde_json::from_str(text).unwrap_or_default();
    ["jsonrpc", "result", "error", "id"].iter().any(|name| members.contains_key(*name))
}

impl<'a> Reply<'a> {
    /// Reads a body: an object with one of the members of an answer, whatever it is set to; or an error by itself, which is
    /// one. Whether it says anything is for the caller to see.
    ///
    /// # Errors
    /// Why it is not an answer, in words.
    pub fn read(text: &'a str) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}').trim_ascii();
        if !text.starts_with('{') {
            return Err(match serde_json::from_str::<serde::de::IgnoredAny>(text) {
                Ok(_) => "it is not a JSON object".to_owned(),
                Err(error) => format!("it is not JSON: {error}"),
            });
        }
        let members: Members<'a> =
            serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
        if members.is_empty() && !is_answer(text) {
            let body: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
            let Some(error) = error_object(&body) else {
                return Err("it is an object without `result` and `error`".to_owned());
            };
            return Ok(Self { result: None, error: Some(error), id: Id::default() });
        }
        Ok(Self {
            result: members.result.map(RawValue::get),
            error: members.error.as_ref().map(ErrorBody::read),
            id: members.id.and_then(|id| Id::read(id.get())).unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ErrorBody, Reply, ResponseBody};
    use crate::wire::id::Id;

    #[test]
    fn answers_are_written_as_the_specification_says() {
        let id = Id::from("1");
        let text = serde_json::to_string(&ResponseBody::new(&id, json!({"sum": 3}))).unwrap();
        assert_eq!(text, r#"{"jsonrpc":"2.0","result":{"sum":3},"id":"1"}"#);
        let error = ErrorBody::new(405, "Function Not Supported: add");
        let text = serde_json::to_string(&ResponseBody::failed(&id, &error)).unwrap();
        assert_eq!(
            text,
            r#"{"jsonrpc":"2.0","result":{},"error":{"code":405,"message":"Function Not Supported: add"},"id":"1"}"#
        );
    }

    #[test]
    fn answers_of_all_implementations_are_read() {
        for (text, result, failed) in [
            (r#"{"jsonrpc":"2.0","result":{"a":1},"id":"1"}"#, Some(r#"{"a":1}"#), false),
            (r#"{"jsonrpc":"2.0.0","result":{"a":1},"error":null,"id":1}"#, Some(r#"{"a":1}"#), false),
            (r#"{"result":null,"error":null}"#, None, false),
            (r#"{"jsonrpc":"2.0"}"#, None, false),
            (r#"{"code":405,"message":"no"}"#, None, true),
            (r#"{"result":{},"error":{"code":500,"message":"x"},"id":null}"#, Some("{}"), true),
        ] {
            let reply = Reply::read(text).unwrap();
            assert_eq!((reply.result, reply.error.is_some()), (result, failed), "{text}");
        }
        for text in [
            "",
            "null",
            "[]",
            "[1,2,3]",
            "\"x\"",
            "{",
            "<html>",
            "{}",
            r#"{"a":1}"#,
            r#"{"code":200,"message":"sent"}"#,
        ] {
            assert!(Reply::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_error_of_any_form_is_an_error() {
        assert_eq!(ErrorBody::read(&json!({"code": 405, "message": "no"})), ErrorBody::new(405, "no"));
        assert_eq!(ErrorBody::read(&json!({"code": "405", "message": "no"})), ErrorBody::new(405, "no"));
        assert_eq!(ErrorBody::read(&json!("no")), ErrorBody::new(500, "no"));
        assert_eq!(ErrorBody::read(&json!({"why": 1})), ErrorBody::new(500, "{\"why\":1}"));
        assert_eq!(ErrorBody::read(&json!({"code": 1e99, "message": null})), ErrorBody::new(500, "null"));
    }
}
