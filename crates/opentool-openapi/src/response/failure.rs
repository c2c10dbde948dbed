//! What a service said about a failure, for the model: its own words, short.

use std::fmt::Write as _;

use opentool_core::visible::without_hidden;
use opentool_http::scrub::{self, Reach};
use opentool_http::{Response, StatusCode, bounded};
use secrecy::SecretString;
use serde_json::Value;
use url::Url;

use super::exact::is_too_many;
use crate::plain::plain;
use crate::plan::is_json;

/// How much of a page is looked at for what it says, in bytes.
const LONGEST_PAGE: usize = 16 * 1024;

/// `HTTP 404 Not Found: pet 7 is not here`.
pub(super) fn message(answer: &Response, secrets: &[SecretString]) -> String {
    let clean = |text: &str| bounded(&without_hidden(&scrub::text(text, secrets, Reach::Message)));
    let mut message = format!("HTTP {}", answer.status);
    if answer.status == StatusCode::NOT_MODIFIED {
        message.push_str(": it is as it was when it was asked for before, and was not sent again");
        return message;
    }
    if answer.status.is_redirection() {
        message.push_str(": the service redirects");
        // Where to, by name, is the operator's to know: it may be in the host's own network.
        match target(answer) {
            Some(target) if target.origin() == answer.url.origin() => {
                message.push_str(" to another path of its own")
            }
            Some(target) if target.origin().is_tuple() => message.push_str(" to another server"),
            Some(target) => {
                let scheme = clean(target.scheme());
                let _ = write!(message, " to an address of the scheme `{scheme}`");
            }
            None => {}
        }
        message.push_str(
            ", which is not followed: credentials and methods stay with the service they are meant for",
        );
        return message;
    }
    let text = answer.text();
    let said = if answer.content_type().is_none_or(is_json) && !is_too_many(&text) {
        serde_json::from_str::<Value>(&text).ok().and_then(|body| from_json(&body))
    } else {
        None
    };
    let said = said.or_else(|| from_text(&text, answer.content_type()));
    if let Some(said) = said {
        let _ = write!(message, ": {}", clean(&said));
    }
    if let Some(after) = answer.headers.get("retry-after").and_then(|after| after.to_str().ok()) {
        let _ = write!(message, " (retry after {})", clean(after));
    }
    message
}

/// The address that an answer redirects to.
fn target(answer: &Response) -> Option<Url> {
    let location = answer.headers.get("location")?.to_str().ok()?;
    answer.url.join(location).ok()
}

/// The server that an answer redirects to, for the operator: scheme, host and port.
pub(super) fn redirected(answer: &Response) -> Option<String> {
    let target = target(answer).filter(|_| answer.status.is_redirection())?;
    target.origin().is_tuple().then(|| target.origin().ascii_serialization())
}

/// The sentence that says it, and after it all the rest that the service said.
fn from_json(body: &Value) -> Option<String> {
    let members = match body {
        Value::Null => return None,
        Value::String(text) => return Some(text.clone()),
        Value::Object(members) if members.is_empty() => return None,
        Value::Object(members) => members,
        other => return Some(other.to_string()),
    };
    let mut picked = Vec::new();
    let mut sentences: Vec<&str> = Vec::new();
    // RFC 9457 first, then what services commonly write.
    for name in ["title", "detail", "message", "error_description", "error", "msg", "reason"] {
        let said = match members.get(name) {
            Some(Value::String(text)) => text.as_str(),
            Some(Value::Object(inner)) if inner.len() == 1 => match inner.get("message") {
                Some(Value::String(text)) => text.as_str(),
                _ => continue,
            },
            _ => continue,
        };
        picked.push(name);
        if !said.trim().is_empty() && !sentences.contains(&said) {
            sentences.push(said);
        }
    }
    let mut said = sentences.join(": ");
    // `status` repeats the line above, `type` of `about:blank` says nothing.
    let rest: serde_json::Map<String, Value> = members
        .iter()
        .filter(|(name, value)| {
            !(picked.contains(&name.as_str())
                || (*name == "status" && value.is_number())
                || (*name == "type" && **value == "about:blank"))
        })
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if !rest.is_empty() {
        let separator = if said.is_empty() { "" } else { " " };
        let _ = write!(said, "{separator}{}", Value::Object(rest));
    }
    Some(said).filter(|said| !said.is_empty())
}

/// Plain text as it is; of an HTML page its title, or else what it says first.
fn from_text(text: &str, media_type: Option<&str>) -> Option<String> {
    let html = media_type.is_some_and(|media_type| media_type.to_ascii_lowercase().contains("html"));
    if html {
        // ASCII lower case keeps every position.
        let lower = text.to_ascii_lowercase();
        let title = || {
            let begin = lower.find("<title").and_then(|at| Some(at + lower.get(at..)?.find('>')? + 1))?;
            let end = begin + lower.get(begin..)?.find("</title")?;
            text.get(begin..end).filter(|title| !title.trim().is_empty())
        };
        return title().map(|title| title.trim().to_owned()).or_else(|| first_text(text));
    }
    Some(text.trim().to_owned()).filter(|said| !said.is_empty())
}

/// The text of a page from its beginning, without tags and what they hide.
fn first_text(page: &str) -> Option<String> {
    let page = page.get(..page.floor_char_boundary(LONGEST_PAGE)).unwrap_or_default();
    let lower = page.to_ascii_lowercase();
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        text.push(' ');
        let hidden = ["script", "style", "head", "!--"].into_iter().find(|name| {
            tag.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name))
                && tag.get(name.len()..).is_some_and(|after| !after.starts_with(|c: char| c.is_alphabetic()))
        });
        let end = match hidden {
            Some("!--") => "-->".to_owned(),
            Some(name) => format!("</{name}>"),
            None => ">".to_owned(),
        };
        let at = lower.get(page.len().saturating_sub(tag.len())..).and_then(|tag| tag.find(&end));
        rest = at.and_then(|at| tag.get(at.saturating_add(end.len())..)).unwrap_or_default();
    }
    text.push_str(rest);
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = plain(&words.join(" ")).into_owned();
    Some(text).filter(|text| !text.is_empty())
}
