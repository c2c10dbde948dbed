//! YAML text to a value, without YAML's surprises.
//!
//! The 1.2 core schema decides what a plain scalar is: `no` and `on` are texts, keys are texts as they stand
//! (`200:` is `"200"`). Of equal keys the last one counts, with a finding; merges (`<<`) are applied, aliases are expanded within a limit.
//! What JSON cannot say (several documents, keys that are lists, infinite numbers) is refused or stays a text.
//! The text is never executed: tags other than the core ones mean nothing.

mod help;
mod scalar;
mod written;

use std::collections::{HashMap, HashSet};

use opentool_core::{Diagnostic, Location};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span, Tag};
use serde_json::{Map, Value};

use self::written::Written;
use crate::{Notation, Parsed, pointer};

/// The same as for JSON: it is what lets readers walk by recursion.
const MAX_DEPTH: usize = 128;

/// How much anchors and aliases may add to what the text holds itself: nodes, with a share for long texts.
const MAX_EXPANSION: usize = 1_000_000;

/// A hostile text could be wrong in every byte.
const MOST_FINDINGS: usize = 1_000;

/// What is wrong, and where.
type Fault = Box<Diagnostic>;

/// Reads YAML. An empty text is `null`.
///
/// # Errors
/// A diagnostic with the place of the fault.
pub(crate) fn parse(text: &str) -> Result<Parsed, Fault> {
    if let Some(tab) = indenting_tab(text) {
        // Only an explanation: whether the tab is a fault is for the parser to say.
        let line = |found: &Diagnostic| found.location.map(|place| place.line);
        return read(text).map_err(|error| if line(&error) == line(&tab) { Box::new(tab) } else { error });
    }
    read(text)
}

fn read(text: &str) -> Result<Parsed, Fault> {
    let mut parser = Parser::new_from_str(text);
    let mut builder = Builder::default();
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| Box::new(broken(&error)))?;
        builder.take(event, span)?;
    }
    let value = builder.root.unwrap_or(Value::Null);
    Ok(Parsed { value, notation: Notation::Yaml, findings: builder.findings })
}

fn broken(error: &ScanError) -> Diagnostic {
    let message = format!("this is not valid YAML: {}", error.info());
    Diagnostic::error("yaml-syntax", "", message)
        .location(place(*error.marker()))
        .help(help::help(error.info()))
}

fn place(marker: Marker) -> Location {
    Location::new(marker.line().max(1), marker.col().saturating_add(1))
}

fn fault(code: &'static str, at: Marker, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, "", message).location(place(at))
}

/// The first line that is indented with a tab, as a diagnostic.
fn indenting_tab(text: &str) -> Option<Diagnostic> {
    text.lines().enumerate().find_map(|(index, line)| {
        let indent = line.len().checked_sub(line.trim_start_matches([' ', '\t']).len())?;
        let column = line.get(..indent)?.find('\t')?;
        (indent < line.len()).then(|| {
            Diagnostic::error("yaml-tab", "", "this line is indented with a tab, which YAML does not allow")
                .help("indent with spaces")
                .location(Location::new(index.saturating_add(1), column.saturating_add(1)))
        })
    })
}

/// Puts events together. A stack instead of recursion: the depth of the text is not ours.
#[derive(Default)]
struct Builder {
    root: Option<Value>,
    stack: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    expanded: usize,
    documents: usize,
    findings: Vec<Diagnostic>,
}

/// What an anchor names.
struct Anchored {
    value: Value,
    weight: usize,
    height: usize,
}

/// A list or mapping that is not finished.
struct Open {
    anchor: usize,
    start: Marker,
    kind: Kind,
    height: usize,
    /// Numbers in it that may be meant as texts.
    written: Vec<Written>,
}

enum Kind {
    List(Vec<Value>),
    Mapping { members: Map<String, Value>, key: Option<Key>, merged: HashSet<String> },
}

