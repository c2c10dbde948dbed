//! What an unsuccessful answer of a Chat Completions server means.
//!
//! The text of the server is shown, because it is the only one that knows what is wrong; but it is bounded, on one
//! line, and without the secrets that were sent, which some servers repeat.

use opentool_core::ModelError;
use opentool_http::{HttpError, StatusCode};
use serde_json::Value;

/// The most characters of a server's text that are shown.
const SHOWN: usize = 500;

/// The error that a status other than success means.
pub(super) fn of_status(status: StatusCode, body: &[u8], redact: impl Fn(&str) -> String) -> ModelError {
    let parsed: Option<Value> = serde_json::from_slice(body).ok();
    let said = match &parsed {
        Some(value) => text_of(value.get("error").filter(|error| !error.is_null()).unwrap_or(value)),
        None => plain(&String::from_utf8_lossy(body)),
    };
    let said = if said.is_empty() {
        status.canonical_reason().unwrap_or("no text").to_owned()
    } else {
        // What was cut off could end in half a secret, so the whole text is searched first.
        plain(&redact(&said))
    };
    let code = parsed.as_ref().and_then(|value| value.get("error")?.get("code")?.as_str());
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ModelError::Unauthorized(said.into()),
        // Waiting does not help against an empty account.
        StatusCode::TOO_MANY_REQUESTS if code != Some("insufficient_quota") => {
            ModelError::RateLimited { message: said.into(), retry_after: None }
        }
        StatusCode::NOT_FOUND if parsed.as_ref().is_none_or(|value| value.get("error").is_none()) => {
            // Not "no such model": the server does not know the path.
            let message = format!("{said}; is the base URL right? It usually ends with `/v1`");
            ModelError::Rejected { status: status.as_u16(), message: message.into() }
        }
        status => ModelError::Rejected { status: status.as_u16(), message: said.into() },
    }
}

/// The error of an exchange without an answer.
pub(super) fn of_exchange(error: HttpError) -> ModelError {
    if matches!(error, HttpError::TooLarge { .. }) {
        return ModelError::Protocol(error.to_string().into());
    }
    ModelError::Unreachable { message: error.to_string().into(), source: Some(Box::new(error)) }
}

/// The words in an error object, in the forms that servers use.
pub(super) fn text_of(error: &Value) -> String {
    let words = match error {
        Value::String(text) => Some(text.as_str()),
        error => ["message", "detail", "error", "msg"].iter().find_map(|key| error.get(key)?.as_str()),
    };
    words.map_or_else(|| error.to_string(), str::to_owned)
}

/// One line, bounded.
pub(super) fn plain(text: &str) -> String {
    let mut line = String::new();
    for (i, word) in
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).enumerate()
    {
        if i > 0 {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > SHOWN * 4 {
            break;
        }
    }
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => {
            line.truncate(end);
            line.push('…');
            line
        }
        None => line,
    }
}
