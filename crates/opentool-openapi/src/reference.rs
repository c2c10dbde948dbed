//! `$ref`s: from the text of a reference to the place that it means.
//!
//! Only places in documents that were read already are followed: the document itself, and those that
//! [`crate::load()`] was allowed to read. Nothing is ever fetched from here.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use opentool_core::Diagnostic;
use opentool_text::kind;
use opentool_text::pointer::{self, Pointer};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::document::{Document, Part, Refusal, place, split};
use crate::version;

const MAX_CHAIN: usize = 64;

/// How many references may stand behind each other in the middle of a pointer.
const MAX_STEPS: usize = 4;

/// Why a reference leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Broken {
    /// `$ref` is not a text.
    NotText(&'static str),
    /// There is nothing at that place.
    Nowhere(String),
    /// It leads to another document, which was not read; the host may have said why.
    Elsewhere(String, Option<Refusal>),
    /// It leads back to itself.
    Cycle(String),
    /// It leads through too many others.
    Long(String),
    /// So many schemas have the anchor that it names, and which is meant depends on the way that leads there.
    Dynamic(String, usize),
}

/// A value that was reached through references.
#[derive(Debug, Clone)]
pub(crate) struct Found<'d> {
    pub(crate) value: &'d Value,
    /// Its place.
    pub(crate) pointer: Cow<'d, str>,
}

impl Broken {
    /// The finding at the place of the reference; `outcome` says what was done about it.
    pub(crate) fn finding(&self, pointer: &str, outcome: &str) -> Diagnostic {
        let at = pointer::join(pointer, "$ref");
        match self {
            Self::NotText(kind) => {
                Diagnostic::error("ref-not-text", at, format!("`$ref` is {kind}, not a text; {outcome}"))
                    .help("write `$ref: \"#/components/…\"`")
            }
            Self::Nowhere(reference) => Diagnostic::error(
                "ref-not-found",
                at,
                format!("`{}` leads to nothing in this document; {outcome}", shorten(reference)),
            )
            .help("check the spelling, or add what it names"),
            Self::Elsewhere(reference, Some(refusal)) => Diagnostic::error(
                refusal.code,
                at,
                format!("`{}` is not read: {}; {outcome}", shorten(reference), refusal.reason),
            )
            .help(refusal.help),
            Self::Elsewhere(reference, None) => Diagnostic::error(
                "ref-external",
                at,
                format!("`{}` is in another document, which is not read; {outcome}", shorten(reference)),
            )
            .help("bundle the documents into one first, for example with `npx @redocly/cli bundle`"),
            Self::Cycle(reference) => Diagnostic::error(
                "ref-cycle",
                at,
                format!("`{}` leads back to itself; {outcome}", shorten(reference)),
            )
            .help("let it lead to what is meant"),
            Self::Long(reference) => Diagnostic::error(
                "ref-limit",
                at,
                format!("`{}` leads through more than {MAX_CHAIN} others; {outcome}", shorten(reference)),
            )
            .help("let it lead to what is meant at the end"),
            Self::Dynamic(reference, count) => Diagnostic::error(
                "ref-dynamic",
                at,
                format!("`{}` can mean any of {count} schemas; {outcome}", shorten(reference)),
            )
            .help("write `$ref` to the one that is meant"),
        }
    }
}

impl Broken {
    /// What the host can do about a document that was not read; `None` where it is the document that is at fault.
    pub(crate) fn refusal_help(&self) -> Option<&'static str> {
        match self {
            Self::Elsewhere(_, Some(refusal)) => Some(refusal.help),
            _ => None,
        }
    }
}

/// A reference as it may stand in a message.
fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}

