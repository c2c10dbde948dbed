//! Whether a quote inside a string ends it, or was meant to be part of it.
//!
//! Asked at every quote of a text that is not JSON. The answer looks at what follows, and a bounded number of
//! characters far, so that a text of nothing but quotes costs no more than any other.

use super::scan::{
    closes_list, closes_object, comment, is_colon, is_comma, is_quote, is_word, opens_list, opens_object,
    spaces,
};

/// Bytes of a comment that are looked past, and how many comments.
const COMMENT: usize = 128;
const COMMENTS: usize = 3;
/// Bytes of a key that are looked at to see whether it is one.
const KEY: usize = 128;

/// What a string is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Key,
    Member,
    Item,
}

/// What a quote in a string is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    End,
    Inside,
    /// Either; the text must be refused.
    Unclear,
}

/// Judges a quote by the text after it. `inner` quotes before it were taken to be inside; `last` says that no
/// closing brace follows beyond the next one. Adds the bytes that it looked at to `looked`.
pub(super) fn judge(
    after: &str,
    role: Role,
    inner: usize,
    last_brace: Option<usize>,
    looked: &mut usize,
) -> Verdict {
    if plainly_over(after.as_bytes(), role) {
        return Verdict::End;
    }
    let spaced = after.chars().next().is_some_and(char::is_whitespace);
    let next = spaces(after);
    let blanks = after.len().saturating_sub(next.len());
    *looked = looked.saturating_add(blanks);
    let Some(c) = next.chars().next() else { return Verdict::End };
    let beyond = next.get(c.len_utf8()..).unwrap_or_default();
    if role == Role::Key {
        // `"city" "Paris"`: the colon is missing.
        let value = spaced && is_quote(c);
        if value || is_colon(c) || c == '=' || comment_follows(next) {
            return Verdict::End;
        }
        // `"force","dry_run"`: a key without a value, not one key with quotes in it.
        let another = is_comma(c) && spaces(beyond).starts_with(is_quote);
        return if another || closes_object(c) { Verdict::Unclear } else { Verdict::Inside };
    }
    if comment_follows(next) {
        return Verdict::End;
    }
    if is_comma(c) {
        let next = past_comments(beyond);
        *looked = looked.saturating_add(beyond.len().saturating_sub(next.len()));
        return after_comma(next, role);
    }
    if closes_object(c) || closes_list(c) {
        let last = last_brace.is_none_or(|brace| brace <= blanks);
        let next = spaces(beyond);
        *looked = looked.saturating_add(beyond.len().saturating_sub(next.len()));
        return after_closing(next, last);
    }
    if is_colon(c) {
        // The end of a key, so that what was begun before it has ended somewhere.
        return Verdict::Unclear;
    }
    match role {
        // `"a" "b"`: a comma is missing, unless quotes are unescaped here anyway.
        Role::Item if is_quote(c) && inner == 0 && spaced => Verdict::End,
        Role::Item if is_quote(c) && spaced => Verdict::Unclear,
        Role::Member if spaced && (key_follows(next) || word_key_follows(next)) => Verdict::End,
        Role::Member if is_quote(c) && key_follows(next) => Verdict::End,
        // `"-r""/tmp"`: a comma is missing, or a quote is doubled.
        _ if is_quote(c) && !spaced && inner == 0 && goes_on(beyond) => Verdict::Unclear,
        // `"a": "x" "y"`: two values, or quotes in one.
        Role::Member if is_quote(c) && spaced && inner == 0 => Verdict::Unclear,
        // Concatenation, which only the wide reading knows.
        _ if c == '+' && spaces(beyond).starts_with(is_quote) => Verdict::End,
        _ => Verdict::Inside,
    }
}

