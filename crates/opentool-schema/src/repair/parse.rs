//! The structure: objects and lists, on a stack of its own.

use serde_json::map::Entry;
use serde_json::{Map, Value};

use super::bare::{Bare, bare};
use super::close::Role;
use super::quoted::{End, joined, quoted, raw};
use super::scan::{
    Scan, closes_list, closes_object, is_colon, is_comma, is_quote, is_word, opens_list, opens_object,
};
use super::{Fault, LEVELS, Marks, Tolerance, Written};

/// Characters of a key without quotes.
const KEY: usize = 128;

/// Whether the first bracket is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// It is the next character.
    Written,
    /// It was left out: the text begins with a key.
    Implied,
}

/// An object or a list that is not closed yet.
enum Frame {
    Object { members: Map<String, Value>, marks: Marks, key: Option<String> },
    List { items: Vec<Value>, marks: Marks },
}

impl Frame {
    fn object(room: usize) -> Self {
        Self::Object { members: Map::with_capacity(room), marks: Marks::default(), key: None }
    }

    fn close(self) -> Written {
        match self {
            Self::Object { members, marks, .. } => Written { value: Value::Object(members), marks },
            Self::List { items, marks } => Written { value: Value::Array(items), marks },
        }
    }
}

/// Reads the object or list that starts at `at`, and says where it ends.
pub(super) fn parse(
    text: &str,
    at: usize,
    opening: Opening,
    tolerance: Tolerance,
) -> Result<(Written, usize), Fault> {
    let mut parser = Parser::new(text, at, opening, tolerance);
    let written = parser.run()?;
    Ok((written, parser.scan.at))
}

/// [`parse`] of what a text begins with, whose last brace is known.
pub(super) fn parse_with(
    text: &str,
    last_brace: usize,
    tolerance: Tolerance,
) -> Result<(Written, usize), Fault> {
    let mut parser = Parser::with(text, 0, Opening::Written, tolerance, last_brace);
    let written = parser.run()?;
    Ok((written, parser.scan.at))
}