impl Document {
    /// The place that a reference means, and the value there. `from` is the place where the reference stands.
    pub(crate) fn resolve(&self, reference: &str, from: &str) -> Result<Found<'_>, Broken> {
        self.exact(reference, from).or_else(|broken| match broken {
            Broken::Nowhere(_) => {
                self.through(reference, from).or_else(|| self.in_main(reference, split(from).0)).ok_or(broken)
            }
            other => Err(other),
        })
    }

    /// The same for a `$dynamicRef`. Where one schema only has the anchor that it names, that one is meant by whatever way
    /// it is reached; which of several is meant a document cannot be read for.
    pub(crate) fn resolve_dynamic(&self, reference: &str, from: &str) -> Result<Found<'_>, Broken> {
        let name = reference.strip_prefix('#').filter(|name| !name.is_empty() && !name.starts_with('/'));
        let part = self.parts().get(split(from).0);
        match (name, part) {
            (Some(name), Some(part)) if part.anchored(name).len() > 1 => {
                Err(Broken::Dynamic(reference.to_owned(), part.anchored(name).len()))
            }
            _ => self.resolve(reference, from),
        }
    }

    /// What a reference of another file means in the main document: `#/definitions/Pet` in a file that has no
    /// `definitions`. Many documents in several files are written so, because tools that put them together first read
    /// them so. A file that is a document itself means itself.
    fn in_main(&self, reference: &str, part: usize) -> Option<Found<'_>> {
        let is_fragment = self.parts().get(part).is_some_and(|part| version::of(part.root()).is_none());
        if part == 0 || !is_fragment || !reference.starts_with("#/") {
            return None;
        }
        self.exact(reference, "").ok().or_else(|| self.through(reference, ""))
    }

    /// The files whose references are taken for those of the main document, each with the first of them.
    pub(crate) fn taken_from_main(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for (index, part) in self.parts().iter().enumerate().skip(1) {
            let mut taken = Vec::new();
            self.collect_taken(part.root(), &mut Pointer::at(place(index, "")), index, &mut taken);
            let Some((at, reference)) = taken.first() else { continue };
            let more = match taken.len().saturating_sub(1) {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            let main = &self.address;
            found.push(
                Diagnostic::warning(
                    "ref-base",
                    pointer::join(at, "$ref"),
                    format!(
                        "`{}` leads to nothing in this file; what {main} has there is taken{more}",
                        shorten(reference)
                    ),
                )
                .help("name the file too: `../openapi.yaml#/…`"),
            );
        }
        found
    }

    fn collect_taken<'d>(
        &'d self,
        value: &'d Value,
        at: &mut Pointer,
        part: usize,
        taken: &mut Vec<(String, &'d str)>,
    ) {
        match value {
            Value::Object(members) => {
                if let Some(reference) = members.get("$ref").and_then(Value::as_str)
                    && reference.starts_with("#/")
                    && self.exact(reference, at.as_str()).is_err()
                    && self.through(reference, at.as_str()).is_none()
                    && self.in_main(reference, part).is_some()
                {
                    taken.push((at.as_str().to_owned(), reference));
                }
                for (key, member) in members {
                    let mark = at.enter(key);
                    self.collect_taken(member, at, part, taken);
                    at.back(mark);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let mark = at.enter_item(index);
                    self.collect_taken(item, at, part, taken);
                    at.back(mark);
                }
            }
            _ => {}
        }
    }

    /// The same for a pointer that leads through a reference: `#/definitions/Pet` where `definitions` is a reference
    /// to a file of definitions. References that stand on the way have to be exact, which bounds what a document can
    /// make this cost.
    fn through(&self, reference: &str, from: &str) -> Option<Found<'_>> {
        let (document, fragment) =
            reference.split_once('#').filter(|(_, fragment)| fragment.starts_with('/'))?;
        let start = self.exact(&format!("{document}#"), from).ok()?;
        let pointer = percent_decode_str(fragment).decode_utf8().ok()?;
        let mut at = start.pointer.into_owned();
        for member in pointer::members(&pointer) {
            for _ in 0..MAX_STEPS {
                let members = self.at(&at)?.as_object();
                let reference = members.filter(|members| !members.contains_key(&member));
                let Some(reference) = reference.and_then(|members| members.get("$ref")?.as_str()) else {
                    break;
                };
                at = self.exact(reference, &at).ok()?.pointer.into_owned();
            }
            at = pointer::join(&at, &member);
        }
        Some(Found { value: self.at(&at)?, pointer: Cow::Owned(at) })
    }

    /// The value at exactly the place that a reference says.
    fn exact(&self, reference: &str, from: &str) -> Result<Found<'_>, Broken> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let nowhere = || Broken::Nowhere(reference.to_owned());
        if reference.is_empty() {
            return Err(nowhere());
        }
        let (index, _) = split(from);
        let index = if document.is_empty() { index } else { self.meant(document, index, reference)? };
        let part = self.parts().get(index).ok_or_else(nowhere)?;
        let pointer = percent_decode_str(fragment).decode_utf8().map_err(|_| nowhere())?;
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return part.anchor(&pointer, index).ok_or_else(nowhere);
        }
        // Some writers leave `%` in names as it is, so the undecoded spelling is tried too.
        let spellings = [pointer.as_ref(), fragment];
        spellings
            .into_iter()
            .find_map(|spelling| {
                let spelling = place(index, spelling);
                Some(Found { value: self.at(&spelling)?, pointer: Cow::Owned(spelling) })
            })
            .ok_or_else(nowhere)
    }

    /// The number of the part that the text before a `#` means.
    fn meant(&self, document: &str, from: usize, reference: &str) -> Result<usize, Broken> {
        let own = self.parts().get(from).is_some_and(|part| part.address.is_meant_by(document));
        if own {
            return Ok(from);
        }
        if self.own_uri() == Some(document) {
            return Ok(0);
        }
        match self.link(from, document) {
            Some(Ok(index)) => Ok(*index),
            Some(Err(refusal)) => Err(Broken::Elsewhere(reference.to_owned(), Some(refusal.clone()))),
            None => Err(Broken::Elsewhere(reference.to_owned(), None)),
        }
    }

    /// What is really meant by the value at a place, which may be a reference, through any number of references.
    pub(crate) fn follow<'d>(&'d self, value: &'d Value, at: &str) -> Result<Found<'d>, Broken> {
        let mut found = Found { value, pointer: Cow::Owned(at.to_owned()) };
        let mut seen = HashSet::new();
        while let Some(reference) = found.value.as_object().and_then(|members| members.get("$ref")) {
            let Some(reference) = reference.as_str() else {
                return Err(Broken::NotText(kind(reference)));
            };
            let next = self.resolve(reference, &found.pointer)?;
            // Nobody writes chains of this length; a hostile document could make each step of them cost another.
            if !seen.insert(next.pointer.clone()) {
                return Err(Broken::Cycle(reference.to_owned()));
            }
            if seen.len() > MAX_CHAIN {
                return Err(Broken::Long(reference.to_owned()));
            }
            found = next;
        }
        Ok(found)
    }
}

