//! What an unsuccessful answer of a provider means, in whatever way it says so.
//!
//! The text of the server is shown, because it is the only one that knows what is wrong; but it is bounded, on one
//! line, and without the secrets that were sent, which some servers repeat. What a server said is an [`Unclean`] until
//! the secrets are out: there is no other way to an error, and nothing is cut before, which could leave half a secret.

use std::time::{Duration, SystemTime};

use opentool_core::{ModelError, in_units};
use opentool_http::{HeaderMap, HttpError, StatusCode};
use serde_json::Value;

use super::measure;

/// The most characters of a server's text that are shown.
const SHOWN: usize = 500;

/// The longest wait that is believed: what asks for more is not waited for anyway.
const LONGEST_WAIT: f64 = 86_400.0;

/// The status of an answer in which an error is reported.
const ANSWERED: u16 = 200;

/// An error with the words of a server as they came: of any length, and perhaps with the key that was sent. It cannot be
/// shown (there is deliberately no `Debug`), only cleaned.
pub(super) struct Unclean {
    error: ModelError,
    /// Ours, for the end of the text.
    hint: &'static str,
}

impl From<ModelError> for Unclean {
    fn from(error: ModelError) -> Self {
        Self { error, hint: "" }
    }
}

impl Unclean {
    /// The error without secrets, in one line, bounded.
    pub(super) fn clean(self, redact: impl Fn(&str) -> String) -> ModelError {
        let clean = |text: &str| format!("{}{}", plain(text, &redact), self.hint).into();
        match self.error {
            ModelError::Protocol(text) => ModelError::Protocol(clean(&text)),
            ModelError::Unauthorized(text) => ModelError::Unauthorized(clean(&text)),
            ModelError::Unsupported(text) => ModelError::Unsupported(clean(&text)),
            ModelError::Rejected { status, message } => {
                ModelError::Rejected { status, message: clean(&message) }
            }
            ModelError::RateLimited { message, retry_after } => {
                ModelError::RateLimited { message: clean(&message), retry_after }
            }
            ModelError::Unreachable { message, source } => {
                ModelError::Unreachable { message: clean(&message), source }
            }
            other => other,
        }
    }
}

/// The error that a status other than success means.
pub(super) fn of_status(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Unclean {
    let parsed: Option<Value> = measure::check(body).ok().and_then(|()| serde_json::from_slice(body).ok());
    // Gemini's servers put the object into a list.
    let parsed = match parsed {
        Some(Value::Array(mut list)) if list.len() == 1 => list.pop(),
        parsed => parsed,
    };
    let said = match &parsed {
        Some(value) => text_of(value.get("error").filter(|error| !error.is_null()).unwrap_or(value)),
        None => String::from_utf8_lossy(body).into_owned(),
    };
    let said =
        if said.trim().is_empty() { status.canonical_reason().unwrap_or("no text").to_owned() } else { said };
    let code = parsed.as_ref().and_then(|value| value.get("error")?.get("code")?.as_str());
    let retry_after = wait(headers).or_else(|| parsed.as_ref().and_then(retry_info));
    let mut hint = "";
    let error = match status.as_u16() {
        401 | 403 => ModelError::Unauthorized(said.into()),
        // Waiting does not help against an empty account.
        429 if code != Some("insufficient_quota") => {
            ModelError::RateLimited { message: said.into(), retry_after }
        }
        // Overloaded (Anthropic), or down for a time that is known.
        529 => ModelError::RateLimited { message: said.into(), retry_after },
        503 if retry_after.is_some() => ModelError::RateLimited { message: said.into(), retry_after },
        404 if parsed.as_ref().is_none_or(|value| value.get("error").is_none()) => {
            // Not "no such model": the server does not know the path.
            hint = "; is the base URL right? It usually ends with `/v1`";
            ModelError::Rejected { status: 404, message: said.into() }
        }
        status => ModelError::Rejected { status, message: said.into() },
    };
    Unclean { error, hint }
}

/// How long the headers ask to wait.
fn wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let until = || {
        let at = httpdate::parse_http_date(text("retry-after")?).ok()?;
        // A time that has passed asks for no wait.
        Some(at.duration_since(SystemTime::now()).unwrap_or_default().as_secs_f64())
    };
    seconds(
        number("retry-after-ms")
            .map(|milliseconds| milliseconds / 1_000.0)
            .or_else(|| number("retry-after"))
            .or_else(until)?,
    )
}

/// How long a body of Google's asks to wait: `{"@type": "….RetryInfo", "retryDelay": "34s"}`.
fn retry_info(body: &Value) -> Option<Duration> {
    let details = body.get("error")?.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    seconds(delay.strip_suffix('s')?.parse().ok()?)
}