pub(super) struct Parser<'t> {
    pub(super) scan: Scan<'t>,
    tolerance: Tolerance,
    stack: Vec<Frame>,
    /// The text could end here if all brackets were closed.
    settled: bool,
    last_brace: usize,
    /// The outermost value, once it is closed.
    done: Option<Written>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, at: usize, opening: Opening, tolerance: Tolerance) -> Self {
        Self::with(text, at, opening, tolerance, text.rfind(['}', '｝']).unwrap_or(0))
    }

    fn with(text: &'t str, at: usize, opening: Opening, tolerance: Tolerance, last_brace: usize) -> Self {
        let stack = if opening == Opening::Implied { vec![Frame::object(8)] } else { Vec::with_capacity(4) };
        Self { scan: Scan::new(text, at), tolerance, stack, settled: false, last_brace, done: None }
    }

    pub(super) fn run(&mut self) -> Result<Written, Fault> {
        loop {
            if let Some(written) = self.done.take() {
                return Ok(written);
            }
            self.scan.blank();
            if self.tolerance == Tolerance::Prefix && matches!(self.scan.rest(), "/" | "#") {
                // Half the mark of a comment.
                self.scan.bump();
            }
            let Some(next) = self.scan.peek() else { return self.ended() };
            match self.stack.last() {
                None => self.value(next)?,
                Some(Frame::Object { key: None, .. }) => self.member(next)?,
                Some(Frame::Object { .. }) => self.value(next)?,
                Some(Frame::List { .. }) => self.item(next)?,
            }
        }
    }

    fn refused<T>(&self, why: &'static str) -> Result<T, Fault> {
        Err(Fault::NotJson { at: self.scan.at, why })
    }

    /// In an object, before a key.
    fn member(&mut self, next: char) -> Result<(), Fault> {
        if is_comma(next) || (next == ';' && self.tolerance == Tolerance::Wide) {
            self.scan.bump();
            self.settled = false;
            return Ok(());
        }
        if closes_object(next) {
            self.scan.bump();
            return self.close();
        }
        if closes_list(next) {
            // The brace is missing, or this is it.
            if !self.stack.iter().any(|frame| matches!(frame, Frame::List { .. })) {
                self.scan.bump();
            }
            return self.close();
        }
        self.settled = false;
        let key = if is_quote(next) { self.quoted_key()? } else { self.bare_key()? };
        if let (Some(name), Some(Frame::Object { key, .. })) = (key, self.stack.last_mut()) {
            *key = Some(name);
        }
        Ok(())
    }

    /// A key in quotes and its colon; `None` where the text ends before.
    fn quoted_key(&mut self) -> Result<Option<String>, Fault> {
        let key = quoted(&mut self.scan, Role::Key, self.tolerance, self.last_brace)?;
        match key.end {
            End::Closed => self.colon(key.text),
            End::Colon => Ok(Some(key.text)),
            End::Open => Ok(None),
        }
    }

    fn bare_key(&mut self) -> Result<Option<String>, Fault> {
        if self.tolerance == Tolerance::Quoted {
            return self.refused("a key without quotes");
        }
        let rest = self.scan.rest();
        let end = rest.char_indices().find(|(at, c)| !is_word(*c) || *at > KEY);
        let end = end.map_or(rest.len(), |(at, _)| at);
        let key = rest.get(..end).unwrap_or_default();
        if key.is_empty() {
            return self.refused("expected a key");
        }
        self.scan.skip(end);
        // `{city": 1}`: its first quote is missing.
        self.scan.take(|c| c == '"');
        self.colon(key.to_owned())
    }

    fn colon(&mut self, key: String) -> Result<Option<String>, Fault> {
        let end = self.scan.at;
        self.scan.blank();
        let Some(next) = self.scan.peek() else { return Ok(None) };
        if is_quote(next) && self.scan.at > end {
            // The colon is missing: two strings side by side are a key and its value.
            return Ok(Some(key));
        }
        let equals = next == '=' && self.tolerance == Tolerance::Wide;
        if !is_colon(next) && !equals {
            return self.refused("expected a colon after the key");
        }
        self.scan.bump();
        if equals {
            self.scan.take(|c| c == '>');
        }
        Ok(Some(key))
    }

    /// In a list.
    fn item(&mut self, next: char) -> Result<(), Fault> {
        if is_comma(next) {
            self.scan.bump();
            self.settled = false;
            return Ok(());
        }
        if closes_list(next) {
            self.scan.bump();
            return self.close();
        }
        if closes_object(next) {
            if self.stack.iter().any(|frame| matches!(frame, Frame::Object { .. })) {
                return self.close();
            }
            return self.refused("a brace closes what a bracket opened");
        }
        self.value(next)
    }

    /// A value begins.
    fn value(&mut self, next: char) -> Result<(), Fault> {
        self.settled = false;
        if opens_object(next) || opens_list(next) {
            if self.stack.len() >= LEVELS {
                return Err(Fault::TooDeep);
            }
            self.scan.bump();
            self.stack.push(if opens_list(next) {
                Frame::List { items: Vec::new(), marks: Marks::default() }
            } else {
                // Room for the usual number of arguments; inside them it could be a million objects.
                Frame::object(if self.stack.is_empty() { 8 } else { 0 })
            });
            return Ok(());
        }
        let listed = matches!(self.stack.last(), Some(Frame::List { .. }));
        let wide = self.tolerance == Tolerance::Wide;
        if wide
            && matches!(next, 'r' | 'R')
            && let Some(text) = raw(&mut self.scan)
        {
            self.attach(Written::plain(text));
            return Ok(());
        }
        if is_quote(next) || (wide && next == '`') {
            return self.string(listed);
        }
        if wide && !listed && (is_comma(next) || closes_object(next)) {
            self.absent();
            return Ok(());
        }
        match bare(&mut self.scan, listed, self.tolerance)? {
            Bare::Value(Written { value: Value::String(_), .. }) if self.tolerance == Tolerance::Quoted => {
                return self.refused("a word without quotes");
            }
            Bare::Value(written) => self.attach(written),
            Bare::Absent => self.absent(),
            Bare::Open => {}
        }
        Ok(())
    }

    fn string(&mut self, listed: bool) -> Result<(), Fault> {
        let role = if listed { Role::Item } else { Role::Member };
        let mut string = quoted(&mut self.scan, role, self.tolerance, self.last_brace)?;
        while self.tolerance == Tolerance::Wide && joined(&mut self.scan) {
            string.text.push_str(&quoted(&mut self.scan, role, self.tolerance, self.last_brace)?.text);
        }
        self.attach(Written::plain(string.text));
        Ok(())
    }

    /// The value of a key was left out.
    fn absent(&mut self) {
        match self.stack.last_mut() {
            Some(Frame::Object { key, .. }) => *key = None,
            _ => self.attach(Written::default()),
        }
        self.settled = true;
    }

    fn close(&mut self) -> Result<(), Fault> {
        let Some(frame) = self.stack.pop() else { return self.refused("a bracket too many") };
        self.attach(frame.close());
        Ok(())
    }

    /// Puts a whole value where it belongs.
    fn attach(&mut self, written: Written) {
        self.settled = true;
        match self.stack.last_mut() {
            None => self.done = Some(written),
            Some(Frame::Object { members, marks, key }) => {
                if let Some(key) = key.take() {
                    join(members, marks, key, written);
                }
            }
            Some(Frame::List { items, marks }) => {
                marks.set_item(items.len(), written.marks);
                items.push(written.value);
            }
        }
    }

    /// The text is over, and brackets are open.
    fn ended(&mut self) -> Result<Written, Fault> {
        let closable = match self.tolerance {
            Tolerance::Quoted | Tolerance::Sure => false,
            // What a comment swallowed, brackets and all, is not known to be nothing.
            Tolerance::Wide => self.settled && self.scan.open_comment.is_none(),
            Tolerance::Prefix => true,
        };
        if !closable {
            return Err(Fault::Truncated);
        }
        while let Some(frame) = self.stack.pop() {
            self.attach(frame.close());
        }
        self.done.take().ok_or(Fault::Truncated)
    }
}

/// Puts a member into its object. Of two with one key the last one counts, as everywhere; that there were two is noted.
fn join(members: &mut Map<String, Value>, marks: &mut Marks, key: String, mut written: Written) {
    match members.entry(key) {
        Entry::Vacant(place) => {
            if !written.marks.none() {
                marks.set_key(place.key(), written.marks);
            }
            place.insert(written.value);
        }
        Entry::Occupied(mut place) => {
            let earlier = place.insert(written.value);
            written.marks.set_earlier(earlier);
            marks.set_key(place.key(), written.marks);
        }
    }
}
