//! YAML text to a value, without YAML's surprises.
//!
//! The 1.2 core schema decides what a plain scalar is: `no` and `on` are texts, keys are texts as they stand
//! (`200:` is `"200"`). Of equal keys the last one counts, with a finding; merges (`<<`) are applied, aliases are expanded within a limit.
//! What JSON cannot say (several documents, keys that are lists, infinite numbers) is left out, with a finding, or stays a
//! text; so is what is nested too deeply. White space that readers refuse is read as it was meant where that is sure.
//! The text is never executed: tags other than the core ones mean nothing.

mod help;
mod mend;
mod scalar;
mod written;

use std::collections::{HashMap, HashSet};

use opentool_core::{Diagnostic, Location};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span, Tag};
use serde_json::{Map, Value};

use self::mend::Extent;
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
    read(text).or_else(|error| {
        let mut read = mended(text).filter_map(|(text, findings)| {
            let mut parsed = read(&text).ok()?;
            parsed.findings.extend(findings);
            Some(parsed)
        });
        read.next().ok_or_else(|| explained(error, text))
    })
}

/// What may be read in place of a text that cannot be, what changes least first: with spaces where it has white space that the
/// parser refuses, and without what nests too deeply for it.
pub(crate) fn mended(text: &str) -> impl Iterator<Item = (String, Vec<Diagnostic>)> {
    [Extent::Tabs, Extent::All].into_iter().filter_map(|extent| mend::mended(text, extent))
}

/// The fault, or that its line is indented with a tab. Whether the tab is one is for the parser to say.
fn explained(error: Fault, text: &str) -> Fault {
    let line = |found: &Diagnostic| found.location.map(|place| place.line);
    match indenting_tab(text) {
        Some(tab) if line(&error) == line(&tab) => Box::new(tab),
        _ => error,
    }
}

