//! Calls as Python: `[weather(city='Paris', days=3), now()]`.
//!
//! Keyword arguments with literal values only; no expression is ever evaluated.

use opentool_core::Problem;
use serde_json::{Map, Value};

use super::{Calls, MOST, TextCall, nothing_lost};
use crate::repair::{Marks, Tolerance, Written, bare_literal, next_value};

/// The calls that a text is, and nothing else.
pub(super) fn read(text: &str) -> Option<Calls> {
    let (calls, rest) = prefix(text.trim(), tail(text.trim()))?;
    rest.trim().is_empty().then_some(calls)
}

/// The calls with which a text begins, in a list or not, and what follows them; `tail` bytes before the end of which stands
/// the last brace.
pub(super) fn prefix(text: &str, tail: usize) -> Option<(Calls, &str)> {
    let listed = text.strip_prefix('[');
    let mut rest = listed.unwrap_or(text).trim_start();
    let mut calls = Calls::default();
    loop {
        let (one, after) = call(rest, tail)?;
        calls.push(one);
        let next = after.trim_start();
        if listed.is_some() {
            if let Some(after) = next.strip_prefix(']') {
                return Some((calls, after));
            }
            rest = next.strip_prefix([',', ';'])?.trim_start();
            // The model may write a comma behind the last one.
            if let Some(after) = rest.strip_prefix(']') {
                return Some((calls, after));
            }
        } else {
            let separated = next.strip_prefix([',', ';']).map(str::trim_start);
            let more = separated.unwrap_or(next);
            // One call on each line, or with something between them.
            let may_follow = separated.is_some() || next.len() < after.len();
            if !may_follow || call(more, tail).is_none() {
                return Some((calls, if more.is_empty() { more } else { after }));
            }
            rest = more;
        }
        if calls.all.len() > MOST {
            return Some((calls, rest));
        }
    }
}

/// How much of a text stands behind its last brace: looked for once, not for each value.
pub(super) fn tail(text: &str) -> usize {
    text.len().saturating_sub(text.rfind(['}', '｝']).unwrap_or(0))
}

/// Where the arguments end that a text begins with.
pub(super) fn arguments_end(text: &str, tail: usize) -> Option<usize> {
    let (_, after) = arguments(text.strip_prefix('(')?, tail)?;
    Some(text.len().saturating_sub(after.len()))
}

/// A call, and what follows.
fn call(text: &str, tail: usize) -> Option<(Result<TextCall, Problem>, &str)> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-')))?;
    let (name, inside) = text.split_at_checked(end)?;
    if name.chars().next()?.is_ascii_digit() {
        return None;
    }
    let (arguments, after) = arguments(inside.strip_prefix('(')?, tail)?;
    let read = nothing_lost(&arguments.marks).and_then(|()| TextCall::new(name, arguments.value));
    Some((read, after))
}

/// Keyword arguments up to their bracket, how they were written, and what follows.
fn arguments(text: &str, tail: usize) -> Option<(Written, &str)> {
    let mut rest = text;
    let mut members = Map::new();
    let mut marks = Marks::default();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(')') {
            return Some((Written { value: members.into(), marks }, after));
        }
        let (key, after) = rest.split_at_checked(rest.find('=')?)?;
        let key = key.trim();
        if key.is_empty()
            || !key.chars().all(|c| c.is_alphanumeric() || c == '_')
            || members.contains_key(key)
        {
            return None;
        }
        let (written, after) = literal(after.get(1..)?.trim_start(), tail)?;
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
            let three: String = [quote; 3].iter().collect();
            let end = if text.starts_with(&three) { three } else { quote.to_string() };
            let (value, after) = string(text, &end)?;
            Some((Written::plain(value), after))
        }
        _ => {
            let end = text.find([',', ')'])?;
            Some((bare_literal(text.get(..end)?.trim())?, text.get(end..)?))
        }
    }
}

/// A string literal, with the escapes that Python and JSON share.
fn string<'t>(text: &'t str, end: &str) -> Option<(Value, &'t str)> {
    let mut out = String::new();
    let mut letters = text.char_indices().skip(end.len());
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
            c if end.starts_with(c)
                && let Some(rest) = text.get(at..)?.strip_prefix(end) =>
            {
                return Some((out.into(), rest));
            }
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
