//! Strings: escapes, quotes of all sorts, and where a string ends that holds unescaped ones.

use super::close::{Role, Verdict, judge};
use super::scan::{Scan, is_quote, spaces};
use super::{Fault, Tolerance};

/// A string that was read.
pub(super) struct Quoted {
    pub(super) text: String,
    pub(super) end: End,
}

/// How a string ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With its quote.
    Closed,
    /// With its colon: `{"city:"Paris"}`. The reader stands after it.
    Colon,
    /// With the text, which is still being written.
    Open,
}

/// Reads the string whose opening quote is next.
pub(super) fn quoted(
    scan: &mut Scan<'_>,
    role: Role,
    tolerance: Tolerance,
    last_brace: usize,
) -> Result<Quoted, Fault> {
    let from = scan.at;
    let Some(open) = scan.bump() else { return Err(Fault::Truncated) };
    if tolerance != Tolerance::Prefix
        && open == '"'
        && role != Role::Key
        && let Some(text) = tripled(scan)
    {
        return Ok(Quoted { text, end: End::Closed });
    }
    let mut text = String::new();
    let mut inner = 0_usize;
    loop {
        // All at once up to the next character that may be more than itself.
        let run = plain_run(scan.rest(), open);
        if text.is_empty() {
            text = String::from(run);
        } else {
            text.push_str(run);
        }
        scan.skip(run.len());
        let Some(c) = scan.bump() else {
            return unended(scan, from, text, tolerance);
        };
        if c == '\\' {
            if !escape(scan, open, &mut text) {
                return unended(scan, from, text, tolerance);
            }
            continue;
        }
        if open == '`' {
            return Ok(Quoted { text, end: End::Closed });
        }
        let after = scan.rest();
        if role == Role::Key
            && let Some(key) = text.trim_end().strip_suffix(':')
            && !key.is_empty()
            && after.chars().next().is_some_and(|c| !c.is_whitespace() && c != ':')
        {
            // The quote that was read opens the value.
            scan.at = scan.at.saturating_sub(c.len_utf8());
            return Ok(Quoted { text: key.trim_end().to_owned(), end: End::Colon });
        }
        match judge(after, role, inner, last_brace.checked_sub(scan.at), &mut scan.looked) {
            Verdict::End => return Ok(Quoted { text, end: End::Closed }),
            Verdict::Inside => {
                inner = inner.saturating_add(1);
                text.push(c);
            }
            Verdict::Unclear => {
                return Err(Fault::NotJson { at: scan.at, why: "it is not clear where the string ends" });
            }
        }
    }
}

/// What is in the string for certain: up to the next backslash, or quote that may end it.
fn plain_run(text: &str, open: char) -> &str {
    let end = match u8::try_from(open) {
        Ok(quote) => memchr::memchr2(quote, b'\\', text.as_bytes()),
        Err(_) => text.find(|c| c == '\\' || ends(open, c)),
    };
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

fn ends(open: char, c: char) -> bool {
    match open {
        '"' | '\'' | '`' => c == open,
        '‘' | '’' => matches!(c, '’' | '‘' | '\''),
        _ => matches!(c, '”' | '“' | '＂' | '"'),
    }
}

/// The text is over, the string is not.
fn unended(scan: &mut Scan<'_>, from: usize, text: String, tolerance: Tolerance) -> Result<Quoted, Fault> {
    if tolerance == Tolerance::Prefix {
        // Half an escape is left out.
        scan.skip(scan.rest().len());
        return Ok(Quoted { text, end: End::Open });
    }
    // A text that ends like a whole one was not cut off: a quote is missing, who knows where.
    if scan.text.trim_end().ends_with(['}', ']']) {
        return Err(Fault::NotJson { at: from, why: "a string that begins here never ends" });
    }
    Err(Fault::Truncated)
}

/// Reads an escape after its backslash; `false` if the text ends in the middle of it.
fn escape(scan: &mut Scan<'_>, open: char, text: &mut String) -> bool {
    let Some(c) = scan.bump() else { return false };
    let plain = match c {
        '"' | '\\' | '/' => c,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return unicode(scan, text),
        '\'' | '`' => c,
        _ if ends(open, c) => c,
        // No escape of JSON: the backslash was meant as one, as in `C:\Users`.
        _ => {
            text.push('\\');
            c
        }
    };
    text.push(plain);
    true
}

/// Reads `\u0041` after its `u`, and the second half of a pair. Half a pair becomes U+FFFD.
fn unicode(scan: &mut Scan<'_>, text: &mut String) -> bool {
    let unit = match hex(scan.rest()) {
        Ok(unit) => unit,
        Err(Hex::Over) => return false,
        Err(Hex::Other) => {
            text.push_str("\\u");
            return true;
        }
    };
    scan.skip(4);
    if (0xD800..0xDC00).contains(&unit) {
        let second = scan.rest().strip_prefix("\\u").map(hex);
        match second {
            Some(Ok(low @ 0xDC00..0xE000)) => {
                scan.skip(6);
                let point = 0x10000_u32
                    .saturating_add(unit.saturating_sub(0xD800).saturating_mul(0x400))
                    .saturating_add(low.saturating_sub(0xDC00));
                text.push(char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER));
                return true;
            }
            Some(Err(Hex::Over)) => return false,
            None if matches!(scan.rest(), "" | "\\") => return false,
            _ => {}
        }
    }
    text.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
    true
}

enum Hex {
    /// The text ends among the digits.
    Over,
    /// These are no four digits.
    Other,
}

fn hex(text: &str) -> Result<u32, Hex> {
    let digits = text.bytes().take(4).take_while(u8::is_ascii_hexdigit).count();
    match text.get(..4).filter(|_| digits == 4) {
        Some(four) => u32::from_str_radix(four, 16).map_err(|_| Hex::Other),
        None if digits == text.len() => Err(Hex::Over),
        None => Err(Hex::Other),
    }
}

/// `"""…"""`, after the first quote.
fn tripled(scan: &mut Scan<'_>) -> Option<String> {
    let inside = scan.rest().strip_prefix("\"\"")?;
    let end = inside.find("\"\"\"")?;
    let text = inside.get(..end)?.to_owned();
    scan.skip(end.saturating_add(5));
    Some(text)
}

/// `r"\d+"`, where nothing is an escape: the text of it.
pub(super) fn raw(scan: &mut Scan<'_>) -> Option<String> {
    let inside = scan.rest().strip_prefix(['r', 'R'])?;
    let quote = inside.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inside = inside.get(1..)?;
    let end = inside.find(quote)?;
    let text = inside.get(..end)?.to_owned();
    scan.skip(end.saturating_add(3));
    Some(text)
}

/// Whether a `+` and another string follow.
pub(super) fn joined(scan: &mut Scan<'_>) -> bool {
    let Some(after) = spaces(scan.rest()).strip_prefix('+') else { return false };
    let next = spaces(after);
    let follows = next.starts_with(is_quote);
    if follows {
        scan.skip(scan.rest().len().saturating_sub(next.len()));
    }
    follows
}
