//! What is said of a text that is no message, over HTTP and over streams alike.
//!
//! The SDK says that it is not one, and nothing more. This looks at the text once more and names the fault, with the
//! id of the request wherever it can be made out, so that its client does not wait for ever.

use serde_json::{Value, json};

use crate::skim::{Skimmed, skim};

/// What holds one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// The body of an HTTP request.
    Body,
    /// A line of a stream.
    Line,
}

/// The answer to a text that is no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    code: i64,
    message: String,
    /// As JSON.
    id: Option<String>,
    /// Nobody waits for it.
    unanswered: bool,
}

impl Refusal {
    /// Why the text is no message.
    pub(crate) fn of(text: &[u8], carrier: Carrier) -> Self {
        let skimmed = skim(text);
        let (code, message) = fault(text, &skimmed, carrier);
        Self { code, message, id: skimmed.id, unanswered: skimmed.unanswered }
    }

    /// The text is longer than `most` bytes.
    pub(crate) fn too_long(skimmed: Skimmed, most: usize) -> Self {
        let message = format!("Invalid request: the message is longer than {most} bytes");
        Self { code: -32600, message, id: skimmed.id, unanswered: skimmed.unanswered }
    }

    /// Too much is under way.
    pub(crate) fn busy(skimmed: Skimmed) -> Self {
        let message = "The server is busy with other requests; try again later".to_owned();
        Self { code: -32000, message, id: skimmed.id, unanswered: skimmed.unanswered }
    }

    /// The refusal, if somebody waits for an answer.
    pub(crate) fn wanted(self) -> Option<Self> {
        if self.unanswered {
            tracing::debug!(reason = self.message, "a message that wants no answer is left out");
        }
        (!self.unanswered).then_some(self)
    }

    /// The message on the wire.
    pub(crate) fn to_json(&self) -> String {
        let error = json!({"code": self.code, "message": self.message});
        let id = self.id.as_deref().unwrap_or("null");
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
    }
}

/// The code and the words.
fn fault(text: &[u8], skimmed: &Skimmed, carrier: Carrier) -> (i64, String) {
    let (what, each) = match carrier {
        Carrier::Body => ("the body", "request"),
        Carrier::Line => ("the line", "line"),
    };
    let parse = |reason: String| (-32700, format!("Parse error: {what} {reason}"));
    let value: Value = match serde_json::from_slice(text) {
        Ok(value) => value,
        Err(_) if text.is_empty() => return parse("is empty".to_owned()),
        Err(_) if is_utf_16(text) => return parse("is UTF-16; JSON travels as UTF-8".to_owned()),
        Err(error) => {
            // serde_json has no kind for it.
            let more = error.to_string().starts_with("trailing characters");
            let hint = if more { format!("; send one message a {each}") } else { String::new() };
            return parse(format!("is not JSON: {error}{hint}"));
        }
    };
    let invalid = |reason: &str| (-32600, format!("Invalid request: {reason}"));
    let Value::Object(message) = value else {
        return match value {
            Value::Array(_) => invalid(&format!("batches are not supported; send one message a {each}")),
            _ => invalid(&format!("{what} is not a JSON-RPC 2.0 message, which is an object")),
        };
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid(&format!("{what} is not a JSON-RPC 2.0 message: `jsonrpc` has to be \"2.0\""));
    }
    if skimmed.ids > 1 {
        return invalid("the message has more than one `id`");
    }
    if message.get("id").is_some_and(|id| !id.is_string() && !id.is_i64()) {
        return invalid("`id` has to be a string or an integer of 64 bits");
    }
    let answer = message.contains_key("result") || message.contains_key("error");
    match message.get("method") {
        None if !answer => return invalid("`method` is missing"),
        Some(_) if answer => return invalid("the message is a request and an answer at once"),
        Some(method) if !method.is_string() => return invalid("`method` has to be a string"),
        _ => {}
    }
    if message.get("params").is_some_and(|params| !params.is_object() && !params.is_null()) {
        return (-32602, "Invalid params: `params` has to be an object".to_owned());
    }
    invalid(&format!("{what} is not a JSON-RPC 2.0 message"))
}

/// By its mark, or by the zero that each ASCII character has at its side.
fn is_utf_16(text: &[u8]) -> bool {
    matches!(text, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0, b'{' | b'[', ..] | [b'{' | b'[', 0, ..])
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Carrier, Refusal};

    #[test]
    fn the_fault_is_named_and_the_id_comes_back() {
        let cases: [(&[u8], i64, &str, Value); 13] = [
            (b"", -32700, "empty", json!(null)),
            (b"{bad", -32700, "not JSON", json!(null)),
            (b"\xff\xfe{\0}\0", -32700, "UTF-16", json!(null)),
            (br#"{"jsonrpc":"2.0","id":5,"method":"\ud800"}"#, -32700, "not JSON", json!(5)),
            (br#"{"id":1}{"id":2}"#, -32700, "one message a line", json!(null)),
            (br#"[{"id":1}]"#, -32600, "batches are not supported; send one message a line", json!(null)),
            (b"5", -32600, "an object", json!(null)),
            (br#"{"id":5,"method":"x"}"#, -32600, "`jsonrpc`", json!(5)),
            (br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}"#, -32600, "more than one `id`", json!(null)),
            (br#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#, -32600, "`id` has to be", json!(1.5)),
            (br#"{"jsonrpc":"2.0","id":7}"#, -32600, "`method` is missing", json!(7)),
            (br#"{"jsonrpc":"2.0","id":8,"method":7}"#, -32600, "`method` has to be", json!(8)),
            (br#"{"jsonrpc":"2.0","id":"a","method":"x","params":[]}"#, -32602, "`params`", json!("a")),
        ];
        for (text, code, words, id) in cases {
            let refusal = Refusal::of(text, Carrier::Line).wanted().expect("an answer");
            let answer: Value = serde_json::from_str(&refusal.to_json()).unwrap();
            assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{answer}");
            assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{answer}");
        }
    }

    #[test]
    fn notifications_get_no_answer() {
        let text = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#;
        assert_eq!(Refusal::of(text, Carrier::Line).wanted(), None);
    }
}
