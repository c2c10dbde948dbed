//! Where in a text the JSON starts: at once, after prose, in a fence, in a tag, in quotes, escaped once too often.

use std::borrow::Cow;

use super::close::key_follows;
use super::scan::{blank, opens_list, opens_object};

/// Where reading starts.
pub(super) enum Start {
    /// At an opening bracket.
    At(usize),
    /// At a key whose opening brace is missing.
    Inside(usize),
    /// The whole is a string with this text.
    Quoted(String),
    /// The whole is a string with an object in it, and ends too early.
    Cut,
    /// There is no structure.
    Nowhere,
}

pub(super) fn start(text: &str) -> Start {
    let first = blank(text);
    let body = text.get(first..).unwrap_or_default();
    // A template's `{{` that was never filled in.
    if let Some(inside) = body.strip_prefix("{{").filter(|inside| inside.trim_end().ends_with("}}")) {
        return Start::At(first.saturating_add(body.len().saturating_sub(inside.len())).saturating_sub(1));
    }
    if body.starts_with(|c| opens_object(c) || opens_list(c)) {
        return Start::At(first);
    }
    if body.starts_with('"') {
        match serde_json::from_str::<String>(body) {
            Ok(inner) => return Start::Quoted(inner),
            Err(error) if error.is_eof() && body.starts_with("\"{") => return Start::Cut,
            Err(_) => {}
        }
        if key_follows(body) {
            return Start::Inside(first);
        }
    }
    for quote in ['\'', '`'] {
        let inner = body.trim_end().strip_prefix(quote).and_then(|body| body.strip_suffix(quote));
        if let Some(inner) = inner.filter(|inner| inner.trim_start().starts_with(['{', '['])) {
            return Start::Quoted(inner.to_owned());
        }
    }
    match located(body) {
        Some(at) => Start::At(first.saturating_add(at)),
        None => Start::Nowhere,
    }
}

/// The bracket after prose, tags or the head of a fence.
fn located(body: &str) -> Option<usize> {
    let thought = body.trim_start().strip_prefix("<think>").and_then(|_| body.find("</think>"));
    let from = thought.unwrap_or(0);
    let body = body.get(from..)?;
    let at = fenced(body).or_else(|| object(body))?;
    // `"city": {…`: that object is the value of a key, not the whole.
    let before = body.get(..at)?.trim_end();
    let inside = before.strip_suffix(':').is_some_and(|key| key.trim_end().ends_with(['"', '\'']));
    (!inside).then(|| from.saturating_add(at))
}

/// The bracket at the start of the first fence that holds one.
fn fenced(body: &str) -> Option<usize> {
    let mut from = 0_usize;
    // The later fences of a text are not what it is about.
    for _ in 0..4 {
        let fence = from.saturating_add(body.get(from..)?.find("```")?).saturating_add(3);
        let inside = body.get(fence..)?;
        let language = inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len());
        let content = inside.get(language..)?;
        let at = fence.saturating_add(language).saturating_add(blank(content));
        if body.get(at..)?.starts_with(['{', '[']) {
            return Some(at);
        }
        from = fence;
    }
    None
}

/// The first object, or the list around it.
fn object(body: &str) -> Option<usize> {
    let at = body.find(opens_object)?;
    let before = body.get(..at)?.trim_end();
    Some(before.strip_suffix('[').map_or(at, str::len))
}

/// The text without one layer of escapes, where the quotes themselves are escaped: `{\"city\":\"Paris\"}`.
pub(super) fn without_escapes(text: &str) -> Option<String> {
    let body = text.trim();
    let inside = body.strip_prefix(['{', '['])?;
    let inside = inside.trim_start().trim_start_matches("\\n").trim_start();
    if !inside.starts_with("\\\"") && !inside.starts_with("{\\\"") {
        return None;
    }
    serde_json::from_str(&format!("\"{body}\"")).ok()
}

/// The text without HTML's entities, where it has those instead of quotes.
pub(super) fn without_entities(text: &str) -> Option<String> {
    let quotes = ["&quot;", "&#34;", "&#x22;"];
    if text.contains('"') || !text.contains('&') || !quotes.iter().any(|quote| text.contains(quote)) {
        return None;
    }
    let mut plain = Cow::Borrowed(text);
    // The ampersand last, so that nothing is taken off twice.
    for (entity, letter) in [
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&#x22;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&apos;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ] {
        if plain.contains(entity) {
            plain = Cow::Owned(plain.replace(entity, letter));
        }
    }
    Some(plain.into_owned())
}
