//! Nodes out of the schemas of a document.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use opentool_text::pointer;
use serde_json::{Map, Value};

use super::{Kind, Node, XmlForm};
use crate::document::{Document, split};

/// The most nodes of a document. Beyond them values are written as if the document said nothing about XML.
const MOST: usize = 50_000;

/// The most schemas that are taken together for one node.
const MOST_PARTS: usize = 100;

/// How a schema stands to the one that it is taken together with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// It is that one.
    Whole,
    /// All values fit it.
    Always,
    /// It is one of several that they can fit.
    Sometimes,
}

/// Nodes in the making, shared by all bodies of a document.
#[derive(Debug, Default)]
pub(crate) struct Learner {
    nodes: Vec<Node>,
    /// By the place of the schema.
    known: HashMap<String, usize>,
    /// Places whose nodes are empty still.
    waiting: Vec<(usize, String)>,
    shared: Arc<OnceLock<Vec<Node>>>,
}

impl Learner {
    /// The form of the schema at a place. It can be used once the learner is [finished](Learner::finish).
    pub(crate) fn form(&mut self, document: &Document, place: &str) -> XmlForm {
        let root = self.index(place.to_owned());
        while let Some((index, place)) = self.waiting.pop() {
            let mut node = Node::default();
            if let Some(schema) = document.at(&place) {
                self.collect(document, schema, &place, &mut node);
            }
            if let Some(slot) = self.nodes.get_mut(index) {
                *slot = node;
            }
        }
        XmlForm { nodes: Arc::clone(&self.shared), root }
    }

    /// Makes the nodes known to all forms that were given out.
    pub(crate) fn finish(self) {
        // Set once, here.
        let _ = self.shared.set(self.nodes);
    }

    fn index(&mut self, place: String) -> usize {
        if let Some(known) = self.known.get(&place) {
            return *known;
        }
        if self.nodes.len() >= MOST {
            // There is no such node, which means one that says nothing.
            return usize::MAX;
        }
        let index = self.nodes.len();
        self.nodes.push(Node::default());
        self.known.insert(place.clone(), index);
        self.waiting.push((index, place));
        index
    }

    /// Takes a schema, what it refers to and its parts together; the nearest counts. The name is the whole's own, or that of
    /// the only part that has one.
    fn collect(&mut self, document: &Document, schema: &Value, place: &str, node: &mut Node) {
        let mut named: Vec<&Map<String, Value>> = Vec::new();
        let mut waiting = vec![(schema, place.to_owned(), Part::Whole)];
        let mut seen: HashSet<String> = HashSet::new();
        while let Some((schema, place, part)) = waiting.pop() {
            let Some(members) = schema.as_object() else { continue };
            if seen.len() >= MOST_PARTS || !seen.insert(place.clone()) {
                continue;
            }
            if part == Part::Whole && node.component.is_none() {
                node.component = component(&place);
            }
            match members.get("xml").and_then(Value::as_object) {
                Some(xml) if part == Part::Whole => say(xml, node),
                Some(xml) if part == Part::Always && xml.contains_key("name") => named.push(xml),
                _ => {}
            }
            self.members(members, &place, node);
            for keyword in ["oneOf", "anyOf", "allOf"] {
                let parts =
                    members.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                let part = match (part, keyword, parts.len()) {
                    // The only part is a reference with notes.
                    (Part::Whole, "allOf", 1) => Part::Whole,
                    (Part::Whole | Part::Always, "allOf", _) => Part::Always,
                    _ => Part::Sometimes,
                };
                let at = pointer::join(&place, keyword);
                for (index, schema) in parts.iter().enumerate().rev() {
                    waiting.push((schema, pointer::join(&at, &index.to_string()), part));
                }
            }
            let reference = members.get("$ref").and_then(Value::as_str);
            if let Some(Ok(found)) = reference.map(|reference| document.resolve(reference, &place)) {
                waiting.push((found.value, found.pointer.into_owned(), part));
            }
        }
        if let ([only], None, None) = (named.as_slice(), &node.name, &node.component) {
            say(only, node);
        }
    }

    fn members(&mut self, schema: &Map<String, Value>, place: &str, node: &mut Node) {
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let at = pointer::join(place, "properties");
        let mut own: HashSet<&str> = HashSet::new();
        let known: HashSet<String> = node.members.iter().map(|(name, _)| name.clone()).collect();
        for (name, _) in properties {
            if own.insert(name) && !known.contains(name) {
                let index = self.index(pointer::join(&at, name));
                node.members.push((name.clone(), index));
            }
        }
        if node.items.is_none() && schema.get("items").is_some_and(Value::is_object) {
            node.items = Some(self.index(pointer::join(place, "items")));
        }
        if node.rest.is_none() && schema.get("additionalProperties").is_some_and(Value::is_object) {
            node.rest = Some(self.index(pointer::join(place, "additionalProperties")));
        }
    }
}

/// What an `xml` object says, where nothing nearer has said it.
fn say(xml: &Map<String, Value>, node: &mut Node) {
    let word = |name: &str| {
        let word = xml.get(name)?.as_str()?.trim();
        (!word.is_empty()).then(|| word.to_owned())
    };
    let flag = |name: &str| xml.get(name).and_then(Value::as_bool) == Some(true);
    node.name = node.name.take().or_else(|| word("name"));
    node.namespace = node.namespace.take().or_else(|| word("namespace"));
    node.prefix = node.prefix.take().or_else(|| word("prefix"));
    let kind = match xml.get("nodeType").and_then(Value::as_str) {
        Some("element") => Some(Kind::Element),
        Some("attribute") => Some(Kind::Attribute),
        Some("text") => Some(Kind::Text),
        Some("cdata") => Some(Kind::Cdata),
        Some("none") => Some(Kind::None),
        _ if flag("attribute") => Some(Kind::Attribute),
        _ if flag("wrapped") => Some(Kind::Element),
        _ => None,
    };
    node.kind = node.kind.or(kind);
}

/// The name of a schema that stands among the components.
fn component(place: &str) -> Option<String> {
    let pointer = split(place).1;
    let name =
        pointer.strip_prefix("/components/schemas/").or_else(|| pointer.strip_prefix("/definitions/"))?;
    (!name.contains('/')).then(|| pointer::members(&format!("/{name}")).collect())
}
