//! Text of others as it may be shown: nothing in it drives a terminal, and nothing hides from a reader.
//!
//! Control characters, characters that turn the direction of writing, marks without width and the tag characters are
//! written out as what they are. It does not judge letters that look alike, and it changes nothing that a program reads:
//! JSON keeps its meaning, with JSON's own escapes.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Text as it may be shown: `\u{200b}` stands where a reader would see nothing. Line ends and tabs stay; the returns
/// before line ends go.
///
/// ```
/// assert_eq!(opentool_text::printable("a\u{1b}[2Jb\u{200b}\r\n"), "a\\u{1b}[2Jb\\u{200b}\n");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    shown(text, |c| match c {
        '\n' | '\t' => Treatment::Keep,
        '\r' => Treatment::Drop,
        _ => Treatment::Escape,
    })
}

/// The same for a text that must stay in its line: line ends and tabs are written out too.
pub fn printable_line(text: &str) -> Cow<'_, str> {
    shown(text, |_| Treatment::Escape)
}

/// JSON text with the same characters as JSON's own escapes (`\u200b`): it is the same JSON. White space between
/// its values stays.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    // Elsewhere than inside of strings, where JSON has its escapes, these cannot stand in JSON.
    rewritten(
        json,
        |c| if c.is_ascii_whitespace() { Treatment::Keep } else { Treatment::Escape },
        json_escape,
    )
}

/// Whether a character may be shown as it is, whatever stands beside it.
pub(crate) fn is_plain(c: char) -> bool {
    !c.is_control() && !is_hidden(c)
}

/// What becomes of a character that is not plain.
enum Treatment {
    Keep,
    Drop,
    Escape,
}

fn shown(text: &str, treat: impl Fn(char) -> Treatment) -> Cow<'_, str> {
    rewritten(text, treat, |shown, c| shown.extend(c.escape_unicode()))
}

fn rewritten(
    text: &str,
    treat: impl Fn(char) -> Treatment,
    escape: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len().saturating_add(16));
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_plain(c) || is_joint(before, c, chars.peek().copied()) {
            shown.push(c);
        } else {
            match treat(c) {
                Treatment::Keep => shown.push(c),
                Treatment::Drop => {}
                Treatment::Escape => escape(&mut shown, c),
            }
        }
        before = c;
    }
    Cow::Owned(shown)
}

fn json_escape(shown: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        // Writing to a string cannot fail.
        let _ = write!(shown, "\\u{unit:04x}");
    }
}

/// Nothing of these is seen, or they change what is seen beside them.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a joiner does its work: one alone between two characters of a script, or pictures, that need joiners. In
/// ASCII there is nothing to join.
fn is_joint(before: char, c: char, after: Option<char>) -> bool {
    let needs = |c: char| !c.is_ascii() && is_plain(c);
    matches!(c, '\u{200c}' | '\u{200d}') && needs(before) && after.is_some_and(needs)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{printable, printable_json, printable_line};

    #[test]
    fn what_shows_nothing_is_written_out() {
        assert_eq!(printable("a\u{200b}b\u{feff}\u{2060}"), "a\\u{200b}b\\u{feff}\\u{2060}");
        assert_eq!(printable("x\u{202e}y\x1b[2J\u{e0041}"), "x\\u{202e}y\\u{1b}[2J\\u{e0041}");
        assert_eq!(printable("plain\ntext,\t日本語, ü\r\n"), "plain\ntext,\t日本語, ü\n");
        assert_eq!(printable_line("a\tb\r\n"), "a\\u{9}b\\u{d}\\u{a}");
    }

    #[test]
    fn joiners_stay_where_they_join() {
        assert_eq!(printable("👩\u{200d}🚀 می\u{200c}خواهم"), "👩\u{200d}🚀 می\u{200c}خواهم");
        assert_eq!(printable("a\u{200d}b"), "a\\u{200d}b");
        assert_eq!(printable("ü\u{200d}\u{200d}ü\u{200d}"), "ü\\u{200d}\\u{200d}ü\\u{200d}");
    }

    #[test]
    fn json_stays_the_same_json() {
        let value = json!({"a\u{202e}\u{200b}": ["\u{7f}\u{9b}\u{e0041}\u{feff}", "日本語\n\t"]});
        for text in [format!("{value:#}\r\n"), value.to_string()] {
            let shown = printable_json(&text);
            assert!(shown.contains("a\\u202e\\u200b") && shown.contains("\\udb40\\udc41"), "{shown}");
            assert!(!shown.contains(['\u{7f}', '\u{9b}', '\u{feff}']), "{shown:?}");
            assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
        }
    }
}
