//! `$ref`s: from the text of a reference to the place that it means.
//!
//! Only places in the document itself are followed. Nothing is ever fetched because a document says so.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use opentool_core::Diagnostic;
use opentool_text::kind;
use opentool_text::pointer::{self, Pointer};
use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::document::Document;

const MAX_CHAIN: usize = 64;

/// Why a reference leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Broken {
    /// `$ref` is not a text.
    NotText(&'static str),
    /// There is nothing at that place.
    Nowhere(String),
    /// It leads to another document.
    Elsewhere(String),
    /// It leads back to itself.
    Cycle(String),
}

/// A value that was reached through references.
#[derive(Debug, Clone)]
pub(crate) struct Found<'d> {
    pub(crate) value: &'d Value,
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
            Self::Elsewhere(reference) => Diagnostic::error(
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
    /// The pointer that a reference means, and the value there.
    pub(crate) fn resolve(&self, reference: &str) -> Result<Found<'_>, Broken> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if !document.is_empty() && !self.address.is_meant_by(document) {
            return Err(Broken::Elsewhere(reference.to_owned()));
        }
        let nowhere = || Broken::Nowhere(reference.to_owned());
        if reference.is_empty() {
            return Err(nowhere());
        }
        let pointer = percent_decode_str(fragment).decode_utf8().map_err(|_| nowhere())?;
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return self.anchor(&pointer).ok_or_else(nowhere);
        }
        // Some writers leave `%` in names as it is, so the undecoded spelling is tried too.
        let spellings = [pointer.as_ref(), fragment];
        spellings
            .into_iter()
            .find_map(|spelling| {
                let value = self.at(spelling)?;
                Some(Found { value, pointer: Cow::Owned(spelling.to_owned()) })
            })
            .ok_or_else(nowhere)
    }

    /// What is really meant by a value that may be a reference, through any number of references.
    pub(crate) fn follow<'d>(&'d self, value: &'d Value, pointer: &str) -> Result<Found<'d>, Broken> {
        let mut found = Found { value, pointer: Cow::Owned(pointer.to_owned()) };
        let mut seen = HashSet::new();
        while let Some(reference) = found.value.as_object().and_then(|members| members.get("$ref")) {
            let Some(reference) = reference.as_str() else {
                return Err(Broken::NotText(kind(reference)));
            };
            let next = self.resolve(reference)?;
            // Nobody writes chains of this length; a hostile document could make each step of them cost another.
            if !seen.insert(next.pointer.clone()) || seen.len() > MAX_CHAIN {
                return Err(Broken::Cycle(reference.to_owned()));
            }
            found = next;
        }
        Ok(found)
    }

    /// The schema with this `$anchor`.
    fn anchor(&self, name: &str) -> Option<Found<'_>> {
        let pointer = self.anchors.get_or_init(|| self.find_anchors()).get(name)?;
        Some(Found { value: self.at(pointer)?, pointer: Cow::Owned(pointer.clone()) })
    }

    /// Where the anchors are. They are rare, so nobody looks for them before one is asked for.
    fn find_anchors(&self) -> HashMap<String, String> {
        let mut anchors = HashMap::new();
        if let Some(components) = self.at("/components") {
            collect_anchors(components, &mut Pointer::at("/components"), &mut anchors);
        }
        anchors
    }
}

fn collect_anchors(value: &Value, at: &mut Pointer, anchors: &mut HashMap<String, String>) {
    match value {
        Value::Object(members) => {
            if let Some(name) = members.get("$anchor").and_then(Value::as_str) {
                anchors.entry(name.to_owned()).or_insert_with(|| at.as_str().to_owned());
            }
            for (key, member) in members {
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