/// The usual cases of what [`judge`] finds out, told by two bytes.
fn plainly_over(after: &[u8], role: Role) -> bool {
    match (role, after) {
        (Role::Key, [b':', ..]) => true,
        (Role::Key, _) => false,
        (_, [b',', b'"' | b'\'', ..]) => true,
        (_, [b'}' | b']', b',' | b'}' | b']', ..] | [b'}' | b']']) => true,
        _ => false,
    }
}

/// The text after white space and a few short comments.
fn past_comments(text: &str) -> &str {
    let mut rest = spaces(text);
    for _ in 0..COMMENTS {
        let end = rest.char_indices().map(|(at, _)| at).find(|at| *at >= COMMENT).unwrap_or(rest.len());
        let window = rest.get(..end).unwrap_or_default();
        match comment(window) {
            0 => break,
            // It is longer than anybody looks.
            bytes if bytes >= window.len() && window.len() < rest.len() => break,
            bytes => rest = spaces(rest.get(bytes..).unwrap_or_default()),
        }
    }
    rest
}

fn after_comma(next: &str, role: Role) -> Verdict {
    let Some(c) = next.chars().next().filter(|_| !comment_follows(next)) else { return Verdict::End };
    let structural = is_quote(c) || is_comma(c) || closes_object(c) || closes_list(c);
    match role {
        _ if structural => Verdict::End,
        // The text ends here: what the word would have become, nobody knows.
        _ if word(next).len() == next.len() => Verdict::End,
        Role::Item if c.is_ascii_digit() || c == '-' || opens_object(c) || opens_list(c) => Verdict::End,
        Role::Item if ["true", "false", "null", "True", "False", "None"].iter().any(|w| word(next) == *w) => {
            Verdict::End
        }
        // Words in a list: the next item without quotes, or more of this one.
        Role::Item => Verdict::Unclear,
        Role::Member | Role::Key if word_key_follows(next) => Verdict::End,
        Role::Member | Role::Key => Verdict::Inside,
    }
}

fn after_closing(next: &str, last: bool) -> Verdict {
    let structural = |c: char| {
        is_comma(c)
            || closes_object(c)
            || closes_list(c)
            || opens_object(c)
            || matches!(c, '<' | '`' | '"' | ')')
    };
    match next.chars().next() {
        None => Verdict::End,
        Some(c) if structural(c) || last => Verdict::End,
        Some(_) if comment_follows(next) => Verdict::End,
        Some(_) => Verdict::Inside,
    }
}

/// Whether something else than the end of a string follows.
fn goes_on(text: &str) -> bool {
    spaces(text).chars().next().is_some_and(|c| !(is_comma(c) || closes_object(c) || closes_list(c)))
}

fn comment_follows(text: &str) -> bool {
    // With half of its mark at the end, the text is cut off or still being written.
    matches!(text, "/" | "#") || ["//", "/*", "# ", "#\t"].iter().any(|start| text.starts_with(start))
}

/// Whether a key in quotes and a colon follow.
pub(super) fn key_follows(text: &str) -> bool {
    let mut letters = text.char_indices();
    let Some((_, quote)) = letters.next().filter(|(_, c)| is_quote(*c)) else { return false };
    let end =
        letters.take_while(|(at, _)| *at < KEY).find(|(_, c)| *c == quote || (quote != '"' && is_quote(*c)));
    let Some((end, close)) = end else { return false };
    let after = text.get(end.saturating_add(close.len_utf8())..).unwrap_or_default();
    end > quote.len_utf8() && spaces(after).chars().next().is_some_and(is_colon)
}

/// Whether a key without quotes and a colon follow.
fn word_key_follows(text: &str) -> bool {
    let key = word(text);
    let after = text.get(key.len()..).unwrap_or_default();
    // `http://` is a word and a colon, but no key.
    !key.is_empty() && spaces(after).chars().next().is_some_and(is_colon) && !spaces(after).starts_with("://")
}

fn word(text: &str) -> &str {
    let end = text.char_indices().find(|(at, c)| !is_word(*c) || *at > KEY).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}
