//! Why a text or value is no answer of a provider.

use serde_json::Value;

use super::MessageFormat;
use crate::text::{found, shorten};

/// The longest text of a provider that is repeated, in characters.
const SHOWN: usize = 500;

/// Why no calls can be read, by what the caller can do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// The text is not JSON, and the format is.
    #[error("expected JSON, but at line {line}, column {column}: {reason}")]
    NotJson {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong there.
        reason: Box<str>,
    },
    /// The text is a stream of events, which must be put together first.
    #[error(
        "this is a stream of pieces; ask for the answer as a whole (`\"stream\": false`), or put the pieces together"
    )]
    Stream,
    /// It is JSON, but no answer in this format.
    #[error("this is no answer in the format `{format}`: {message}")]
    Unexpected {
        /// The format that was expected.
        format: MessageFormat,
        /// What was expected, what was there, and which format it looks like.
        message: Box<str>,
    },
    /// The provider reports a failure; there is no answer.
    #[error("the provider reports an error: {message}")]
    Failure {
        /// Its text, shortened.
        message: Box<str>,
    },
    /// The value nests deeper than is read.
    #[error("the answer nests deeper than {levels} levels")]
    TooDeep {
        /// How many levels are read.
        levels: usize,
    },
}

impl MessageError {
    pub(super) fn unexpected(format: MessageFormat, expected: &str, value: &Value) -> Self {
        let mut message = format!("{expected}, found {}", found(value));
        if let Some(other) = looks_like(value).filter(|other| other.family() != format.family()) {
            message.push_str(&format!("; it looks like `{other}`"));
        }
        Self::Unexpected { format, message: message.into() }
    }
}

/// The value of a text that should be JSON.
pub(super) fn json(text: &str) -> Result<Value, MessageError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).map_err(|error| {
        let start = text.trim_start();
        if ["data:", "event:", ": "].iter().any(|mark| start.starts_with(mark)) {
            return MessageError::Stream;
        }
        if start.is_empty() {
            return MessageError::NotJson { line: 1, column: 1, reason: "there is nothing".into() };
        }
        // One object a line, as Ollama and others send.
        let first = start
            .lines()
            .next()
            .filter(|first| first.starts_with('{') && first.len() < start.trim_end().len());
        if first.is_some_and(|first| serde_json::from_str::<serde::de::IgnoredAny>(first).is_ok()) {
            return MessageError::Stream;
        }
        let told = error.to_string();
        let reason = told.rsplit_once(" at line ").map_or(told.as_str(), |(reason, _)| reason);
        MessageError::NotJson { line: error.line(), column: error.column(), reason: reason.into() }
    })
}

/// That the value is not the report of a failure: `{"error": …}` in all its forms.
pub(super) fn failure(value: &Value) -> Result<(), MessageError> {
    let Some(error) = value.get("error").filter(|error| !error.is_null()) else { return Ok(()) };
    let words = match error {
        Value::String(text) => Some(text.as_str()),
        error => ["message", "detail", "msg"].iter().find_map(|key| error.get(key)?.as_str()),
    };
    let message = words.map_or_else(|| found(error), |words| shorten(words, SHOWN));
    Err(MessageError::Failure { message: message.into() })
}

/// The format whose answers have such members.
fn looks_like(value: &Value) -> Option<MessageFormat> {
    let first = value.get(0).unwrap_or(value);
    let has = |key: &str| first.get(key).is_some();
    let kind = first.get("type").and_then(Value::as_str);
    if first.is_string() {
        Some(MessageFormat::Text)
    } else if has("jsonrpc") {
        Some(MessageFormat::Mcp)
    } else if has("candidates") || has("parts") || has("functionCall") {
        Some(MessageFormat::Gemini)
    } else if has("choices") || has("tool_calls") || has("function") {
        Some(MessageFormat::OpenAiChat)
    } else if first.pointer("/output/message").is_some() || has("toolUse") {
        Some(MessageFormat::Bedrock)
    } else if first.get("output").is_some_and(Value::is_array) || kind == Some("function_call") {
        Some(MessageFormat::OpenAiResponses)
    } else if first.get("content").is_some_and(Value::is_array) || kind == Some("tool_use") {
        Some(MessageFormat::Anthropic)
    } else if has("message") && has("done") {
        Some(MessageFormat::Ollama)
    } else if has("message") {
        Some(MessageFormat::Cohere)
    } else {
        None
    }
}
