//! Halves of characters in JSON: escapes of UTF-16 (`\ud83d`) that stand alone, and that no reader of JSON takes.
//!
//! A model that is cut off, or a server that cuts its words, leaves them behind. One of them is no reason to lose all the
//! rest. It reads no values: a backslash stands nowhere in JSON but in strings.

use std::borrow::Cow;

/// The bytes of an escape of four digits.
const LENGTH: usize = 6;

/// The text with U+FFFD for every half of a character, at the same length.
pub fn with_whole_characters(text: &str) -> Cow<'_, str> {
    let mut done = String::new();
    let (mut copied, mut at) = (0_usize, 0_usize);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        at = at.saturating_add(found);
        let behind = at.saturating_add(LENGTH);
        at = match escape(text, at) {
            Some(0xD800..=0xDBFF) if matches!(escape(text, behind), Some(0xDC00..=0xDFFF)) => {
                behind.saturating_add(LENGTH)
            }
            Some(0xD800..=0xDFFF) => {
                done.push_str(text.get(copied..at).unwrap_or_default());
                done.push_str("\\ufffd");
                copied = behind;
                behind
            }
            _ => at.saturating_add(2),
        };
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    done.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(done)
}

/// The number of an escape of four digits (`\u00e9`) that begins at this byte.
pub fn escape(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..)?.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}