fn read(text: &str) -> Result<Parsed, Fault> {
    let mut parser = Parser::new_from_str(text);
    let mut builder = Builder::default();
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => builder.take(event, span)?,
            // What is wrong with a document that nobody reads is of no matter.
            Err(_) if builder.further.is_some() => builder.is_over = true,
            Err(error) => return Err(Box::new(broken(&error))),
        }
        if builder.is_over {
            builder.tell_of_further();
            break;
        }
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
    /// How many lists and mappings are open in what is left out.
    skipped: usize,
    /// Where a document begins after one that holds something.
    further: Option<Marker>,
    /// Nothing further is read.
    is_over: bool,
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
    /// Something that cannot be a key; its value is left out.
    Nothing,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Fault> {
        let at = span.start;
        if self.skipped > 0 {
            match event {
                Event::SequenceStart(..) | Event::MappingStart(..) => {
                    self.skipped = self.skipped.saturating_add(1)
                }
                Event::SequenceEnd | Event::MappingEnd => self.skipped = self.skipped.saturating_sub(1),
                _ => {}
            }
            return Ok(());
        }
        if self.further.is_some() {
            // A document that says nothing, as behind a last `---`, is nothing that could be lost.
            self.is_over = match &event {
                Event::DocumentStart(_) => {
                    self.further = Some(at);
                    false
                }
                Event::Scalar(text, style, ..) => *style != ScalarStyle::Plain || !text.is_empty(),
                Event::SequenceStart(..) | Event::MappingStart(..) | Event::Alias(_) => true,
                _ => false,
            };
            return Ok(());
        }
        match event {
            Event::DocumentStart(_) => {
                // Empty documents may stand before the one that is meant.
                self.further = self.root.as_ref().is_some_and(|root| !root.is_null()).then_some(at);
            }
            Event::Scalar(text, style, anchor, tag) => {
                if self.expects_key() {
                    let plain = style == ScalarStyle::Plain && tag.is_none();
                    self.keep(anchor, || Value::String(text.clone().into_owned()), 0, at)?;
                    self.key(text.into_owned(), plain, at);
                    return Ok(());
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
                self.put(value, 0, at);
            }
            Event::Alias(id) => {
                let Some(anchored) = self.anchors.get(&id) else {
                    let message = "this alias stands inside of what it names, or names what was left out; it is read as null";
                    self.tell(
                        "yaml-alias",
                        at,
                        message,
                        "YAML data cannot contain itself; a schema can, by `$ref`",
                    );
                    if self.expects_key() {
                        self.no_key(at);
                        return Ok(());
                    }
                    self.put(Value::Null, 0, at);
                    return Ok(());
                };
                let (value, weight, height) = (anchored.value.clone(), anchored.weight, anchored.height);
                self.charge(weight, at)?;
                if self.expects_key() {
                    match value {
                        Value::String(key) => self.key(key, false, at),
                        _ => self.no_key(at),
                    }
                    return Ok(());
                }
                self.put(value, height, at);
            }
            Event::SequenceStart(anchor, _) => self.open(anchor, at, Kind::List(Vec::new())),
            Event::MappingStart(anchor, _) => {
                let kind = Kind::Mapping { members: Map::new(), key: None, merged: HashSet::new() };
                self.open(anchor, at, kind);
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
                    self.put(value, height, start);
                }
            }
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd | Event::Nothing => {}
        }
        Ok(())
    }

    fn open(&mut self, anchor: usize, start: Marker, kind: Kind) {
        if self.expects_key() {
            self.no_key(start);
            self.skipped = 1;
            return;
        }
        if self.stack.len() >= MAX_DEPTH {
            self.too_deep(start);
            self.skipped = 1;
            self.put(Value::Null, 0, start);
            return;
        }
        self.stack.push(Open { anchor, start, kind, height: 0, written: Vec::new() });
    }

    /// A number that nothing can hold. It may as well be a word: `12e4567`.
    fn beyond(&mut self, number: &str, at: Marker) {
        /// The most of it that is shown, in bytes.
        const SHOWN: usize = 40;
        let shown = match number.get(..SHOWN) {
            Some(start) => format!("{start}…"),
            None => number.to_owned(),
        };
        let message = format!(
            "{shown} is a number beyond what one of 64 bits can be, which is about ±1.8e308; it is read as a text"
        );
        if self.findings.len() < MOST_FINDINGS {
            let found = Diagnostic::warning("number-range", self.pointer(), message).location(place(at));
            self.findings
                .push(found.help("write a smaller number, or put it into quotes if a text is meant"));
        }
    }

    /// Something is left out at the place of the next value.
    fn tell(&mut self, code: &'static str, at: Marker, message: impl Into<String>, help: &str) {
        if self.findings.len() < MOST_FINDINGS {
            let found = Diagnostic::error(code, self.pointer(), message).location(place(at));
            self.findings.push(found.help(help));
        }
    }

    fn too_deep(&mut self, at: Marker) {
        let message = format!(
            "this is nested more than {MAX_DEPTH} levels deep; it is left out, and null stands in its place"
        );
        self.tell("yaml-depth", at, message, "nest less deeply, or name parts and refer to them by `$ref`");
    }

    /// The next key is none.
    fn no_key(&mut self, at: Marker) {
        let message = "a list or a mapping cannot be a key; it is left out with its value";
        self.tell("yaml-key", at, message, "put the key into quotes");
        if let Some(Open { kind: Kind::Mapping { key, .. }, .. }) = self.stack.last_mut() {
            *key = Some(Key::Nothing);
        }
    }

    /// Says that more documents follow than one.
    fn tell_of_further(&mut self) {
        let Some(at) = self.further else { return };
        let message = "a second YAML document begins here; only the first one is read";
        self.stack.clear();
        self.tell(
            "yaml-several-documents",
            at,
            message,
            "remove the `---`, or put the documents into files of their own",
        );
    }

    /// Where the next value stands.
    fn pointer(&self) -> String {
        self.stack.iter().fold(String::new(), |at, open| match &open.kind {
            Kind::List(items) => pointer::join(&at, &items.len().to_string()),
            Kind::Mapping { key: Some(Key::Member(name)), .. } => pointer::join(&at, name),
            Kind::Mapping { key: Some(Key::Merge), .. } => pointer::join(&at, "<<"),
            Kind::Mapping { key: None | Some(Key::Nothing), .. } => at,
        })
    }

    fn expects_key(&self) -> bool {
        matches!(self.stack.last(), Some(Open { kind: Kind::Mapping { key: None, .. }, .. }))
    }

    fn key(&mut self, text: String, plain: bool, at: Marker) {
        let Some(Open { kind: Kind::Mapping { members, key, merged }, written, .. }) = self.stack.last_mut()
        else {
            return;
        };
        // Only the last of equal keys counts.
        written.retain(|number| number.key != text);
        if plain && text == "<<" {
            *key = Some(Key::Merge);
            return;
        }
        // A key of the mapping itself wins over one that was merged in, wherever they stand.
        if members.contains_key(&text) && !merged.remove(&text) {
            *key = Some(Key::Member(text));
            self.twice(at);
            return;
        }
        *key = Some(Key::Member(text));
    }

    /// The key that was read last was there before. YAML forbids it; who reads a document to the end has more of it.
    fn twice(&mut self, at: Marker) {
        let Some(Open { kind: Kind::Mapping { key: Some(Key::Member(name)), .. }, .. }) = self.stack.last()
        else {
            return;
        };
        let message = format!(
            "the key `{name}` stands twice in one mapping; the last one counts, what the other says is lost"
        );
        self.tell("duplicate-key", at, message, "remove one of the two, or put all in one");
    }

    /// A finished value takes its place. `height` counts the levels inside of it.
    fn put(&mut self, mut value: Value, mut height: usize, at: Marker) {
        if self.stack.len().saturating_add(height) > MAX_DEPTH {
            self.too_deep(at);
            (value, height) = (Value::Null, 0);
        }
        let no_merge = matches!(
            &self.stack.last(),
            Some(Open { kind: Kind::Mapping { key: Some(Key::Merge), .. }, .. })
        ) && !can_be_merged(&value);
        if no_merge {
            let message = "`<<` needs a mapping, or a list of mappings; what is neither is left out";
            self.tell("yaml-merge", at, message, "write an alias of a mapping: `<<: *name`");
        }
        let Some(open) = self.stack.last_mut() else {
            self.root = Some(value);
            return;
        };
        open.height = open.height.max(height.saturating_add(1));
        match &mut open.kind {
            Kind::List(items) => items.push(value),
            Kind::Mapping { members, key, merged } => match key.take() {
                Some(Key::Member(key)) => {
                    members.insert(key, value);
                }
                Some(Key::Merge) => merge(members, merged, value),
                Some(Key::Nothing) | None => {}
            },
        }
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

/// Whether a value is what `<<` takes.
fn can_be_merged(value: &Value) -> bool {
    match value {
        Value::Array(sources) => sources.iter().all(Value::is_object),
        source => source.is_object(),
    }
}

/// Adds the members of a mapping, or of the mappings of a list, where they are not there; the first of a list wins.
fn merge(members: &mut Map<String, Value>, merged: &mut HashSet<String>, value: Value) {
    let sources = match value {
        Value::Array(sources) => sources,
        source => vec![source],
    };
    for source in sources {
        let Value::Object(source) = source else { continue };
        for (key, value) in source {
            if !members.contains_key(&key) {
                merged.insert(key.clone());
                members.insert(key, value);
            }
        }
    }
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
