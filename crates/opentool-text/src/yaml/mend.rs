//! White space in YAML that the parser refuses, and brackets that nest too deeply for it, made so that it can go on.
//!
//! Between a colon and its value YAML allows tabs, and within brackets white space means nothing but that something ends;
//! readers are stricter than that: examples in JSON that somebody pasted with their tabs would cost the whole document. Only
//! where the meaning is sure something is changed. A tab that indents a block stays the fault that it is: how far it goes
//! is anybody's guess. So does a bracket that closes only behind keys of the mapping in which it opened. Texts that go over
//! several lines stay as they are, whatever stands in them.
//!
//! This is asked only about a text that could not be read, and what comes of it counts only if that can be. No more is changed
//! than is needed: what is indented too little stays where tabs alone were the fault.

mod flow;
mod line;

use opentool_core::{Diagnostic, Location};

use self::flow::{Flow, Step};
use self::line::{Begins, Line, Text, is_of_block, quoted};
use super::MAX_DEPTH;

/// How deep brackets may nest: one level more than is read, so that the reader tells that it went no deeper.
const MOST_LEVELS: usize = MAX_DEPTH + 1;

/// How much is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Tabs alone.
    Tabs,
    /// Also what is indented too little within brackets, or nests too deeply.
    All,
}

/// The text that can be read in its place, with the same lines; `None` if it is the same.
pub(super) fn mended(text: &str, extent: Extent) -> Option<(String, Vec<Diagnostic>)> {
    let mut mending = Mending::new(text, extent);
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
    extent: Extent,
    /// The text that goes on, if the last line was of one.
    text: Option<Text>,
    /// The least indentation of a value that is yet to come.
    below: Option<usize>,
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
    fn new(text: &str, extent: Extent) -> Self {
        Self {
            out: String::with_capacity(text.len()),
            line: 1,
            budget: text.len().saturating_mul(4),
            extent,
            text: None,
            below: None,
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
        if self.text.as_mut().is_some_and(|text| text.takes(line)) {
            self.as_it_is(line);
            return after;
        }
        let content = line.trim_start_matches([' ', '\t']);
        let indent = line.len().saturating_sub(content.len());
        if content.trim_end().is_empty() {
            // A line without content; a tab in it may stand where a text is indented.
            if line.contains('\t') {
                self.tabs.add(self.line, 1);
            }
            self.as_it_is(&line.replace('\t', " "));
            return after;
        }
        let own = Line::of(line, indent);
        // A value that stands on a line of its own belongs to a key above.
        let above = self.below.take().filter(|_| own.value == indent);
        let from = above.unwrap_or(own.below);
        let (before, rest_of_line) = line.split_at(own.value);
        self.text = None;
        self.separated(before, indent);
        if rest_of_line.starts_with(['[', '{'])
            && let Some((inside, after)) = rest.get(own.value..).and_then(|rest| self.brackets(rest, indent))
        {
            self.inside(inside, before.chars().count(), indent);
            return self.rest_of_line(after);
        }
        match own.begins(line) {
            Begins::Block { is_told } => self.text = Some(Text { from, is_block: true, is_open: !is_told }),
            Begins::Plain => self.text = Some(Text { from, is_block: false, is_open: false }),
            Begins::Quoted(at) => {
                let length = rest.get(at..).and_then(|rest| quoted(rest, self.budget));
                self.budget = self.budget.saturating_sub(length.unwrap_or(rest.len()));
                let end = length.and_then(|length| at.checked_add(length)).filter(|end| *end > line.len());
                if let Some((text, after)) = end.and_then(|end| rest.split_at_checked(end)) {
                    self.as_it_is(text.get(own.value..).unwrap_or_default());
                    return self.rest_of_line(after);
                }
            }
            Begins::Below => self.below = Some(from),
            Begins::Other => {}
        }
        self.as_it_is(rest_of_line);
        after
    }

    /// Takes what is left of a line behind a value of several; what is left of the text.
    fn rest_of_line<'t>(&mut self, rest: &'t str) -> &'t str {
        let end = rest.find('\n').map_or(rest.len(), |at| at.saturating_add(1));
        let (behind, after) = rest.split_at(end);
        self.as_it_is(behind);
        after
    }

    fn as_it_is(&mut self, text: &str) {
        self.out.push_str(text);
        self.line = self.line.saturating_add(text.bytes().filter(|byte| *byte == b'\n').count());
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

    /// The brackets that open here with what is in them, and what follows; `None` if they do not close, or only behind lines
    /// that are of the block around them.
    fn brackets<'t>(&mut self, rest: &'t str, indent: usize) -> Option<(&'t str, &'t str)> {
        let mut flow = Flow::default();
        for (at, byte) in rest.bytes().enumerate().take(self.budget) {
            if flow.take(byte) == Step::Closes && flow.level == 0 {
                self.budget = self.budget.saturating_sub(at);
                let (inside, after) = rest.split_at(at.saturating_add(1));
                let is_outside = |line: &str| {
                    let content = line.trim_start_matches(' ');
                    // No line of a block is indented with tabs.
                    let is_low = line.len().saturating_sub(content.len()) <= indent;
                    is_low && !content.starts_with('\t') && is_of_block(content)
                };
                return (!inside.lines().skip(1).any(is_outside)).then_some((inside, after));
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
                let mut width = space.len();
                if self.extent == Extent::All || space.contains('\t') {
                    width = width.max(indent.saturating_add(1));
                }
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
                let is_deep = self.extent == Extent::All && level.max(flow.level) > MOST_LEVELS;
                if is_deep && step == Step::Opens && flow.level == MOST_LEVELS.saturating_add(1) {
                    self.out.push('~');
                } else if is_deep {
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
