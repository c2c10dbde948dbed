//! Lines and columns of JSON Pointers, found again in the text.
//!
//! Values do not carry positions: a document has a million nodes and a handful of faults. When there are faults, the
//! text is walked once more and the places of the wanted pointers are noted. A pointer that is not found (it leads
//! through an alias or a merge) has the place of the nearest thing above it that is.

use std::collections::HashMap;

use opentool_core::Location;
use saphyr_parser::{Event, Marker, Parser};

use crate::pointer;

/// How the text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notation {
    Json,
    Yaml,
}

/// The places of these pointers in the text, in their order. A member's place is that of its key.
pub(crate) fn locate<'p>(
    text: &str,
    notation: Notation,
    pointers: impl IntoIterator<Item = &'p str>,
) -> Vec<Option<Location>> {
    let mut wanted = Wanted::default();
    let pointers: Vec<&str> = pointers.into_iter().collect();
    for pointer in &pointers {
        wanted.add(pointer);
    }
    match notation {
        Notation::Json => {
            Scanner { text: text.as_bytes(), at: 0 }.value(Some(&mut wanted));
            let lines = Lines::new(text);
            wanted.settle(&mut |place| match place {
                Place::Byte(at) => Some(lines.location(at)),
                Place::Known(location) => Some(location),
                Place::Unknown => None,
            });
        }
        Notation::Yaml => yaml(text, &mut wanted),
    }
    pointers.iter().map(|pointer| wanted.nearest(pointer)).collect()
}

#[derive(Debug, Clone, Copy, Default)]
enum Place {
    #[default]
    Unknown,
    Byte(usize),
    Known(Location),
}

/// The wanted pointers as a tree.
#[derive(Debug, Default)]
struct Wanted {
    place: Place,
    members: HashMap<String, Wanted>,
}

impl Wanted {
    fn add(&mut self, pointer: &str) {
        let mut node = self;
        for member in pointer::members(pointer) {
            node = node.members.entry(member).or_default();
        }
    }

    fn nearest(&self, pointer: &str) -> Option<Location> {
        let mut node = self;
        let mut nearest = node.location();
        for member in pointer::members(pointer) {
            let Some(next) = node.members.get(&member) else { break };
            node = next;
            nearest = node.location().or(nearest);
        }
        nearest
    }

    fn location(&self) -> Option<Location> {
        match self.place {
            Place::Known(location) => Some(location),
            Place::Unknown | Place::Byte(_) => None,
        }
    }

    /// Turns byte positions into lines and columns.
    fn settle(&mut self, location: &mut impl FnMut(Place) -> Option<Location>) {
        self.place = location(self.place).map_or(Place::Unknown, Place::Known);
        for member in self.members.values_mut() {
            member.settle(location);
        }
    }
}

/// A text's lines, for turning a byte position into a line and a column.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { text, starts: std::iter::once(0).chain(breaks.map(|(at, _)| at.saturating_add(1))).collect() }
    }

    fn location(&self, at: usize) -> Location {
        let line = self.starts.partition_point(|start| *start <= at).max(1);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        // Columns of documents that are one line of megabytes are counted in bytes.
        let column = if at.saturating_sub(start) > 10_000 {
            at.saturating_sub(start)
        } else {
            self.text.get(start..at).map_or(0, |before| before.chars().count())
        };
        Location::new(line, column.saturating_add(1))
    }
}

