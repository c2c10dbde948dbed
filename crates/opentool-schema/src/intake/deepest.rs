//! JSON of one level more than `serde_json` reads.
//!
//! The own reader reads it, and nothing is changed by that: it is told apart here from text that is nearly JSON, so that
//! the record says only what happened.

use serde::de::IgnoredAny;

use crate::read::{LEVELS, levels};
use crate::repair;

/// Whether a text is valid JSON that nests too deeply for `serde_json` and not too deeply for the own reader.
pub(super) fn is_json(text: &str) -> bool {
    // Nearly all texts that get here are shallow, and each is looked at once more only if it is not.
    if text.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count() <= LEVELS
        || levels(text) != repair::LEVELS
    {
        return false;
    }
    shallow(text).is_some_and(|text| serde_json::from_str::<IgnoredAny>(&text).is_ok())
}

/// The text with a number for every array and object of the last level; `None` if one of them is not JSON.
fn shallow(text: &str) -> Option<String> {
    let mut done = String::with_capacity(text.len());
    let (mut level, mut from) = (0_usize, 0_usize);
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                level = level.saturating_add(1);
                if level > LEVELS {
                    done.push_str(text.get(from..at)?);
                    from = at;
                }
            }
            b']' | b'}' if !quoted => {
                if level > LEVELS {
                    let end = at.saturating_add(1);
                    serde_json::from_str::<IgnoredAny>(text.get(from..end)?).ok()?;
                    done.push('0');
                    from = end;
                }
                level = level.saturating_sub(1);
            }
            _ => {}
        }
    }
    done.push_str(text.get(from..)?);
    Some(done)
}