impl Part {
    /// The first schema with this `$anchor`.
    fn anchor(&self, name: &str, index: usize) -> Option<Found<'_>> {
        let pointer = self.anchored(name).first()?;
        Some(Found { value: self.root().pointer(pointer)?, pointer: Cow::Owned(place(index, pointer)) })
    }

    /// The pointers of the schemas with this `$anchor` or `$dynamicAnchor`, those among the components first.
    fn anchored(&self, name: &str) -> &[String] {
        self.anchors.get_or_init(|| self.find_anchors()).get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Where the anchors are. They are rare, so nobody looks for them before one is asked for.
    fn find_anchors(&self) -> HashMap<String, Vec<String>> {
        let mut anchors = HashMap::new();
        let Some(members) = self.root().as_object() else { return anchors };
        let (first, others): (Vec<_>, Vec<_>) = members.iter().partition(|(key, _)| *key == "components");
        // A file can be a schema itself.
        note_anchors(members, "", &mut anchors);
        for (key, member) in first.into_iter().chain(others) {
            if !is_data(key) {
                collect_anchors(member, &mut Pointer::at(pointer::join("", key)), &mut anchors);
            }
        }
        anchors
    }
}

/// Whether a member holds values and no schemas.
fn is_data(key: &str) -> bool {
    matches!(key, "example" | "examples" | "default" | "enum" | "const") || key.starts_with("x-")
}

fn note_anchors(members: &Map<String, Value>, at: &str, anchors: &mut HashMap<String, Vec<String>>) {
    for keyword in ["$anchor", "$dynamicAnchor"] {
        if let Some(name) = members.get(keyword).and_then(Value::as_str) {
            anchors.entry(name.to_owned()).or_default().push(at.to_owned());
        }
    }
}

fn collect_anchors(value: &Value, at: &mut Pointer, anchors: &mut HashMap<String, Vec<String>>) {
    match value {
        Value::Object(members) => {
            note_anchors(members, at.as_str(), anchors);
            for (key, member) in members.iter().filter(|(key, _)| !is_data(key)) {
                let mark = at.enter(key);
                collect_anchors(member, at, anchors);
                at.back(mark);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let mark = at.enter_item(index);
                collect_anchors(item, at, anchors);
                at.back(mark);
            }
        }
        _ => {}
    }
}
