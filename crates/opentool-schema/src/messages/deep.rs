//! Answers in which something nests deeper than `serde_json` reads: the calls beside it are read all the same.
//!
//! What stands below the levels that it reads is cut out, and put back where an answer may be so deep. Where it may not,
//! there stands something as deep as an answer may be, which is too deep for the arguments of any call: nothing that was
//! shortened runs.

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::LEVELS;
use super::lost::Lost;
use crate::read::{Bracket, brackets, levels};
use crate::repair;

/// Levels that `serde_json` reads.
const READ: usize = repair::LEVELS - 1;
/// Marks that are tried for one that the text does not have.
const TRIED: usize = 16;

/// The value of a text that is JSON and nests deeper than `serde_json` reads, and what it lacks. `None` for any other text.
pub(super) fn read(text: &str) -> Option<(Value, Lost)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_deep =
        memchr::memchr2_iter(b'[', b'{', text.as_bytes()).nth(READ).is_some() && levels(text) > READ;
    // Which it skips at any depth.
    if !is_deep || serde_json::from_str::<IgnoredAny>(text).is_err() {
        return None;
    }
    let mark = (0..TRIED).map(|n| format!("1.{n:04}{}", "0".repeat(24))).find(|mark| !text.contains(mark))?;
    let (held, parts) = cut(text, &mark)?;
    let (mut value, mut lost) = match serde_json::from_str(&held) {
        Ok(value) => {
            let lost = Lost::of(&held, &value);
            (value, lost)
        }
        Err(_) => Lost::beside_no_numbers(&held)?,
    };
    let places = lost.take_marked(&mark);
    // One that is nowhere was in a value that another one with its key stands for.
    if places.len() != parts.len() {
        return None;
    }
    for (at, number) in places {
        let part = *parts.get(number)?;
        let place = value.pointer_mut(&at)?;
        if levels(part).saturating_add(READ) > LEVELS {
            *place = (READ..LEVELS).fold(Value::Null, |inner, _| json!([inner]));
        } else {
            let written = repair::read_json(part).ok()?;
            lost.add(&at, &written);
            *place = written.value;
        }
    }
    Some((value, lost))
}

/// The value alone.
pub fn deep(text: &str) -> Option<Value> {
    read(text).map(|(value, _)| value)
}

/// The text with a number for each array and object below the levels that are read, and those.
fn cut<'t>(text: &'t str, mark: &str) -> Option<(String, Vec<&'t str>)> {
    let mut held = String::with_capacity(text.len());
    let mut parts = Vec::new();
    let (mut level, mut from) = (0_usize, 0_usize);
    for (at, bracket) in brackets(text) {
        match bracket {
            Bracket::Opens => {
                level = level.saturating_add(1);
                if level == READ.saturating_add(1) {
                    held.push_str(text.get(from..at)?);
                    from = at;
                }
            }
            Bracket::Closes => {
                if level == READ.saturating_add(1) {
                    let end = at.saturating_add(1);
                    // The last digit is none that a number could do without.
                    held.push_str(&format!("{mark}{}7", parts.len()));
                    parts.push(text.get(from..end)?);
                    from = end;
                }
                level = level.saturating_sub(1);
            }
        }
    }
    held.push_str(text.get(from..)?);
    Some((held, parts))
}
