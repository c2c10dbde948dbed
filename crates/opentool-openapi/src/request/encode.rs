//! Percent-encoding, and the test for dot segments in disguise.

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
pub(super) fn strict(text: &str) -> String {
    utf8_percent_encode(text, STRICT).to_string()
}

/// Reserved characters and existing escapes stay.
pub(super) fn reserved(text: &str) -> String {
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
    out
}

/// Text of the document, made fit for a URL.
pub(super) fn literal(text: &str) -> String {
    utf8_percent_encode(text, LITERAL).to_string()
}

fn is_triple(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next() == Some(b'%') && bytes.all(|b| b.is_ascii_hexdigit())
}

/// Whether a path segment is, or could be taken by some decoder on the way for, a way up or through the path: `..`,
/// `%2e%2e`, `..;`, `..\`, `a/../b`, full-width dots, overlong escapes.
pub(super) fn climbs(segment: &str) -> bool {
    let mut text = segment.to_owned();
    // Proxies and frameworks decode once more than they should; nobody decodes four times.
    for _ in 0..4 {
        let plain = fold(&text);
        let climbing = plain
            .split(['/', '\\'])
            .map(|piece| piece.split(';').next().unwrap_or_default().trim())
            .any(|piece| piece == "." || piece == "..");
        if climbing {
            return true;
        }
        let decoded = percent_decode_str(&text).decode_utf8_lossy().into_owned();
        if decoded == text {
            return false;
        }
        text = decoded;
    }
    false
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
