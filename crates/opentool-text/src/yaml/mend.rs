//! White space in YAML that the parser refuses, and brackets that nest too deeply for it, made so that it can go on.
//!
//! Between a colon and its value YAML allows tabs, and within brackets white space means nothing but that something ends;
//! readers are stricter than that: examples in JSON that somebody pasted with their tabs would cost the whole document. Only
//! where the meaning is sure something is changed. A tab that indents a block stays the fault that it is: how far it goes
//! is anybody's guess.
//!
//! This is asked only about a text that could not be read, and what comes of it counts only if that can be.

use opentool_core::{Diagnostic, Location};

use super::MAX_DEPTH;

/// How deep brackets may nest: one level more than is read, so that the reader tells that it went no deeper.
const MOST_LEVELS: usize = MAX_DEPTH + 1;

/// The text that can be read in its place, with the same lines; `None` if it is the same.
pub(super) fn mended(text: &str) -> Option<(String, Vec<Diagnostic>)> {
    let mut mending = Mending::new(text);
    let mut rest = text;
    while !rest.is_empty() {
        rest = mending.line(rest);
    }
    mending.finish(text)
}

/// A text while it is made anew.
struct Mending {
    out: String,
    line: usize,
    /// Bytes that may still be looked through for closing brackets. Text that only looks like brackets would be looked
    /// through again and again.
    budget: usize,
    tabs: Changes,
    indentation: Changes,
}

/// Where something of one kind was changed.
#[derive(Default)]
struct Changes {
    first: Option<Location>,
    number: usize,
}

impl Changes {
    fn add(&mut self, line: usize, column: usize) {
        self.first.get_or_insert(Location::new(line, column));
        self.number = self.number.saturating_add(1);
    }

    /// ` (and in 3 more places)`
    fn more(&self) -> String {
        match self.number.saturating_sub(1) {
            0 => String::new(),
            1 => " (and in one more place)".to_owned(),
            more => format!(" (and in {more} more places)"),
        }
    }
}

impl Mending {
    fn new(text: &str) -> Self {
        Self {
            out: String::with_capacity(text.len()),
            line: 1,
            budget: text.len().saturating_mul(4),
            tabs: Changes::default(),
            indentation: Changes::default(),
        }
    }

    fn finish(self, text: &str) -> Option<(String, Vec<Diagnostic>)> {
        if self.out == text {
            return None;
        }
        let mut findings = Vec::new();
        if let Some(at) = self.tabs.first {
            let message = format!("a tab stands here{}; it is read as a space", self.tabs.more());
            findings.push(Diagnostic::warning("yaml-tab", "", message).location(at).help("write spaces"));
        }
        if let Some(at) = self.indentation.first {
            let message = format!(
                "what stands within brackets is indented less than the key before them{}; it is read all the same",
                self.indentation.more()
            );
            let help = "indent what stands within brackets more than the key before them";
            findings.push(Diagnostic::warning("yaml-indentation", "", message).location(at).help(help));
        }
        Some((self.out, findings))
    }