/// The key whose value comes next.
enum Key {
    Member(String),
    /// `<<`: the value's members are added where they are not there.
    Merge,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Fault> {
        let at = span.start;
        match event {
            Event::DocumentStart(_) => {
                self.documents = self.documents.saturating_add(1);
                if self.documents > 1 {
                    return Err(fault(
                        "yaml-several-documents",
                        at,
                        "a second YAML document begins here; only one is read",
                    )
                    .help("remove the `---` or put the documents into files of their own")
                    .into());
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                if self.expects_key() {
                    let plain = style == ScalarStyle::Plain && tag.is_none();
                    self.keep(anchor, || Value::String(text.clone().into_owned()), 0, at)?;
                    return self.key(text.into_owned(), plain, at);
                }
                if scalar::is_beyond(&text, style, tag.as_deref().map(core_suffix)) {
                    self.beyond(&text, at);
                }
                let plain = style == ScalarStyle::Plain && tag.is_none();
                let written = (plain && written::counts(&self.stack)).then(|| text.clone());
                let value = scalar::value(text, style, tag.as_deref().map(core_suffix));
                if let Some(text) = written {
                    written::note(&mut self.stack, &value, &text);
                }
                self.keep(anchor, || value.clone(), 0, at)?;
                self.put(value, 0, at)?;
            }
            Event::Alias(id) => {
                let Some(anchored) = self.anchors.get(&id) else {
                    return Err(fault("yaml-alias", at, "this alias stands inside of what it names")
                        .help("YAML data cannot contain itself; a schema can, by `$ref`")
                        .into());
                };
                let (value, weight, height) = (anchored.value.clone(), anchored.weight, anchored.height);
                self.charge(weight, at)?;
                if self.expects_key() {
                    return match value {
                        Value::String(key) => self.key(key, false, at),
                        _ => Err(not_a_key(at).into()),
                    };
                }
                self.put(value, height, at)?;
            }
            Event::SequenceStart(anchor, _) => self.open(anchor, at, Kind::List(Vec::new()))?,
            Event::MappingStart(anchor, _) => {
                let kind = Kind::Mapping { members: Map::new(), key: None, merged: HashSet::new() };
                self.open(anchor, at, kind)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(Open { anchor, start, kind, height, written }) = self.stack.pop() {
                    let value = match kind {
                        Kind::List(items) => {
                            written::hand_over(&mut self.stack, written);
                            Value::Array(items)
                        }
                        Kind::Mapping { mut members, .. } => {
                            written::settle(&mut members, written);
                            Value::Object(members)
                        }
                    };
                    self.keep(anchor, || value.clone(), height, start)?;
                    self.put(value, height, start)?;
                }
            }
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd | Event::Nothing => {}
        }
        Ok(())
    }

    fn open(&mut self, anchor: usize, start: Marker, kind: Kind) -> Result<(), Fault> {
        if self.expects_key() {
            return Err(not_a_key(start).into());
        }
        if self.stack.len() >= MAX_DEPTH {
            return Err(too_deep(start).into());
        }
        self.stack.push(Open { anchor, start, kind, height: 0, written: Vec::new() });
        Ok(())
    }

    /// A number that nothing can hold. It may as well be a word: `12e4567`.
    fn beyond(&mut self, number: &str, at: Marker) {
        /// The most of it that is shown, in bytes.
        const SHOWN: usize = 40;
        if self.findings.len() >= MOST_FINDINGS {
            return;
        }
        let shown = match number.get(..SHOWN) {
            Some(start) => format!("{start}…"),
            None => number.to_owned(),
        };
        let message = format!(
            "{shown} is a number beyond what one of 64 bits can be, which is about ±1.8e308; it is read as a text"
        );
        let found = Diagnostic::warning("number-range", self.pointer(), message).location(place(at));
        self.findings.push(found.help("write a smaller number, or put it into quotes if a text is meant"));
    }

    /// Where the next value stands.
    fn pointer(&self) -> String {
        self.stack.iter().fold(String::new(), |at, open| match &open.kind {
            Kind::List(items) => pointer::join(&at, &items.len().to_string()),
            Kind::Mapping { key: Some(Key::Member(name)), .. } => pointer::join(&at, name),
            Kind::Mapping { key: Some(Key::Merge), .. } => pointer::join(&at, "<<"),
            Kind::Mapping { key: None, .. } => at,
        })
    }

    fn expects_key(&self) -> bool {
        matches!(self.stack.last(), Some(Open { kind: Kind::Mapping { key: None, .. }, .. }))
    }

    fn key(&mut self, text: String, plain: bool, at: Marker) -> Result<(), Fault> {
        let Some(Open { kind: Kind::Mapping { members, key, merged }, written, .. }) = self.stack.last_mut()
        else {
            return Ok(());
        };
        // Only the last of equal keys counts.
        written.retain(|number| number.key != text);
        if plain && text == "<<" {
            *key = Some(Key::Merge);
            return Ok(());
        }
        // A key of the mapping itself wins over one that was merged in, wherever they stand.
        if members.contains_key(&text) && !merged.remove(&text) {
            *key = Some(Key::Member(text));
            self.twice(at);
            return Ok(());
        }
        *key = Some(Key::Member(text));
        Ok(())
    }

    /// The key that was read last was there before. YAML forbids it; who reads a document to the end has more of it.
    fn twice(&mut self, at: Marker) {
        let Some(Open { kind: Kind::Mapping { key: Some(Key::Member(name)), .. }, .. }) = self.stack.last()
        else {
            return;
        };
        if self.findings.len() >= MOST_FINDINGS {
            return;
        }
        let message = format!(
            "the key `{name}` stands twice in one mapping; the last one counts, what the other says is lost"
        );
        let found = Diagnostic::error("duplicate-key", self.pointer(), message).location(place(at));
        self.findings.push(found.help("remove one of the two, or put all in one"));
    }

    /// A finished value takes its place. `height` counts the levels inside of it.
    fn put(&mut self, value: Value, height: usize, at: Marker) -> Result<(), Fault> {
        if self.stack.len().saturating_add(height) > MAX_DEPTH {
            return Err(too_deep(at).into());
        }
        let Some(open) = self.stack.last_mut() else {
            self.root = Some(value);
            return Ok(());
        };
        open.height = open.height.max(height.saturating_add(1));
        match &mut open.kind {
            Kind::List(items) => items.push(value),
            Kind::Mapping { members, key, merged } => match key.take() {
                Some(Key::Member(key)) => {
                    members.insert(key, value);
                }
                Some(Key::Merge) => merge(members, merged, value, at)?,
                None => {}
            },
        }
        Ok(())
    }

    /// Remembers what an anchor names.
    fn keep(
        &mut self,
        anchor: usize,
        value: impl FnOnce() -> Value,
        height: usize,
        at: Marker,
    ) -> Result<(), Fault> {
        if anchor != 0 {
            let value = value();
            let weight = weigh(&value);
            // Anchors within anchors are copies within copies.
            self.charge(weight, at)?;
            self.anchors.insert(anchor, Anchored { value, weight, height });
        }
        Ok(())
    }

    fn charge(&mut self, weight: usize, at: Marker) -> Result<(), Fault> {
        self.expanded = self.expanded.saturating_add(weight);
        if self.expanded > MAX_EXPANSION {
            return Err(fault("yaml-expansion", at, "the aliases of this document expand without end")
                .help("write shared parts once, by name, and use `$ref`")
                .into());
        }
        Ok(())
    }
}

fn not_a_key(at: Marker) -> Diagnostic {
    fault("yaml-key", at, "a list or a mapping cannot be a key").help("put the key into quotes")
}

fn too_deep(at: Marker) -> Diagnostic {
    fault("yaml-depth", at, format!("the document is nested more than {MAX_DEPTH} levels deep"))
}

/// Adds the members of a mapping, or of a list of mappings, where they are not there; the first of a list wins.
fn merge(
    members: &mut Map<String, Value>,
    merged: &mut HashSet<String>,
    value: Value,
    at: Marker,
) -> Result<(), Fault> {
    let sources = match value {
        Value::Array(sources) => sources,
        source => vec![source],
    };
    for source in sources {
        let Value::Object(source) = source else {
            return Err(fault("yaml-merge", at, "`<<` needs a mapping, or a list of mappings")
                .help("write an alias of a mapping: `<<: *name`")
                .into());
        };
        for (key, value) in source {
            if !members.contains_key(&key) {
                merged.insert(key.clone());
                members.insert(key, value);
            }
        }
    }
    Ok(())
}

/// How much a copy costs: one a node, one more for every 64 bytes of text.
fn weigh(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len() / 64,
        Value::Array(items) => items.iter().map(weigh).fold(1, usize::saturating_add),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| weigh(value).saturating_add(1 + key.len() / 64))
            .fold(1, usize::saturating_add),
        _ => 1,
    }
}

/// The type that a tag of the core schema names, or an empty text for every other tag.
fn core_suffix(tag: &Tag) -> &str {
    if tag.is_yaml_core_schema() || (tag.handle == "!!") {
        &tag.suffix
    } else if (tag.handle.as_str(), tag.suffix.as_str()) == ("!", "")
        || (tag.handle.as_str(), tag.suffix.as_str()) == ("", "!")
    {
        // The non-specific tag: not to be resolved, so a text.
        "str"
    } else {
        ""
    }
}
