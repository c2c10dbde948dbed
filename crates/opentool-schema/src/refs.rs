//! References inside one schema: where `$ref` leads, without leaving the document.
//!
//! It covers what the bound on a schema's complexity and the explanation of a failure need: pointers, anchors and
//! embedded `$id`s that are unmistakable. It does not resolve URIs: an embedded schema is found by the last
//! segment of its `$id`, and two with the same one are ambiguous, which counts as not found.

use std::cell::OnceCell;
use std::collections::HashMap;

use serde_json::Value;

use crate::keywords::{holds_data, holds_named};

/// Keywords of a schema that are looked through.
const FEW: usize = 16;

/// A schema and the resource (the nearest schema around it with an `$id`) that its references start from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'s> {
    pub(crate) schema: &'s Value,
    pub(crate) resource: &'s Value,
}

impl<'s> Place<'s> {
    /// The place of `schema`, found inside this one.
    pub(crate) fn enter(self, schema: &'s Value) -> Self {
        let resource = if id(schema).is_some() { schema } else { self.resource };
        Self { schema, resource }
    }

    pub(crate) fn get(self, keyword: &str) -> Option<&'s Value> {
        self.schema.get(keyword)
    }
}

/// The references of a schema.
#[derive(Debug)]
pub(crate) struct Refs<'s> {
    root: &'s Value,
    /// Made when it is first needed: most schemas refer by pointers, or not at all.
    names: OnceCell<Names<'s>>,
}

/// The anchors and identifiers of a schema.
#[derive(Debug, Default)]
struct Names<'s> {
    ids: HashMap<&'s str, Vec<Place<'s>>>,
    anchors: HashMap<&'s str, Vec<Place<'s>>>,
}

impl<'s> Names<'s> {
    /// Reads the whole schema once.
    fn collect(&mut self, place: Place<'s>) {
        match place.schema {
            Value::Object(members) => {
                if let Some(id) = id(place.schema) {
                    self.ids.entry(last_segment(id)).or_default().push(place);
                }
                for keyword in ["$anchor", "$dynamicAnchor"] {
                    if let Some(name) = members.get(keyword).and_then(Value::as_str) {
                        self.anchors.entry(name).or_default().push(place);
                    }
                }
                // Up to draft-07 an anchor is an identifier that is a fragment.
                for keyword in ["$id", "id"] {
                    if let Some(name) = members.get(keyword).and_then(Value::as_str)
                        && let Some(name) = name.strip_prefix('#')
                    {
                        self.anchors.entry(name).or_default().push(place);
                    }
                }
                for (keyword, member) in members {
                    match member {
                        Value::Object(named) if holds_named(keyword) => {
                            named.values().for_each(|inner| self.collect(place.enter(inner)));
                        }
                        _ if holds_data(keyword) => {}
                        _ => self.collect(place.enter(member)),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(place.enter(item))),
            _ => {}
        }
    }
}

impl<'s> Refs<'s> {
    /// The references of a whole schema.
    pub(crate) fn of(root: &'s Value) -> Self {
        Self { root, names: OnceCell::new() }
    }

    /// The root.
    pub(crate) fn start(&self) -> Place<'s> {
        Place { schema: self.root, resource: self.root }
    }

    fn names(&self) -> &Names<'s> {
        self.names.get_or_init(|| {
            let mut names = Names::default();
            names.collect(self.start());
            names
        })
    }

    /// Where `reference`, written at `from`, leads: one place, or `None` if it is not found or ambiguous.
    pub(crate) fn resolve(&self, from: Place<'s>, reference: &str) -> Option<Place<'s>> {
        match self.candidates(from, reference).as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    /// All places where `reference` may lead: several only for anchors.
    pub(crate) fn candidates(&self, from: Place<'s>, reference: &str) -> Vec<Place<'s>> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = if document.is_empty() {
            Place { schema: from.resource, resource: from.resource }
        } else {
            match self.names().ids.get(last_segment(document)).map(Vec::as_slice) {
                Some([one]) => *one,
                _ => return Vec::new(),
            }
        };
        if fragment.is_empty() {
            return vec![resource];
        }
        let fragment = percent_decoded(fragment);
        if fragment.starts_with('/') {
            let target = resource.schema.pointer(&fragment);
            return target.map(|target| resource.enter(target)).into_iter().collect();
        }
        self.names().anchors.get(&*fragment).cloned().unwrap_or_default()
    }
}

/// The place of what a pointer from the root leads to; the last schema on the way where it leads nowhere.
pub(crate) fn place_at<'s>(root: &'s Value, pointer: &str) -> Place<'s> {
    let mut place = Place { schema: root, resource: root };
    for segment in pointer.split('/').skip(1) {
        let Some(next) = place.schema.pointer(&format!("/{segment}")) else { return place };
        place = place.enter(next);
    }
    place
}

/// The identifier of a schema that starts a resource of its own.
fn id(schema: &Value) -> Option<&str> {
    let members = schema.as_object()?;
    // Nearly all schemas have few keywords and no identifier: looking at each costs less than two hashes.
    if members.len() <= FEW && !members.keys().any(|keyword| matches!(keyword.as_str(), "$id" | "id")) {
        return None;
    }
    let id = members.get("$id").or_else(|| members.get("id"))?.as_str()?;
    (!id.starts_with('#')).then_some(id)
}

fn last_segment(uri: &str) -> &str {
    let uri = uri.split('#').next().unwrap_or(uri);
    uri.rsplit(['/', ':']).find(|segment| !segment.is_empty()).unwrap_or(uri)
}

/// `%7B` → `{`. What is not an escape, or not UTF-8, stays.
pub(crate) fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escape = (first == b'%').then(|| after.split_at_checked(2)).flatten();
        let byte = escape.and_then(|(hex, after)| {
            let byte = u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?;
            Some((byte, after))
        });
        let (byte, after) = byte.unwrap_or((first, after));
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
