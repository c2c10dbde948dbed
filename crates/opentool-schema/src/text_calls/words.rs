//! What the words before a mark leave open: a bracket, a string in it, a quotation, an element.
//!
//! A call there may be the argument of another one that no template marks, or an example. Prose is full of apostrophes and
//! smileys: a quote counts where it can only be one, and an element only where the text closes it later.

use std::collections::HashMap;

use super::closed;
use super::marks;
use super::tag::Tag;

/// Elements that show something.
const SHOWN: [&str; 8] = ["code", "pre", "example", "examples", "blockquote", "samp", "q", "kbd"];

/// Where a mark stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Within {
    /// In nothing.
    Open,
    /// In a bracket, a string, an element: it may be a part of something else.
    Other,
    /// In something that shows it, which ends after the call with one of these.
    Shown(Vec<String>),
    /// In lines that begin with `>`.
    Cited,
}

/// The words of a text, looked at from its beginning on.
pub(super) struct Words<'t> {
    text: &'t str,
    /// Up to here they were looked at.
    looked: usize,
    depth: usize,
    /// A string in brackets has no end.
    is_torn: bool,
    /// What closes the quotation that is open.
    quote: Option<char>,
    /// How often each element is open.
    elements: HashMap<&'t str, usize>,
    /// Where each element is closed for the last time.
    closed: Option<HashMap<&'t str, usize>>,
}

