//! A diagnostic the way compilers show it: the message, the line, a caret under the culprit, the fix.
//!
//! ```text
//! error[function-name]: the name `get weather` holds a space
//!   --> weather.json:9:15
//!    |
//!  9 |       "name": "get weather",
//!    |               ^^^^^^^^^^^^^ /functions/0/name
//!    |
//!    = help: write `get_weather`
//! ```
//!
//! Plain text: colours are for whoever knows the terminal. Documents are hostile, so nothing of them is shown that a
//! terminal would obey, and of a line of megabytes only the part around the culprit is.

use std::borrow::Cow;
use std::fmt::Write as _;

use opentool_core::visible::{is_plain, printable_line};
use opentool_core::{Diagnostic, Location, Severity};
use unicode_width::UnicodeWidthChar as _;

/// How many columns of a line are shown.
const WIDTH: usize = 100;

/// How many columns before the culprit are shown where a line is cut.
const BEFORE: usize = 40;

/// Shows one diagnostic about the text. For several, [`Renderer`] looks for the lines only once.
pub fn render(diagnostic: &Diagnostic, source: &str) -> String {
    Renderer::new(source).render(diagnostic)
}

/// Shows diagnostics about one text.
#[derive(Debug)]
pub struct Renderer<'s> {
    source: &'s str,
    /// The byte at which each line starts.
    lines: Vec<usize>,
}

impl<'s> Renderer<'s> {
    /// For this text.
    pub fn new(source: &'s str) -> Self {
        let source = source.strip_prefix('\u{feff}').unwrap_or(source);
        let breaks = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(breaks.map(|(at, _)| at.saturating_add(1))).collect();
        Self { source, lines }
    }

    /// The diagnostic in several lines, the last one without a line end.
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            _ => "note",
        };
        let mut shown = format!("{severity}[{}]: {}", diagnostic.code, printable_line(&diagnostic.message));
        let excerpt = diagnostic.location.and_then(|location| Some((location, self.excerpt(location)?)));
        let margin = excerpt.as_ref().map_or(1, |(location, _)| digits(location.line));
        // Writing to a string cannot fail.
        let _ = match (&diagnostic.file, diagnostic.location) {
            (Some(file), Some(Location { line, column, .. })) => {
                write!(shown, "\n{:margin$}--> {}:{line}:{column}", "", printable_line(file))
            }
            (Some(file), None) => write!(shown, "\n{:margin$}--> {}", "", printable_line(file)),
            (None, Some(Location { line, column, .. })) => {
                write!(shown, "\n{:margin$}--> line {line}, column {column}", "")
            }
            (None, None) => Ok(()),
        };
        let pointer = printable_line(&diagnostic.pointer);
        if let Some((location, Excerpt { line, indent, length })) = excerpt {
            let caret = format!("{:indent$}{:^<length$}", "", "");
            let _ = write!(shown, "\n{:margin$} |\n{} | {line}\n{:margin$} | {caret}", "", location.line, "");
            if !pointer.is_empty() {
                let _ = write!(shown, " {pointer}");
            }
        } else if !pointer.is_empty() {
            let _ = write!(shown, "\n{:margin$} = at: {pointer}", "");
        }
        if let Some(help) = &diagnostic.help {
            let _ = write!(shown, "\n{:margin$} = help: {}", "", printable_line(help));
        }
        shown
    }

    fn excerpt(&self, location: Location) -> Option<Excerpt> {
        let index = location.line.checked_sub(1)?;
        let start = *self.lines.get(index)?;
        let end = self.lines.get(location.line).map_or(self.source.len(), |next| next.saturating_sub(1));
        let line = self.source.get(start..end)?.trim_end_matches('\r');
        let column = location.column.saturating_sub(1);
        let at = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
        let (before, rest) = line.split_at_checked(at)?;
        let (culprit, after) = rest.split_at_checked(extent(rest))?;
        Some(Excerpt::new(&masked(before), &masked(culprit), &masked(after)))
    }
}

