//! From an answer to a tool's output.
//!
//! A success is what the service sent, unchanged: JSON stays the exact text, and is a structured value as well where
//! no number in it would change. The host can ask for parts of it, and for less of it. A failure becomes an error with the
//! service's own message, bounded. What a service repeats of the request's secrets is taken out first.

mod charset;
mod exact;
mod failure;
mod pick;
mod shorten;

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use opentool_core::{Content, ToolError, ToolOutput, Upstream};
use opentool_http::scrub::{self, Reach};
use opentool_http::{HeaderName, HttpError, Response, bounded};
use serde_json::{Map, Value, json};

use crate::plan::is_json;
use crate::request::media::MediaKind;
use crate::request::{Request, Settings};

/// The largest image, sound or PDF in bytes of base64 that is passed on where results are limited, if the limit itself is
/// not larger: what providers take.
const MEDIA_LIMIT: usize = 5 * 1024 * 1024;

/// Who chose the server. A model reads its name only where it stands in the document: other names are the operator's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    /// The document names it.
    Named,
    /// The operator did, or it is where the operator keeps the document.
    Operators,
}

/// What an answer answers.
pub(crate) struct Exchange {
    /// The request.
    pub(crate) request: Request,
    /// Who chose where it went.
    pub(crate) service: Service,
    /// When it was sent.
    pub(crate) started: Instant,
    /// How often it was sent.
    pub(crate) attempts: u32,
    /// When the host wanted an answer.
    pub(crate) deadline: Option<Instant>,
    /// The parts of a JSON result that are passed on; empty: all.
    pub(crate) parts: Arc<[String]>,
    /// What the host wants to know of an answer, and how much of it.
    pub(crate) settings: Arc<Settings>,
}

/// The output of an answer, without the secrets of the request.
///
/// # Errors
/// [`ToolError::Upstream`] for any status but 2xx, and for a body that is not the JSON that it says it is.
pub(crate) fn read(mut answer: Response, exchange: &Exchange) -> Result<ToolOutput, ToolError> {
    let secrets = exchange.request.secrets();
    // In a charset that is none of ASCII's kin nobody would find a secret.
    charset::to_utf8(&mut answer);
    scrub::answer(&mut answer, secrets);
    let answer = &answer;
    let status = answer.status;
    if let Some(coding) = coding(answer) {
        let coding: String = coding.chars().take(60).collect();
        let message =
            format!("HTTP {status}, but the body is compressed in a way that cannot be read ({coding})");
        return Err(refused(answer, exchange, message));
    }
    if !status.is_success() {
        return Err(refused(answer, exchange, failure::message(answer, secrets)));
    }
    let mut output = fit(success(answer, exchange)?, answer, exchange);
    let headers = chosen(answer, &exchange.settings.result_headers);
    if !headers.is_empty() {
        output = output.metadata("http.headers", headers);
    }
    if exchange.attempts > 1 {
        output = output.metadata("http.attempts", exchange.attempts);
    }
    let took = u64::try_from(exchange.started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(output
        .metadata("http.status", status.as_u16())
        .metadata("http.request", exchange.request.summary())
        .metadata("http.duration_ms", took))
}

/// The headers that are there of those that are wanted; several of one name as a list.
fn chosen(answer: &Response, wanted: &[HeaderName]) -> Map<String, Value> {
    let mut chosen = Map::new();
    for name in wanted {
        let values = answer.headers.get_all(name).into_iter();
        let mut values: Vec<Value> =
            values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned().into()).collect();
        let value = if values.len() > 1 { Value::Array(values) } else { values.pop().unwrap_or_default() };
        if !value.is_null() {
            chosen.insert(name.as_str().to_owned(), value);
        }
    }
    chosen
}

/// The output with no more text than the host wants. A value that no longer holds everything is not given to programs,
/// which would take it for the whole.
fn fit(mut output: ToolOutput, answer: &Response, exchange: &Exchange) -> ToolOutput {
    let Some(most) = exchange.settings.result_limit else { return output };
    let text = match output.content.as_slice() {
        [Content::Text(text)] => text,
        [content] => {
            let Some((size, notice)) = too_large(content, most) else { return output };
            let told = json!({"bytes": size, "shown": 0, "notice": notice});
            output.content = vec![Content::Text(notice)];
            return output.metadata("http.shortened", told);
        }
        _ => return output,
    };
    if text.len() <= most {
        return output;
    }
    let is_json = answer.content_type().is_none_or(is_json);
    let value = output.structured.take().or_else(|| exact::marked(text).filter(|_| is_json));
    let as_json = value.and_then(|value| shorten::json(value, most));
    let as_json = as_json.map(|short| shorten::Shortened { text: exact::restored(&short.text), ..short });
    let shortened = as_json.unwrap_or_else(|| shorten::plain(text, most));
    let told = json!({"bytes": answer.body.len(), "shown": shortened.text.len(), "notice": shortened.notice});
    output.content = vec![Content::Text(shortened.text), Content::Text(shortened.notice)];
    output.metadata("http.shortened", told)
}

