//! A request for people and programs to read: as JSON, and as a `curl` command.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool_http::{HeaderValue, Method};
use serde_json::{Map, Value, json};

use super::body::{Part, PartBody, RequestBody};
use super::message::{Header, Request};

impl Request {
    /// `{method, url, headers, body, body_kind}` with `***` in place of secrets. `body_kind` is one of `none`, `json`,
    /// `text`, `form`, `base64`, and `multipart`, whose body is a list of `{name?, content_type, filename?, headers?}` with
    /// `body`, `json` or `base64`.
    pub fn to_json(&self) -> Value {
        self.json(&self.url, Header::shown, self.shown_body())
    }

    /// As [`Request::to_json`], with the secrets. For comparing requests in tests, never for output that is kept.
    pub fn to_json_with_secrets(&self) -> Value {
        self.json(&self.sent_url, Header::plain, &self.body)
    }

    fn json(&self, url: &str, value: fn(&Header) -> String, body: &RequestBody) -> Value {
        let mut headers = Map::new();
        for header in &self.headers {
            headers.insert(header.written.to_string(), value(header).into());
        }
        let (kind, body) = match body {
            RequestBody::None => ("none", Value::Null),
            RequestBody::Json(value) => ("json", value.clone()),
            RequestBody::Text(text) => ("text", text.as_str().into()),
            RequestBody::Form(text) => ("form", text.as_str().into()),
            RequestBody::Multipart { parts, .. } => ("multipart", parts.iter().map(part).collect()),
            RequestBody::Bytes(bytes) => ("base64", STANDARD.encode(bytes).into()),
        };
        json!({
            "method": self.method.as_str(),
            "url": url,
            "headers": headers,
            "body": body,
            "body_kind": kind,
        })
    }

    /// A command line that sends the request, safe to paste into a POSIX shell, with `***` in place of secrets.
    pub fn to_curl(&self) -> String {
        let mut command = String::new();
        let body = self.curl_body(&mut command);
        command.push_str("curl");
        if self.method == Method::HEAD {
            command.push_str(" --head");
        } else if self.method != Method::GET || !matches!(self.body, RequestBody::None) {
            command.push_str(&format!(" --request {}", quoted(self.method.as_str())));
        }
        if self.url.contains(['[', ']', '{', '}']) {
            command.push_str(" --globoff");
        }
        command.push_str(&format!(" {}", quoted(&self.url)));
        if self.identity.is_some() {
            // Where it is kept is not the request's to know.
            command.push_str(" --cert '***'");
        }
        let forms = matches!(body, Some(CurlBody::Fields(_)));
        for header in &self.headers {
            // curl writes the type of a form itself, with its own boundary.
            if forms && header.name == opentool_http::HeaderName::from_static("content-type") {
                continue;
            }
            let value = header.shown();
            // An empty value after a colon tells curl to send no such header.
            let line = match value.is_empty() {
                true => format!("{};", header.written),
                false => format!("{}: {value}", header.written),
            };
            command.push_str(&format!(" --header {}", quoted(&line)));
        }
        match body {
            None => {}
            Some(CurlBody::Text(text)) => command.push_str(&format!(" --data-raw {}", quoted(&text))),
            Some(CurlBody::Piped) => command.push_str(" --data-binary @-"),
            Some(CurlBody::Fields(fields)) => {
                for (name, text) in fields {
                    command.push_str(&format!(" --form-string {}", quoted(&format!("{name}={text}"))));
                }
            }
        }
        command
    }

    /// How curl gets the body. What cannot stand in a command line goes before it, through a pipe.
    fn curl_body(&self, before: &mut String) -> Option<CurlBody> {
        let body = self.shown_body();
        match body {
            RequestBody::None => return None,
            RequestBody::Json(value) => {
                let text = value.to_string();
                if is_printable(&text) {
                    return Some(CurlBody::Text(text));
                }
            }
            RequestBody::Text(text) | RequestBody::Form(text) if is_printable(text) => {
                return Some(CurlBody::Text(text.clone()));
            }
            RequestBody::Multipart { parts, .. } => {
                if let Some(fields) = parts.iter().map(field).collect() {
                    return Some(CurlBody::Fields(fields));
                }
            }
            RequestBody::Text(_) | RequestBody::Form(_) | RequestBody::Bytes(_) => {}
        }
        let encoded = STANDARD.encode(body.to_bytes());
        before.push_str(&format!("printf %s '{encoded}' | base64 -d | "));
        Some(CurlBody::Piped)
    }
}

enum CurlBody {
    Text(String),
    Piped,
    Fields(Vec<(String, String)>),
}

/// A part that `--form-string` can write.
fn field(part: &Part) -> Option<(String, String)> {
    match &part.body {
        PartBody::Text(text)
            if part.filename.is_none()
                && part.headers.is_empty()
                && part.content_type == "text/plain"
                && !part.name.is_empty()
                && !part.name.contains('=')
                && is_printable(&part.name)
                && is_printable(text) =>
        {
            Some((part.name.clone(), text.clone()))
        }
        _ => None,
    }
}

/// Whether a text can be pasted: control characters would be run by a terminal or eaten by a shell.
fn is_printable(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() && c != '\n' && c != '\t')
}

/// A text as one word of a POSIX shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn part(part: &Part) -> Value {
    let mut shown = Map::new();
    if !part.name.is_empty() {
        shown.insert("name".to_owned(), part.name.as_str().into());
    }
    shown.insert("content_type".to_owned(), part.content_type.as_str().into());
    if let Some(filename) = &part.filename {
        shown.insert("filename".to_owned(), filename.as_str().into());
    }
    if !part.headers.is_empty() {
        let text = |value: &HeaderValue| Value::from(String::from_utf8_lossy(value.as_bytes()));
        let headers = part.headers.iter().map(|(name, value)| (name.to_string(), text(value)));
        shown.insert("headers".to_owned(), headers.collect::<Map<_, _>>().into());
    }
    let (key, value) = match &part.body {
        PartBody::Text(text) => ("body", text.as_str().into()),
        PartBody::Json(value) => ("json", value.clone()),
        PartBody::Bytes(bytes) => ("base64", STANDARD.encode(bytes).into()),
    };
    shown.insert(key.to_owned(), value);
    shown.into()
}