    /// Takes the next line, or all lines of the brackets that open in it; what is left.
    fn line<'t>(&mut self, rest: &'t str) -> &'t str {
        let (line, after) = match rest.split_inclusive('\n').next() {
            Some(line) => rest.split_at(line.len()),
            None => (rest, ""),
        };
        let content = line.trim_start_matches([' ', '\t']);
        let indent = line.len().saturating_sub(content.len());
        if content.trim_end().is_empty() {
            // A line without content; a tab in it may stand where a text is indented.
            if line.contains('\t') {
                self.tabs.add(self.line, 1);
            }
            self.out.push_str(&line.replace('\t', " "));
            self.line = self.line.saturating_add(1);
            return after;
        }
        let value = value_of(line, indent);
        let (before, rest_of_line) = line.split_at(value);
        self.separated(before, indent);
        if rest_of_line.starts_with(['[', '{'])
            && let Some((inside, after)) = rest.get(value..).and_then(|rest| self.brackets(rest))
        {
            self.inside(inside, before.chars().count(), indent);
            // What stands behind the brackets in their last line.
            let end = after.find('\n').map_or(after.len(), |at| at.saturating_add(1));
            let (behind, after) = after.split_at(end);
            self.out.push_str(behind);
            self.line = self.line.saturating_add(1);
            return after;
        }
        self.out.push_str(rest_of_line);
        self.line = self.line.saturating_add(1);
        after
    }

    /// A key with its colon, and spaces in place of tabs before the value.
    fn separated(&mut self, before: &str, indent: usize) {
        let end = before.trim_end_matches([' ', '\t']).len();
        let (key, space) = before.split_at(end.max(indent).min(before.len()));
        self.out.push_str(key);
        if let Some(tab) = space.find('\t') {
            self.tabs.add(self.line, key.chars().count().saturating_add(tab).saturating_add(1));
        }
        self.out.extend(space.chars().map(|_| ' '));
    }

    /// The brackets that open here with what is in them, and what follows; `None` if they do not close.
    fn brackets<'t>(&mut self, rest: &'t str) -> Option<(&'t str, &'t str)> {
        let mut flow = Flow::default();
        for (at, byte) in rest.bytes().enumerate().take(self.budget) {
            if flow.take(byte) == Step::Closes && flow.level == 0 {
                self.budget = self.budget.saturating_sub(at);
                return Some(rest.split_at(at.saturating_add(1)));
            }
        }
        self.budget = self.budget.saturating_sub(rest.len());
        None
    }

    /// Writes brackets with what is in them. Lines begin with as many spaces as they have white space, and with more than
    /// `indent`.
    fn inside(&mut self, inside: &str, column: usize, indent: usize) {
        let mut flow = Flow::default();
        for (index, line) in inside.split_inclusive('\n').enumerate() {
            let mut content = line;
            let mut column = column;
            if index > 0 {
                self.line = self.line.saturating_add(1);
                content = line.trim_start_matches([' ', '\t']);
                let space = line.get(..line.len().saturating_sub(content.len())).unwrap_or_default();
                let width = space.len().max(indent.saturating_add(1));
                if let Some(tab) = space.find('\t') {
                    self.tabs.add(self.line, tab.saturating_add(1));
                } else if width > space.len() && !content.trim_end().is_empty() {
                    self.indentation.add(self.line, space.len().saturating_add(1));
                }
                self.out.extend(std::iter::repeat_n(' ', width));
                column = space.len();
            }
            for character in content.chars() {
                column = column.saturating_add(1);
                let level = flow.level;
                let step = flow.take(u8::try_from(character).unwrap_or(u8::MAX));
                if step == Step::Opens && flow.level == MOST_LEVELS.saturating_add(1) {
                    self.out.push('~');
                } else if level.max(flow.level) > MOST_LEVELS {
                    self.out.push(if character == '\n' { '\n' } else { ' ' });
                } else if character == '\t' && !flow.is_quoted() {
                    self.tabs.add(self.line, column);
                    self.out.push(' ');
                } else {
                    self.out.push(character);
                }
            }
        }
    }
}

/// Where the value of a line begins: behind `- `, and behind a key with its colon; else where its content does.
fn value_of(line: &str, indent: usize) -> usize {
    let bytes = line.as_bytes();
    let space = |at: usize| {
        bytes.get(at..).unwrap_or_default().iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    };
    let mut at = indent;
    while bytes.get(at) == Some(&b'-') && space(at.saturating_add(1)) > 0 {
        at = at.saturating_add(1);
        at = at.saturating_add(space(at));
    }
    let mut quote = None;
    let mut colon = at;
    while let Some(byte) = bytes.get(colon) {
        match (byte, quote) {
            (b'"' | b'\'', None) if colon == at => quote = Some(*byte),
            (byte, Some(open)) if *byte == open => quote = None,
            (b'[' | b'{' | b'#', None) if colon == at => break,
            (b':', None) => {
                let behind = colon.saturating_add(1);
                let space = space(behind);
                if space > 0 {
                    return behind.saturating_add(space);
                }
            }
            _ => {}
        }
        colon = colon.saturating_add(1);
    }
    at
}

/// Where something within brackets is.
#[derive(Default)]
struct Flow {
    level: usize,
    quote: Option<u8>,
    is_escaped: bool,
    is_comment: bool,
    /// Whether the last byte was the beginning of a value, or white space: a quote opens only there, and a comment.
    is_apart: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Opens,
    Closes,
    Other,
}

impl Flow {
    fn is_quoted(&self) -> bool {
        self.quote.is_some()
    }

    fn take(&mut self, byte: u8) -> Step {
        let is_apart = std::mem::replace(
            &mut self.is_apart,
            matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'[' | b'{' | b',' | b':'),
        );
        if self.is_comment {
            self.is_comment = byte != b'\n';
            return Step::Other;
        }
        if let Some(quote) = self.quote {
            let was_escaped = std::mem::take(&mut self.is_escaped);
            if !was_escaped && quote == b'"' && byte == b'\\' {
                self.is_escaped = true;
            } else if !was_escaped && byte == quote {
                self.quote = None;
            }
            return Step::Other;
        }
        match byte {
            b'"' | b'\'' if is_apart => self.quote = Some(byte),
            b'#' if is_apart => self.is_comment = true,
            b'[' | b'{' => {
                self.level = self.level.saturating_add(1);
                return Step::Opens;
            }
            b']' | b'}' => {
                self.level = self.level.saturating_sub(1);
                return Step::Closes;
            }
            _ => {}
        }
        Step::Other
    }
}
