//! Percent-encoding, and the test for dot segments in disguise.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// All but the unreserved characters of RFC 3986.
const STRICT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What `allowReserved` leaves as it is in a query. `#`, `[`, `]` may not stand there, and `&` and `+` mean something
/// else: the specification leaves these to the application, and a value must not become a second parameter.
const RESERVED: &AsciiSet = &STRICT
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';')
    .remove(b'=');

/// What the document itself wrote into a path or a query: its own delimiters and escapes stay.
const LITERAL: &AsciiSet = &RESERVED.remove(b'&').remove(b'+').remove(b'[').remove(b']').remove(b'%');

/// Everything but unreserved characters is escaped.
pub(super) fn strict(text: &str) -> Cow<'_, str> {
    utf8_percent_encode(text, STRICT).into()
}

/// Reserved characters and existing escapes stay.
pub(super) fn reserved(text: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (before, from) = rest.split_at(at);
        out.extend(utf8_percent_encode(before, RESERVED));
        match from.get(..3).filter(|triple| is_triple(triple)) {
            Some(triple) => {
                out.push_str(triple);
                rest = from.get(3..).unwrap_or_default();
            }
            None => {
                out.push_str("%25");
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    out.extend(utf8_percent_encode(rest, RESERVED));
    out.into()
}

/// Text of the document, made fit for a URL.
pub(super) fn literal(text: &str) -> Cow<'_, str> {
    utf8_percent_encode(text, LITERAL).into()
}

/// What a text says that may hold escapes.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}

/// Nothing is escaped.
pub(super) fn raw(text: &str) -> Cow<'_, str> {
    text.into()
}

fn is_triple(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next() == Some(b'%') && bytes.all(|b| b.is_ascii_hexdigit())
}

/// Whether a path segment is, or could be taken by some decoder on the way for, a way up or through the path: `..`,
/// `%2e%2e`, `..;`, `..\`, `a/../b`, full-width dots, overlong escapes.
pub(super) fn climbs(segment: &str) -> bool {
    let mut text = Cow::Borrowed(segment);
    // Proxies and frameworks decode once more than they should; nobody decodes four times.
    for _ in 0..4 {
        if may_hold_dots(&text) && is_climbing(&fold(&text)) {
            return true;
        }
        // Nothing is copied where nothing is escaped, which is nearly always.
        let decoded = match percent_decode_str(&text).into() {
            Cow::Borrowed(_) => return false,
            Cow::Owned(decoded) => decoded,
        };
        let decoded = match String::from_utf8(decoded) {
            Ok(decoded) => decoded,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        text = Cow::Owned(decoded);
    }
    false
}

/// Whether one of the pieces between slashes is a dot segment.
fn is_climbing(plain: &str) -> bool {
    plain
        .split(['/', '\\'])
        .map(|piece| piece.split(';').next().unwrap_or_default().trim())
        .any(|piece| piece == "." || piece == "..")
}

/// Whether [`fold`] can find a dot: there is one, something like one, or an escape that is none of a text in UTF-8. Says yes
/// too often rather than too seldom; it is asked for every segment of every path.
fn may_hold_dots(text: &str) -> bool {
    let bytes = text.as_bytes();
    // `..` and its like begin with 0xE2 or 0xEF in UTF-8; what is overlong may have a NUL in it, which some decoders drop.
    bytes.iter().any(|byte| matches!(byte, b'.' | 0xe2 | 0xef | 0))
        || bytes
            .windows(6)
            .any(|escapes| escapes.first() == Some(&b'%') && escapes.eq_ignore_ascii_case(b"%c0%ae"))
}

/// Maps the characters and escapes that compatible decoders take for dots and slashes to those.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{2024}' | '\u{fe52}' | '\u{ff0e}' => folded.push('.'),
            '\u{2025}' => folded.push_str(".."),
            '\u{2044}' | '\u{2215}' | '\u{29f8}' | '\u{ff0f}' => folded.push('/'),
            '\u{29f5}' | '\u{fe68}' | '\u{ff3c}' => folded.push('\\'),
            '\0' => {}
            c => folded.push(c.to_ascii_lowercase()),
        }
    }
    if folded.contains("%c") {
        folded = folded.replace("%c0%ae", ".").replace("%c0%af", "/").replace("%c1%9c", "\\");
    }
    folded
}