/// How large bytes are that are not passed on, and what a model reads in their place.
fn too_large(content: &Content, most: usize) -> Option<(usize, String)> {
    let (data, mime) = match content {
        Content::Image { data, mime, .. } | Content::Audio { data, mime, .. } => (data, Some(mime.as_str())),
        Content::BlobResource { data, mime, .. } => (data, mime.as_deref()),
        _ => return None,
    };
    // What models look at or listen to is not read as text.
    let is_media = matches!(content, Content::Image { .. } | Content::Audio { .. })
        || mime.is_some_and(|mime| mime == "application/pdf");
    let most = if is_media { most.max(MEDIA_LIMIT) } else { most };
    let size = data.len();
    // In base64, as bytes are passed on.
    if size.div_ceil(3).saturating_mul(4) <= most {
        return None;
    }
    let what = mime.map(|mime| format!(" of `{}`", bounded(mime))).unwrap_or_default();
    let notice = format!(
        "[Not shown: {size} bytes{what}. That is more than is passed on; ask for less, or for a part, or let the operator \
         allow more.]"
    );
    Some((size, notice))
}

fn success(answer: &Response, exchange: &Exchange) -> Result<ToolOutput, ToolError> {
    let media_type = answer.content_type().unwrap_or_default();
    if answer.body.is_empty() {
        return Ok(ToolOutput::text(done(answer, exchange)));
    }
    if is_json(media_type) || (media_type.is_empty() && looks_like_json(&answer.body)) {
        return json_text(answer, exchange);
    }
    let kind = media_type.split('/').next().unwrap_or_default().to_ascii_lowercase();
    let mime = media_type.split(';').next().unwrap_or_default().trim();
    let utf8 = std::str::from_utf8(&answer.body).is_ok();
    Ok(match kind.as_str() {
        "image" if mime != "image/svg+xml" => ToolOutput::from(Content::image(answer.body.clone(), mime)),
        "audio" => ToolOutput::from(Content::audio(answer.body.clone(), mime)),
        "" if utf8 => ToolOutput::text(text(answer)),
        _ if MediaKind::of(media_type) != MediaKind::Binary || kind == "text" => {
            ToolOutput::text(text(answer))
        }
        _ => ToolOutput::from(Content::BlobResource {
            uri: match exchange.service {
                Service::Named => exchange.request.url().to_owned(),
                Service::Operators => format!("result:{}", path(exchange.request.url())),
            },
            mime: Some(mime).filter(|mime| !mime.is_empty()).map(str::to_owned),
            data: answer.body.clone(),
        }),
    })
}

/// The text of an answer without a body: a model wants to read that something happened.
fn done(answer: &Response, exchange: &Exchange) -> String {
    let own = exchange.request.origin();
    let is_at = |url: &str| url::Url::parse(url).is_ok_and(|url| url.origin().ascii_serialization() == own);
    match answer.headers.get("location").and_then(|location| location.to_str().ok()) {
        Some(location) if exchange.service == Service::Operators && is_at(location) => {
            format!("Done. Location: {}", path(location))
        }
        Some(location) => format!("Done. Location: {location}"),
        None => "Done.".to_owned(),
    }
}

/// An address without the server.
fn path(url: &str) -> &str {
    let after = url.split_once("://").map_or(url, |(_, after)| after);
    after.find(['/', '?']).and_then(|at| after.get(at..)).unwrap_or("/")
}

fn json_text(answer: &Response, exchange: &Exchange) -> Result<ToolOutput, ToolError> {
    let mut text = text(answer);
    if !exchange.parts.is_empty()
        && let Some(picked) = pick::pick(&text, &exchange.parts)
    {
        if let Some(notice) = picked.notice {
            // Nor the empty objects and lists: they look like an answer.
            return Ok(ToolOutput::text(notice));
        }
        text = picked.text;
    }
    if exact::is_too_many(&text) && serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok() {
        return Ok(ToolOutput::text(text).metadata("http.note", "not read as a value: it has too many"));
    }
    match serde_json::from_str::<Value>(&text) {
        Ok(value) if exact::survives(&text) => Ok(ToolOutput::text(text).structured(value)),
        Ok(_) => Ok(ToolOutput::text(text)),
        // Correct JSON all the same: a number that is too large, or nesting that is too deep, for a value.
        Err(error) if serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok() => {
            Ok(ToolOutput::text(text).metadata("http.note", format!("not read as a value: {error}")))
        }
        Err(error) => {
            let message = format!(
                "HTTP {}, but the body is not the JSON that it says it is ({error}); the call may have taken effect. \
                 It begins: {}",
                answer.status,
                bounded(&scrub::text(&text, exchange.request.secrets(), Reach::Message))
            );
            Err(refused(answer, exchange, message))
        }
    }
}

