//! Errors that come as results: `{"code": 405, "message": "Function Not Supported: add"}`.
//!
//! Tools of the existing SDKs return such an object where they should fail. A model must see it as a failure.

use serde_json::{Map, Value};

use super::response::{ErrorBody, code};

/// The error that a result is, if it is one: a code that stands for a failure (400 to 599 as in HTTP, or -32000 and
/// below as in JSON-RPC), a message, and nothing else but an id or data.
///
/// `{"code": 200, "message": "sent"}` is a result, and so is an object that says more.
pub fn error_object(result: &Map<String, Value>) -> Option<ErrorBody> {
    let code = result.get("code").and_then(code)?;
    let failure = matches!(code, 400..=599 | -32768..=-32000);
    let message = result.get("message")?.as_str()?;
    let nothing_else = result.keys().all(|name| matches!(name.as_str(), "code" | "message" | "id" | "data"));
    (failure && nothing_else).then(|| ErrorBody::new(code, message))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::error_object;

    #[test]
    fn only_what_says_that_it_failed_is_an_error() {
        for (value, failed) in [
            (json!({"code": 405, "message": "no"}), true),
            (json!({"code": "500", "message": "no", "id": 3}), true),
            (json!({"code": -32601, "message": "no"}), true),
            (json!({"code": 200, "message": "sent"}), false),
            (json!({"code": 0, "message": "ok"}), false),
            (json!({"code": 405}), false),
            (json!({"message": "no"}), false),
            (json!({"code": 404, "message": 7}), false),
            (json!({"code": 404, "message": "Berlin", "country": "DE"}), false),
            (json!({}), false),
        ] {
            let value = value.as_object().cloned().unwrap();
            assert_eq!(error_object(&value).is_some(), failed, "{value:?}");
        }
    }
}
