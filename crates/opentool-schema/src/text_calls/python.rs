//! Calls as Python: `[weather(city='Paris', days=3), now()]`, and nothing else in the text.
//!
//! Keyword arguments with literal values only; no expression is ever evaluated.

use serde_json::{Map, Value};

use super::{TextCall, TextCalls, nothing_lost};
use crate::repair::{Marks, Tolerance, Written, bare_literal, first_value};

pub(super) fn read(text: &str) -> Option<TextCalls> {
    let body = text.trim();
    let listed = body.strip_prefix('[').and_then(|body| body.strip_suffix(']'));
    let mut rest = listed.unwrap_or(body).trim();
    let mut found = TextCalls::default();
    while !rest.is_empty() && !found.full() {
        let (call, marks, after) = call(rest)?;
        found.add(nothing_lost(&marks).map(|()| vec![call]));
        let after = after.trim_start();
        rest = match after.strip_prefix([',', ';']) {
            Some(next) => next.trim_start(),
            None if after.is_empty() => after,
            // One call on each line.
            None if rest.len() > after.len() && listed.is_none() => after,
            None => return None,
        };
    }
    Some(found).filter(|found| !found.is_empty())
}

/// A call, how its arguments were written, and what follows.
fn call(text: &str) -> Option<(TextCall, Marks, &str)> {
    let (name, mut rest) = text.split_once('(')?;
    let first = name.chars().next()?;
    let named = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
    if !named || first.is_ascii_digit() {
        return None;
    }
    let mut members = Map::new();
    let mut marks = Marks::default();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(')') {
            return Some((TextCall::new(name, members), marks, after));
        }
        let (key, after) = rest.split_once('=')?;
        let key = key.trim();
        if key.is_empty()
            || !key.chars().all(|c| c.is_alphanumeric() || c == '_')
            || members.contains_key(key)
        {
            return None;
        }
        let (written, after) = literal(after.trim_start())?;
        marks.set_key(key, written.marks);
        members.insert(key.to_owned(), written.value);
        rest = after.trim_start();
        match rest.strip_prefix(',') {
            Some(next) => rest = next,
            None if rest.starts_with(')') => {}
            None => return None,
        }
    }
}

/// One literal, and what follows it.
fn literal(text: &str) -> Option<(Written, &str)> {
    match text.chars().next()? {
        '{' | '[' => {
            let (written, end) = first_value(text, Tolerance::Sure)?;
            Some((written, text.get(end..)?))
        }
        quote @ ('"' | '\'') => {
            let (value, after) = string(text, quote)?;
            Some((Written::plain(value), after))
        }
        _ => {
            let end = text.find([',', ')'])?;
            Some((bare_literal(text.get(..end)?.trim())?, text.get(end..)?))
        }
    }
}

/// A string literal, with the escapes that Python and JSON share.
fn string(text: &str, quote: char) -> Option<(Value, &str)> {
    let mut out = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, c)) = letters.next() {
        match c {
            '\\' => match letters.next()?.1 {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                c @ ('\\' | '"' | '\'') => out.push(c),
                other => out.extend(['\\', other]),
            },
            c if c == quote => return Some((out.into(), text.get(at.saturating_add(1)..)?)),
            c => out.push(c),
        }
    }
    None
}