fn looks_like_json(body: &[u8]) -> bool {
    matches!(body.trim_ascii_start().first(), Some(b'{' | b'['))
        && serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok()
}

/// The body as text, without a byte order mark.
fn text(answer: &Response) -> String {
    answer.text().trim_start_matches('\u{feff}').to_owned()
}

fn coding(answer: &Response) -> Option<&str> {
    let coding = answer.headers.get(HeaderName::from_static("content-encoding"))?.to_str().ok()?;
    (!coding.is_empty() && !coding.eq_ignore_ascii_case("identity") && !answer.body.is_empty())
        .then_some(coding)
}

fn refused(answer: &Response, exchange: &Exchange, message: String) -> ToolError {
    // Once more: what was taken apart and put together may spell a secret.
    let message = scrub::text(&message, exchange.request.secrets(), Reach::Data).into_owned();
    let headers = chosen(answer, &exchange.settings.result_headers);
    let elsewhere = failure::redirected(answer).or_else(|| {
        let origin = answer.url.origin().ascii_serialization();
        (origin != exchange.request.origin()).then_some(origin)
    });
    let elsewhere =
        elsewhere.map(|place| scrub::text(&place, exchange.request.secrets(), Reach::Data).into_owned());
    let request = exchange.request.summary();
    let source = Sent { request, attempts: exchange.attempts, headers, elsewhere, error: None };
    Upstream::new(message).status(answer.status.as_u16()).source(source).into()
}

/// The error of a request that got no answer.
pub(crate) fn unanswered(error: HttpError, exchange: &Exchange) -> ToolError {
    let now = Instant::now();
    if error.is_timeout() && exchange.deadline.is_some_and(|end| end <= now) {
        return ToolError::TimedOut(now.saturating_duration_since(exchange.started));
    }
    // The text names the origin where the document names it too; causes (addresses, certificates) are the operator's.
    let message = scrub::text(&error.to_string(), exchange.request.secrets(), Reach::Data).into_owned();
    let own = exchange.request.origin();
    let elsewhere = error.origin().filter(|origin| *origin != own).map(str::to_owned);
    let covered = elsewhere.as_ref().map(|place| scrub::text(place, exchange.request.secrets(), Reach::Data));
    let covered = covered.map(std::borrow::Cow::into_owned);
    // Where a service redirects to may be a machine of the host's own network, whose name is the operator's.
    let message = match (&elsewhere, &error) {
        (None, _) if exchange.service == Service::Operators => message.replace(&own, "the service"),
        (None, _) => message,
        (Some(_), HttpError::NotPublic { .. }) => {
            "the service redirected to an address that is not public, which was not asked; the operator can allow it"
                .to_owned()
        }
        (Some(_), _) => "the service redirected to another server, which gave no answer that can be used".to_owned(),
    };
    let (request, attempts) = (exchange.request.summary(), exchange.attempts);
    // A service that names another by the secret itself has said it in the error, too.
    let error = (covered == elsewhere).then_some(error);
    let source = Sent { request, attempts, headers: Map::new(), elsewhere: covered, error };
    Upstream::new(message).source(source).into()
}

/// What was sent when a call failed, for the operator: a cause of the call's error, to be found by `downcast_ref`. Its
/// own cause is why there was no answer, where there was none.
#[derive(Debug)]
pub struct Sent {
    request: String,
    attempts: u32,
    headers: Map<String, Value>,
    /// Where the service sent it on: scheme, host and port.
    elsewhere: Option<String>,
    error: Option<HttpError>,
}

impl Sent {
    /// The request as `GET https://host/path`, without secrets.
    pub fn request(&self) -> &str {
        &self.request
    }

    /// The headers of the answer that the host wants to know ([`Settings::result_headers`](crate::Settings)): a number under
    /// which the service can find the request, say. Empty where there was no answer.
    pub fn headers(&self) -> &Map<String, Value> {
        &self.headers
    }

    /// What the client says, where there was no answer. Its text is that of the call's error, unless it is about a server
    /// that the service redirected to.
    pub fn error(&self) -> Option<&HttpError> {
        self.error.as_ref()
    }
}

impl fmt::Display for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the request was {}", self.request)?;
        if let Some(elsewhere) = &self.elsewhere {
            write!(f, ", redirected to {elsewhere}")?;
        }
        match self.attempts {
            0 | 1 => Ok(()),
            attempts => write!(f, " (sent {attempts} times)"),
        }
    }
}

impl std::error::Error for Sent {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let error = self.error.as_ref()?;
        match self.elsewhere {
            Some(_) => Some(error),
            // The client's own text is the message already; what is missing is why.
            None => std::error::Error::source(error),
        }
    }
}
