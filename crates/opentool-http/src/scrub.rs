//! Takes the secrets of a request out of its answer.
//!
//! Services repeat what they were sent: debug pages, "invalid key ‹key›", echoes. What they repeat would go to a model,
//! into a transcript and into logs. A secret is found as it is, percent-encoded, and as JSON or HTML escape it. It
//! is no wall against a service that wants to give it away: that one has it already. The time that it takes grows with
//! the answer, and with nothing that is in it.

mod find;
mod form;

use std::borrow::Cow;

use http::HeaderValue;
use secrecy::{ExposeSecret as _, SecretString};

use crate::Response;
use find::{Needle, places};

/// What stands in place of a secret.
const MASK: &str = "***";

/// Texts of fewer characters occur in data by chance, and are left there.
pub const LONG: usize = 6;

/// Which secrets are taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reach {
    /// Those that are too long to occur by chance: what is changed may be data.
    Data,
    /// All: what is changed is a message.
    Message,
}

/// Takes the long secrets out of the headers and the body.
pub fn answer(answer: &mut Response, secrets: &[SecretString]) {
    let Some(scrub) = Scrub::new(secrets, Reach::Data) else { return };
    if let Some(body) = scrub.body(&answer.body) {
        answer.body = body.into();
    }
    for value in answer.headers.values_mut() {
        let clean = scrub.replace(value.as_bytes(), Cover::Mask);
        if let Some(clean) = clean.and_then(|clean| HeaderValue::from_bytes(&clean).ok()) {
            *value = clean;
        }
    }
}

/// A body, or a part that stands for itself, without the long secrets. JSON stays JSON.
pub fn body<'a>(body: &'a [u8], secrets: &[SecretString]) -> Cow<'a, [u8]> {
    let changed = Scrub::new(secrets, Reach::Data).and_then(|scrub| scrub.body(body));
    changed.map_or(Cow::Borrowed(body), Cow::Owned)
}

/// The text without secrets.
pub fn text<'a>(text: &'a str, secrets: &[SecretString], reach: Reach) -> Cow<'a, str> {
    let changed = Scrub::new(secrets, reach).and_then(|scrub| scrub.text(text));
    changed.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// How a secret is covered.
#[derive(Clone, Copy)]
enum Cover {
    Mask,
    /// In bytes that are no text, nothing may move.
    SameLength,
}

struct Scrub<'a> {
    secrets: Vec<&'a str>,
    needles: Vec<Needle>,
}

impl<'a> Scrub<'a> {
    fn new(secrets: &'a [SecretString], reach: Reach) -> Option<Self> {
        let taken = |secret: &&str| match reach {
            Reach::Message => !secret.is_empty(),
            Reach::Data => secret.chars().nth(LONG - 1).is_some(),
        };
        let secrets: Vec<&str> = secrets.iter().map(SecretString::expose_secret).filter(taken).collect();
        // A text of JSON may stand in an address or a page, which write its escapes in their own way.
        let escaped = secrets.iter().filter_map(|secret| as_json(secret));
        let plain = secrets.iter().copied().map(Needle::new);
        let needles: Vec<Needle> = plain.chain(escaped.map(|secret| Needle::new(&secret))).collect();
        (!secrets.is_empty()).then_some(Self { secrets, needles })
    }

    fn body(&self, body: &[u8]) -> Option<Vec<u8>> {
        let Ok(text) = std::str::from_utf8(body) else {
            return self.replace(body, Cover::SameLength);
        };
        let text = text.trim_start_matches('\u{feff}');
        if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
            return self.json(text).map(String::into_bytes);
        }
        self.replace(body, Cover::Mask)
    }

    fn text(&self, text: &str) -> Option<String> {
        let changed = self.replace(text.as_bytes(), Cover::Mask)?;
        Some(String::from_utf8_lossy(&changed).into_owned())
    }

    /// Valid JSON stays valid, and all but the secrets as it is written.
    fn json(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        let mut kept = text;
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
            let from = rest.get(at..)?;
            let (token, after) = from.split_at_checked(token(from)).unwrap_or((from, ""));
            let clean = if token.starts_with('"') {
                self.string(token)
            } else {
                self.secrets.contains(&token).then(|| format!("\"{MASK}\""))
            };
            if let Some(clean) = clean {
                // By lengths: to compare what is left would cost all of it, for every token.
                out.push_str(kept.get(..kept.len().saturating_sub(from.len()))?);
                out.push_str(&clean);
                kept = after;
            }
            rest = after;
        }
        if kept.len() == text.len() {
            return None;
        }
        out.push_str(kept);
        Some(out)
    }

    /// A JSON string with its quotes.
    fn string(&self, literal: &str) -> Option<String> {
        if !literal.contains('\\') {
            // Without its quotes: a secret may have such.
            let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
            return self.text(inner).map(|clean| format!("\"{clean}\""));
        }
        match serde_json::from_str::<String>(literal) {
            Ok(decoded) => serde_json::to_string(&self.text(&decoded)?).ok(),
            // Half a surrogate pair: no text that could be written again.
            Err(_) => self.text(literal).map(|_| format!("\"{MASK}\"")),
        }
    }

    /// `None` where there is nothing to replace.
    fn replace(&self, text: &[u8], cover: Cover) -> Option<Vec<u8>> {
        let places = places(text, &self.needles);
        if places.is_empty() {
            return None;
        }
        let mut out = Vec::with_capacity(text.len());
        let mut kept = 0;
        for place in places {
            out.extend_from_slice(text.get(kept..place.start).unwrap_or_default());
            match cover {
                Cover::Mask => out.extend_from_slice(MASK.as_bytes()),
                Cover::SameLength => out.resize(out.len() + place.len(), b'*'),
            }
            kept = place.end;
        }
        out.extend_from_slice(text.get(kept..).unwrap_or_default());
        Some(out)
    }
}

/// The secret as JSON writes it between quotes, where that is something else.
fn as_json(secret: &str) -> Option<String> {
    if !secret.contains(|c: char| matches!(c, '"' | '\\') || c.is_control()) {
        return None;
    }
    let text = serde_json::to_string(secret).ok()?;
    Some(text.strip_prefix('"')?.strip_suffix('"')?.to_owned())
}

/// The length of the JSON string or number with which the text begins.
fn token(text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes.first() == Some(&b'"') {
        let mut escaped = false;
        let end = bytes.iter().skip(1).position(|byte| {
            let ends = *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            ends
        });
        return end.map_or(bytes.len(), |end| end + 2);
    }
    let part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
    bytes.iter().position(|byte| !part(byte)).unwrap_or(bytes.len())
}