/// A line as it is shown, and where the caret goes.
struct Excerpt {
    line: String,
    indent: usize,
    length: usize,
}

impl Excerpt {
    fn new(before: &str, culprit: &str, after: &str) -> Self {
        let mut line = String::new();
        // The end of what is before decides: a minified document is one line of megabytes.
        let kept = before.char_indices().rev().nth(WIDTH).map_or(0, |(at, _)| at);
        let before = before.get(kept..).unwrap_or_default();
        let cut = kept > 0 || columns(before) > WIDTH.saturating_sub(BEFORE / 2);
        if cut {
            line.push('…');
            let tail = before.char_indices().rev().nth(BEFORE.saturating_sub(1)).map_or(0, |(at, _)| at);
            append(&mut line, before.get(tail..).unwrap_or_default(), usize::MAX);
        } else {
            append(&mut line, before, usize::MAX);
        }
        let indent = columns(&line);
        let whole = append(&mut line, culprit, WIDTH);
        let length = columns(&line).saturating_sub(indent).max(1);
        if !whole || !append(&mut line, after, WIDTH) {
            line.push('…');
        }
        Self { line: line.trim_end().to_owned(), indent, length }
    }
}

/// Adds a text while the line has fewer columns than `limit`; says whether all of it fitted.
fn append(line: &mut String, text: &str, limit: usize) -> bool {
    let mut used = columns(line);
    for c in text.chars() {
        let start = line.len();
        push(line, c);
        used = used.saturating_add(columns(line.get(start..).unwrap_or_default()));
        if used > limit {
            line.truncate(start);
            return false;
        }
    }
    true
}

/// The text with the credentials of its addresses replaced: what is shown ends up in logs.
fn masked(text: &str) -> Cow<'_, str> {
    const SCHEME: &str = "://";
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(SCHEME) {
        shown.push_str(before);
        shown.push_str(SCHEME);
        let end = after.find(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '<'));
        let authority = after.get(..end.unwrap_or(after.len())).unwrap_or_default();
        rest = after;
        if let Some((credentials, _)) = authority.rsplit_once('@') {
            shown.push_str("***");
            rest = after.get(credentials.len()..).unwrap_or_default();
        }
    }
    if shown.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(shown + rest) }
}

fn columns(text: &str) -> usize {
    text.chars().filter_map(|c| c.width()).fold(0, usize::saturating_add)
}

/// How many bytes of the text the thing at its beginning has: a quoted text, a bracket, a word.
fn extent(rest: &str) -> usize {
    let mut chars = rest.char_indices();
    let Some((_, first)) = chars.next() else { return 0 };
    match first {
        '{' | '[' | '}' | ']' => first.len_utf8(),
        '"' | '\'' => {
            let mut escaped = false;
            for (at, c) in chars {
                match c {
                    '\\' if first == '"' => escaped = !escaped,
                    c if c == first && !escaped => return at.saturating_add(1),
                    _ => escaped = false,
                }
            }
            rest.trim_end().len()
        }
        _ => {
            let end = rest.char_indices().find(|(at, c)| {
                let after = rest.get(at.saturating_add(c.len_utf8())..).and_then(|rest| rest.chars().next());
                match c {
                    ',' | '}' | ']' => true,
                    ':' => after.is_none_or(char::is_whitespace),
                    ' ' | '\t' => after == Some('#'),
                    _ => false,
                }
            });
            let word = end.map_or(rest, |(at, _)| rest.get(..at).unwrap_or(rest));
            word.trim_end().len().max(first.len_utf8())
        }
    }
}

fn digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |log| usize::try_from(log).unwrap_or(0).saturating_add(1))
}

fn push(line: &mut String, c: char) {
    match c {
        '\t' => line.push_str("    "),
        c if is_plain(c) => line.push(c),
        c => line.extend(c.escape_unicode()),
    }
}
