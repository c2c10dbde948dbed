//! JSON of one level more than `serde_json` reads.
//!
//! The own reader reads it, and nothing is changed by that: it is told apart here from text that is nearly JSON, so that
//! it is taken where nothing is mended, too, and the record says only what happened.

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::read::{Bracket, brackets, levels};
use crate::repair::{self, Tolerance};

/// Levels that `serde_json` reads.
const LEVELS: usize = repair::LEVELS - 1;

/// The value of a text that is valid JSON and nests too deeply for `serde_json`, but not too deeply for the own reader.
pub(crate) fn value(text: &str) -> Option<Value> {
    // Nearly all texts are told apart at a glance.
    let is_json = memchr::memchr2_iter(b'[', b'{', text.as_bytes()).nth(LEVELS).is_some()
        && levels(text) == repair::LEVELS
        && shallow(text).is_some_and(|text| serde_json::from_str::<IgnoredAny>(&text).is_ok());
    is_json.then(|| repair::read(text, Tolerance::Sure).ok().map(|written| written.value)).flatten()
}

/// The text with a number for every array and object of the last level; `None` if one of them is not JSON.
fn shallow(text: &str) -> Option<String> {
    let mut done = String::with_capacity(text.len());
    let (mut level, mut from) = (0_usize, 0_usize);
    for (at, bracket) in brackets(text) {
        match bracket {
            Bracket::Opens => {
                level = level.saturating_add(1);
                if level > LEVELS {
                    done.push_str(text.get(from..at)?);
                    from = at;
                }
            }
            Bracket::Closes => {
                if level > LEVELS {
                    let end = at.saturating_add(1);
                    serde_json::from_str::<IgnoredAny>(text.get(from..end)?).ok()?;
                    done.push('0');
                    from = end;
                }
                level = level.saturating_sub(1);
            }
        }
    }
    done.push_str(text.get(from..)?);
    Some(done)
}