impl<'t> Words<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            looked: 0,
            depth: 0,
            is_torn: false,
            quote: None,
            elements: HashMap::new(),
            closed: None,
        }
    }

    /// Passes over what is no words of this text.
    pub(super) fn skip(&mut self, upto: usize) {
        self.looked = self.looked.max(upto);
    }

    /// Passes over the end of thoughts: a bracket in them says nothing any more, unless it holds a string, or data.
    pub(super) fn forget(&mut self, upto: usize) {
        (self.depth, self.quote) = (0, None);
        self.skip(upto);
    }

    /// What a mark stands in.
    pub(super) fn within(&mut self, at: usize) -> Within {
        self.look(at);
        if let Some(closed) = &self.closed {
            self.elements.retain(|name, count| *count > 0 && closed.get(name).is_some_and(|end| *end > at));
        }
        let elements: Vec<&str> = self.elements.keys().copied().collect();
        if self.depth > 0 || self.is_torn || elements.iter().any(|name| !SHOWN.contains(name)) {
            return Within::Other;
        }
        let ends = elements.iter().map(|name| format!("</{name}>")).chain(self.quote.map(String::from));
        let ends: Vec<String> = ends.collect();
        let line = self.text.get(..at).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
        match ends.is_empty() {
            false => Within::Shown(ends),
            true if line.trim_start().starts_with('>') => Within::Cited,
            true => Within::Open,
        }
    }

    /// Looks at the words up to a place.
    pub(super) fn look(&mut self, upto: usize) {
        const WHAT: [char; 14] = ['(', '[', '{', ')', ']', '}', '"', '\'', '“', '‘', '«', '”', '»', '<'];
        while let Some(words) = self.text.get(self.looked..upto) {
            let found = words.find(|c: char| WHAT.contains(&c) || c == '\n');
            let Some((at, letter)) = found.and_then(|at| Some((at, words.get(at..)?.chars().next()?))) else {
                break;
            };
            let place = self.looked.saturating_add(at);
            self.looked = place.saturating_add(letter.len_utf8());
            match letter {
                '(' | '[' | '{' => {
                    if !self.is_smiley(place) {
                        self.depth = self.depth.saturating_add(1);
                    }
                }
                ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
                '\n' => {
                    // A quotation ends with its paragraph.
                    let line = words.get(at.saturating_add(1)..).unwrap_or_default();
                    let next = line.trim_start_matches([' ', '\t', '\r']);
                    if next.starts_with('\n') {
                        self.quote = None;
                    }
                }
                '<' => self.element(place),
                quote if self.depth > 0 => self.string(place, quote, words.get(at..).unwrap_or_default()),
                quote => self.quotation(place, quote, upto),
            }
        }
        self.skip(upto);
    }

    fn before(&self, at: usize) -> &'t str {
        self.text.get(..at).unwrap_or_default()
    }

    fn is_smiley(&self, at: usize) -> bool {
        let after = self.text.get(at.saturating_add(1)..).unwrap_or_default();
        self.before(at).ends_with([':', ';', '-', '='])
            && after.chars().next().is_none_or(char::is_whitespace)
    }

    /// A string in brackets, with the prefixes of Python.
    fn string(&mut self, at: usize, quote: char, words: &str) {
        if !matches!(quote, '"' | '\'') {
            return;
        }
        let mut letters = self.before(at).chars().rev();
        let word: Vec<char> = letters.by_ref().take(3).take_while(|c| c.is_alphanumeric()).collect();
        if word.len() > 2 || !word.iter().all(|c| "rRbBfFuU".contains(*c)) {
            return;
        }
        match closed::string(words, quote) {
            Some(length) => self.skip(at.saturating_add(length)),
            None => self.is_torn = true,
        }
    }

    fn quotation(&mut self, at: usize, quote: char, upto: usize) {
        if self.quote == Some(quote) {
            self.quote = None;
            return;
        }
        let close = match quote {
            '“' => '”',
            '«' => '»',
            '‘' => '’',
            '"' | '\'' => quote,
            _ => return,
        };
        let is_part = self.before(at).ends_with(char::is_alphanumeric);
        let behind = self.text.get(self.looked..).unwrap_or_default();
        // These two are apostrophes as well.
        let is_sure = !matches!(quote, '\'' | '‘') || self.looked == upto;
        if self.quote.is_none() && !is_part && is_sure && !behind.starts_with([' ', '\t']) {
            self.quote = Some(close);
        }
    }

    fn element(&mut self, at: usize) {
        let Some(tag) = self.text.get(at..).and_then(Tag::at) else { return };
        if !tag.head.starts_with(char::is_alphabetic) || marks::is_known(tag.name) {
            return;
        }
        if tag.is_closing {
            if let Some(count) = self.elements.get_mut(tag.head) {
                *count = count.saturating_sub(1);
            }
            return;
        }
        let closed = self.closed.get_or_insert_with(|| {
            let ends = self.text.match_indices("</");
            ends.filter_map(|(at, _)| Some((Tag::at(self.text.get(at..)?)?.head, at))).collect()
        });
        let is_closed = tag.after.split(['>', '<']).next().is_some_and(|inside| inside.ends_with('/'));
        if (tag.is_plain() || tag.has_more())
            && !is_closed
            && closed.get(tag.head).is_some_and(|end| *end > at)
        {
            let count = self.elements.entry(tag.head).or_default();
            *count = count.saturating_add(1);
        }
    }
}

/// Where what shows a call ends that ends at a place; `None` where it does not.
pub(super) fn end(text: &str, from: usize, within: &Within) -> Option<usize> {
    let rest = text.get(from..)?;
    match within {
        Within::Open | Within::Other => None,
        Within::Shown(ends) => {
            let paragraph = rest.find("\n\n").and_then(|end| rest.get(..end)).unwrap_or(rest);
            let ends = ends.iter().map(|end| {
                let within = if end.starts_with('<') { rest } else { paragraph };
                Some(within.find(end)?.saturating_add(end.len()))
            });
            Some(from.saturating_add(ends.collect::<Option<Vec<usize>>>()?.into_iter().max()?))
        }
        Within::Cited => {
            let mut lines = rest.match_indices('\n').map(|(at, _)| at.saturating_add(1));
            let end = lines.find(|at| {
                !rest.get(*at..).is_some_and(|line| line.trim_start_matches([' ', '\t']).starts_with('>'))
            });
            Some(from.saturating_add(end.unwrap_or(rest.len())))
        }
    }
}
