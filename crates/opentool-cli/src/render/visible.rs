//! Characters that show nothing, made visible: a name or a description must not hold what only a model reads.
//!
//! Goes further than the console, which keeps foreign text from driving the terminal and from turning around: marks
//! of width zero, separators that few terminals draw, and the tag characters are written out here as well. It does not
//! judge letters that look alike.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::console::printable;

/// Text of others as a page may show it: `\u{200b}` stands where a reader would see nothing.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    let text = printable(text);
    if !text.contains(is_hidden) {
        return text;
    }
    let mut shown = String::with_capacity(text.len().saturating_add(16));
    for c in text.chars() {
        match c {
            c if is_hidden(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// JSON text with the same characters as JSON's own escapes (`\u200b`): it stays the same JSON. They can stand only
/// inside of strings there.
pub(super) fn visible_json(json: &str) -> Cow<'_, str> {
    let hidden = |c: char| is_hidden(c) || c.is_control() && c != '\n';
    if !json.contains(hidden) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len().saturating_add(16));
    for c in json.chars() {
        if hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let written = write!(shown, "\\u{unit:04x}");
                debug_assert!(written.is_ok(), "writing to a String does not fail");
            }
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Nothing of these is seen, or they change what is seen beside them. Some scripts and emoji need joiners; who reads
/// about a tool is better off knowing that they are there.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{visible, visible_json};

    #[test]
    fn what_shows_nothing_is_written_out() {
        assert_eq!(visible("a\u{200b}b\u{feff}\u{2060}"), "a\\u{200b}b\\u{feff}\\u{2060}");
        assert_eq!(visible("x\u{202e}y\x1b[2J\u{e0041}"), "x\\u{202e}y\\u{1b}[2J\\u{e0041}");
        assert_eq!(visible("plain\ntext, 日本語, ü"), "plain\ntext, 日本語, ü");
    }

    #[test]
    fn json_stays_the_same_json() {
        let value = json!({"a\u{202e}\u{200b}": ["\u{7f}\u{9b}\u{e0041}\u{feff}", "日本語\n\t"]});
        let text = format!("{value:#}");
        let shown = visible_json(&text);
        assert!(shown.contains("a\\u202e\\u200b") && shown.contains("\\udb40\\udc41"), "{shown}");
        assert!(!shown.contains(['\u{7f}', '\u{9b}', '\u{feff}']), "{shown:?}");
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
    }
}
