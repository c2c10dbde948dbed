//! Takes the secrets of a request out of its answer.
//!
//! Services repeat what they were sent: debug pages, "invalid key ‹key›", echoes. What they repeat would go to a model,
//! into a transcript and into logs. A secret is found as it is, percent-encoded, and as JSON or HTML escape it. It
//! is no wall against a service that wants to give it away: that one has it already.

use std::borrow::Cow;

use http::HeaderValue;
use secrecy::{ExposeSecret as _, SecretString};

use crate::Response;

/// What stands in place of a secret.
const MASK: &str = "***";

/// Texts of fewer characters occur in data by chance.
const LONG: usize = 6;

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
    /// The longest first.
    secrets: Vec<&'a str>,
    /// The bytes with which a secret can begin, in any form.
    begins: [bool; 256],
}

impl<'a> Scrub<'a> {
    fn new(secrets: &'a [SecretString], reach: Reach) -> Option<Self> {
        let taken = |secret: &&str| reach == Reach::Message || secret.chars().count() >= LONG;
        let secrets: Vec<&str> = secrets.iter().map(SecretString::expose_secret).filter(taken).collect();
        if secrets.is_empty() {
            return None;
        }
        let mut begins = [false; 256];
        for byte in secrets.iter().filter_map(|secret| secret.as_bytes().first()).chain(b"%\\&") {
            if let Some(begin) = begins.get_mut(usize::from(*byte)) {
                *begin = true;
            }
        }
        Some(Self { secrets, begins })
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
        let mut changed = false;
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
            let (before, from) = rest.split_at_checked(at)?;
            let after = match from.strip_prefix('"') {
                Some(string) => after_string(string),
                None => from.trim_start_matches(|c: char| {
                    c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E')
                }),
            };
            let token = from.strip_suffix(after).unwrap_or(from);
            let clean = if token.starts_with('"') {
                self.string(token)
            } else {
                self.secrets.contains(&token).then(|| format!("\"{MASK}\""))
            };
            out.push_str(before);
            out.push_str(clean.as_deref().unwrap_or(token));
            changed |= clean.is_some();
            rest = after;
        }
        out.push_str(rest);
        changed.then_some(out)
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
        let mut out = Vec::new();
        let (mut kept, mut at) = (0, 0);
        let begins = |byte: &u8| self.begins.get(usize::from(*byte)) == Some(&true);
        while let Some(ahead) = text.get(at..).and_then(|rest| rest.iter().position(begins)) {
            at += ahead;
            let Some(length) = text.get(at..).and_then(|rest| self.length(rest)) else {
                at += 1;
                continue;
            };
            out.extend_from_slice(text.get(kept..at).unwrap_or_default());
            match cover {
                Cover::Mask => out.extend_from_slice(MASK.as_bytes()),
                Cover::SameLength => out.resize(out.len() + length, b'*'),
            }
            at += length;
            kept = at;
        }
        if kept == 0 {
            return None;
        }
        out.extend_from_slice(text.get(kept..).unwrap_or_default());
        Some(out)
    }

    /// How long the secret is that `text` begins with.
    fn length(&self, text: &[u8]) -> Option<usize> {
        let forms = [Form::Plain, Form::Percent, Form::Json, Form::Html];
        self.secrets.iter().find_map(|secret| forms.iter().find_map(|form| form.length(secret, text)))
    }
}

/// What follows the JSON string whose opening quote is already gone.
fn after_string(text: &str) -> &str {
    let mut escaped = false;
    let end = text.find(|c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.and_then(|end| text.get(end + 1..)).unwrap_or_default()
}

/// How a text is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Percent,
    Json,
    Html,
}

impl Form {
    /// How many bytes of `text` are `secret` in this form, if it begins with it.
    fn length(self, secret: &str, text: &[u8]) -> Option<usize> {
        let mut missing = secret.as_bytes();
        let mut rest = text;
        while let (Some(wanted), Some(first)) = (missing.first(), rest.first()) {
            let mut buffer = [0; 4];
            let (written, used) = match self.escaped(rest, &mut buffer) {
                Some(escaped) => escaped,
                None if self == Self::Percent && (*first, *wanted) == (b'+', b' ') => (&b" "[..], 1),
                None => (std::slice::from_ref(first), 1),
            };
            missing = missing.strip_prefix(written)?;
            rest = rest.get(used..)?;
        }
        missing.is_empty().then(|| text.len() - rest.len())
    }

    /// What the escape says with which `text` begins, and its length.
    fn escaped<'a>(self, text: &[u8], buffer: &'a mut [u8; 4]) -> Option<(&'a [u8], usize)> {
        let (c, used) = match (self, text) {
            (Self::Percent, [b'%', high, low, ..]) => {
                let byte = u8::try_from(hex(&[*high, *low])?).ok()?;
                buffer.fill(byte);
                return Some((buffer.get(..1)?, 3));
            }
            (Self::Json, [b'\\', b'u', digits @ ..]) => unicode(digits)?,
            (Self::Json, [b'\\', c, ..]) if b"\"\\/".contains(c) => (char::from(*c), 2),
            (Self::Html, [b'&', name @ ..]) => entity(name)?,
            _ => return None,
        };
        Some((c.encode_utf8(buffer).as_bytes(), used))
    }
}

/// What `\u` and these digits are, and how long they are with it.
fn unicode(digits: &[u8]) -> Option<(char, usize)> {
    let first = hex(digits.get(..4)?)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 6));
    }
    let second = hex(digits.get(4..)?.strip_prefix(b"\\u")?.get(..4)?)?;
    let pair = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    Some((char::decode_utf16(pair).next()?.ok()?, 12))
}

/// What `&` and this name are, and how long they are with it.
fn entity(text: &[u8]) -> Option<(char, usize)> {
    let end = text.iter().take(10).position(|byte| *byte == b';')?;
    let c = match text.get(..end)? {
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"apos" => '\'',
        [b'#', b'x' | b'X', digits @ ..] => char::from_u32(hex(digits)?)?,
        [b'#', digits @ ..] => char::from_u32(std::str::from_utf8(digits).ok()?.parse().ok()?)?,
        _ => return None,
    };
    Some((c, end + 2))
}

fn hex(digits: &[u8]) -> Option<u32> {
    let all = digits.iter().all(u8::is_ascii_hexdigit);
    u32::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| all)?, 16).ok()
}