fn seconds(seconds: f64) -> Option<Duration> {
    (0.0..=LONGEST_WAIT).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// The error that an event of a stream, or a body of a good status, holds. A status is told only where the service itself
/// said it: the one of the answer was good.
pub(super) fn of_event(error: &Value) -> Unclean {
    let message = text_of(error);
    let word = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
    let status = error.get("code").or_else(|| error.get("status")).and_then(Value::as_u64);
    let status = status.and_then(|status| u16::try_from(status).ok()).filter(|status| *status >= 400);
    let kinds = [word("type"), word("code"), word("status")];
    let is = |names: &[&str]| kinds.iter().any(|kind| names.contains(kind));
    let reported = |message: &str| match kinds.iter().find(|kind| !kind.is_empty()) {
        Some(kind) => format!("it reported an error ({kind}): {message}").into(),
        None => format!("it reported an error: {message}").into(),
    };
    let error = if status == Some(429)
        || is(&[
            "rate_limit_error",
            "rate_limit_exceeded",
            "overloaded_error",
            "RESOURCE_EXHAUSTED",
            "slow_down",
        ]) {
        ModelError::RateLimited { message: message.into(), retry_after: None }
    } else if is(&["authentication_error", "permission_error", "PERMISSION_DENIED", "UNAUTHENTICATED"]) {
        ModelError::Unauthorized(message.into())
    } else if is(&[
        "api_error",
        "server_error",
        "internal_server_error",
        "INTERNAL",
        "UNAVAILABLE",
        "timeout_error",
    ]) {
        match status.filter(|status| *status >= 500) {
            Some(status) => ModelError::Rejected { status, message: message.into() },
            None => {
                let source = "the service reported that it failed";
                ModelError::Unreachable { message: reported(&message), source: Some(source.into()) }
            }
        }
    } else if is(&["invalid_request_error", "not_found_error", "INVALID_ARGUMENT", "NOT_FOUND"]) {
        match status.filter(|status| *status < 500) {
            Some(status) => ModelError::Rejected { status, message: message.into() },
            None => ModelError::Rejected { status: ANSWERED, message: reported(&message) },
        }
    } else if let Some(status) = status {
        ModelError::Rejected { status, message: message.into() }
    } else {
        ModelError::Protocol(reported(&message))
    };
    error.into()
}

/// A stream that ended before the answer did.
pub(super) fn broke_off() -> ModelError {
    let source = "the stream ended before the answer did";
    let message = "it answered, but the answer broke off";
    ModelError::Unreachable { message: message.into(), source: Some(source.into()) }
}

/// A stream that says nothing any more.
pub(super) fn stalled(limit: Duration) -> ModelError {
    let message = format!("it answered, but then nothing came for {}", in_units(limit));
    ModelError::Unreachable { message: message.into(), source: Some("the stream stalled".into()) }
}

/// An answer of another kind than the one that was asked for, such as the page of a proxy.
pub(super) fn other_kind(kind: &str, wanted: &str, body: &str) -> Unclean {
    let kind = kind.split(';').next().map(str::trim).filter(|kind| !kind.is_empty()).unwrap_or("something");
    let shown = if body.is_empty() { String::new() } else { format!(": {body}") };
    ModelError::Protocol(format!("it answered {kind}, not {wanted}{shown}").into()).into()
}

/// The error of an exchange without an answer.
pub(super) fn of_exchange(error: HttpError) -> ModelError {
    if matches!(error, HttpError::TooLarge { .. }) {
        return ModelError::Protocol(error.to_string().into());
    }
    let message = error.to_string().into();
    // Nothing was tried: trying again is no help.
    let tried =
        !matches!(error, HttpError::Address { .. } | HttpError::Header { .. } | HttpError::Tls { .. });
    ModelError::Unreachable { message, source: tried.then(|| error.into()) }
}

/// The words in an error object, in the forms that servers use.
pub(super) fn text_of(error: &Value) -> String {
    let words = match error {
        Value::String(text) => Some(text.as_str()),
        error => ["message", "detail", "error", "msg"].iter().find_map(|key| error.get(key)?.as_str()),
    };
    words.map_or_else(|| error.to_string(), str::to_owned)
}

/// One line, bounded, without secrets, which are taken out first.
pub(super) fn plain(text: &str, redact: impl Fn(&str) -> String) -> String {
    let text = redact(text);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_say_how_long_to_wait_in_several_ways() {
        let soon = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(100));
        for (name, value, least, most) in [
            ("retry-after", "7", 7, 7),
            ("retry-after-ms", "2500", 2, 3),
            ("retry-after", soon.as_str(), 95, 100),
            ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT", 0, 0),
        ] {
            let headers = HeaderMap::from_iter([(
                opentool_http::HeaderName::from_static(name),
                opentool_http::HeaderValue::from_str(value).unwrap(),
            )]);
            let waited = wait(&headers).expect(value).as_secs();
            assert!((least..=most).contains(&waited), "{value}: {waited}");
        }
        let never = opentool_http::HeaderValue::from_static("tomorrow");
        assert_eq!(
            wait(&HeaderMap::from_iter([(opentool_http::HeaderName::from_static("retry-after"), never)])),
            None
        );
    }
}