/// Walks over JSON that is known to be valid.
struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn step(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') && self.at < self.text.len() {
            self.step();
        }
    }

    /// Walks over a value. Without anything wanted inside it is skipped without looking.
    fn value(&mut self, mut wanted: Option<&mut Wanted>) {
        self.space();
        if let Some(wanted) = &mut wanted
            && matches!(wanted.place, Place::Unknown)
        {
            wanted.place = Place::Byte(self.at);
        }
        let inside = wanted.filter(|wanted| !wanted.members.is_empty());
        match (self.peek(), inside) {
            (b'{', Some(wanted)) => self.object(wanted),
            (b'[', Some(wanted)) => self.array(wanted),
            _ => self.skip(),
        }
    }

    fn object(&mut self, wanted: &mut Wanted) {
        self.step();
        loop {
            self.space();
            if self.peek() != b'"' {
                self.step();
                return;
            }
            let start = self.at;
            self.string();
            let key =
                self.text.get(start..self.at).and_then(|text| serde_json::from_slice::<String>(text).ok());
            let member = key.and_then(|key| wanted.members.get_mut(&key));
            if let Some(member) = member {
                // Of equal keys the last one counts.
                member.place = Place::Byte(start);
                self.value(Some(member));
            } else {
                self.value(None);
            }
        }
    }

    fn array(&mut self, wanted: &mut Wanted) {
        self.step();
        let mut index = 0_usize;
        loop {
            self.space();
            if matches!(self.peek(), b']' | 0) {
                self.step();
                return;
            }
            self.value(wanted.members.get_mut(&index.to_string()));
            index = index.saturating_add(1);
        }
    }

    /// Skips a value by counting brackets.
    fn skip(&mut self) {
        let mut depth = 0_usize;
        while self.at < self.text.len() {
            match self.peek() {
                b'"' => self.string(),
                b'{' | b'[' => {
                    depth = depth.saturating_add(1);
                    self.step();
                }
                b'}' | b']' => {
                    if depth == 0 {
                        return;
                    }
                    depth = depth.saturating_sub(1);
                    self.step();
                }
                b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => {
                    self.step();
                    continue;
                }
                _ => self.word(),
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn word(&mut self) {
        while !matches!(self.peek(), b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' | b']' | b'}' | 0) {
            self.step();
        }
    }

    fn string(&mut self) {
        self.step();
        loop {
            match self.peek() {
                b'\\' => {
                    self.step();
                    self.step();
                }
                b'"' => {
                    self.step();
                    return;
                }
                _ if self.at >= self.text.len() => return,
                _ => self.step(),
            }
        }
    }
}

/// One open list or mapping of the YAML walk.
enum Level {
    List(usize),
    /// The key whose value comes next.
    Mapping(Option<(String, Marker)>),
}

fn yaml(text: &str, wanted: &mut Wanted) {
    let mut parser = Parser::new_from_str(text);
    let mut stack: Vec<Level> = Vec::new();
    // The path of tree nodes along the stack; shorter than the stack where nothing is wanted.
    let mut path: Vec<String> = Vec::new();
    while let Some(Ok((event, span))) = parser.next_event() {
        match event {
            Event::SequenceEnd | Event::MappingEnd => {
                stack.pop();
                path.truncate(stack.len());
                finish(&mut stack);
                continue;
            }
            Event::Scalar(ref text, ..) if let Some(Level::Mapping(key @ None)) = stack.last_mut() => {
                *key = Some((text.to_string(), span.start));
                continue;
            }
            Event::Alias(_) if let Some(Level::Mapping(key @ None)) = stack.last_mut() => {
                *key = Some((String::new(), span.start));
                continue;
            }
            Event::Scalar(..) | Event::Alias(_) | Event::SequenceStart(..) | Event::MappingStart(..) => {}
            _ => continue,
        }
        let (segment, at) = match stack.last() {
            Some(Level::List(index)) => (Some(index.to_string()), span.start),
            Some(Level::Mapping(Some((key, at)))) => (Some(key.clone()), *at),
            Some(Level::Mapping(None)) | None => (None, span.start),
        };
        let depth = stack.len();
        if let Some(segment) = segment {
            path.truncate(depth.saturating_sub(1));
            path.push(segment);
        }
        if let Some(node) = descend(wanted, &path) {
            node.place = Place::Known(Location::new(at.line().max(1), at.col().saturating_add(1)));
        }
        match event {
            Event::SequenceStart(..) => stack.push(Level::List(0)),
            Event::MappingStart(..) => stack.push(Level::Mapping(None)),
            _ => finish(&mut stack),
        }
    }
}

/// A value is over: the next item, or the next key.
fn finish(stack: &mut [Level]) {
    match stack.last_mut() {
        Some(Level::List(index)) => *index = index.saturating_add(1),
        Some(Level::Mapping(key)) => *key = None,
        None => {}
    }
}

fn descend<'w>(wanted: &'w mut Wanted, path: &[String]) -> Option<&'w mut Wanted> {
    path.iter().try_fold(wanted, |node, member| node.members.get_mut(member))
}
