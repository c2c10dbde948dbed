//! Calls as Python: `[weather(city='Paris', days=3), now()]`, and nothing else in the text.
//!
//! Keyword arguments with literal values only; no expression is ever evaluated.

use serde_json::{Map, Value};

use super::{TextCall, TextCalls, nothing_lost};
use crate::repair::{Marks, Tolerance, Written, bare_literal, next_value};

pub(super) fn read(text: &str) -> Option<TextCalls> {
    let body = text.trim();
    let listed = body.strip_prefix('[').and_then(|body| body.strip_suffix(']'));
    let mut rest = listed.unwrap_or(body).trim();
    // How much of the text stands behind its last brace: looked for once, not for each value.
    let tail = text.len().saturating_sub(text.rfind(['}', '｝']).unwrap_or(0));
    let mut found = TextCalls::default();
    while !rest.is_empty() && !found.full() {
        let (call, marks, after) = call(rest, tail)?;
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
fn call(text: &str, tail: usize) -> Option<(TextCall, Marks, &str)> {
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
        let (written, after) = literal(after.trim_start(), tail)?;
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
fn literal(text: &str, tail: usize) -> Option<(Written, &str)> {
    match text.chars().next()? {
        '{' | '[' => {
            let last_brace = text.len().saturating_sub(tail);
            let (written, end) = next_value(text, last_brace, Tolerance::Sure)?;
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
                'b' => out.push('\u{8}'),
                'f' => out.push('\u{c}'),
                'x' => out.push(code(&mut letters, 2)?),
                'U' => out.push(code(&mut letters, 8)?),
                'u' => {
                    let high = unit(&mut letters, 4)?;
                    out.push(if (0xD800..0xDC00).contains(&high) {
                        // JSON writes other planes in two halves.
                        (letters.next()?.1 == '\\' && letters.next()?.1 == 'u').then_some(())?;
                        let low = unit(&mut letters, 4)?.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
                        char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + low)?
                    } else {
                        char::from_u32(high)?
                    });
                }
                c @ ('\\' | '/' | '"' | '\'') => out.push(c),
                other => out.extend(['\\', other]),
            },
            c if c == quote => return Some((out.into(), text.get(at.saturating_add(1)..)?)),
            c => out.push(c),
        }
    }
    None
}

/// A character by its number in this many hexadecimal digits.
fn code(letters: &mut Letters<'_>, digits: usize) -> Option<char> {
    char::from_u32(unit(letters, digits)?)
}

fn unit(letters: &mut Letters<'_>, digits: usize) -> Option<u32> {
    (0..digits)
        .try_fold(0_u32, |number, _| number.checked_mul(16)?.checked_add(letters.next()?.1.to_digit(16)?))
}

type Letters<'t> = std::iter::Skip<std::str::CharIndices<'t>>;
