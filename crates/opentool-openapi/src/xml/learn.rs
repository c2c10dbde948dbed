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

    /// Takes a schema, what it refers to and its parts together; the nearest counts.
    fn collect(&mut self, document: &Document, schema: &Value, place: &str, node: &mut Node) {
        let mut waiting: Vec<(&Value, String, bool)> = vec![(schema, place.to_owned(), true)];
        let mut seen: HashSet<String> = HashSet::new();
        while let Some((schema, place, is_self)) = waiting.pop() {
            let Some(members) = schema.as_object() else { continue };
            if seen.len() >= MOST_PARTS || !seen.insert(place.clone()) {
                continue;
            }
            if is_self && node.component.is_none() {
                node.component = component(&place);
            }
            if let Some(xml) = members.get("xml").and_then(Value::as_object).filter(|_| is_self) {
                say(xml, node);
            }
            self.members(members, &place, node);
            for keyword in ["oneOf", "anyOf", "allOf"] {
                let parts =
                    members.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                // The only part is a reference with notes; of several none is the whole.
                let is_self = is_self && parts.len() == 1 && keyword == "allOf";
                let at = pointer::join(&place, keyword);
                for (index, part) in parts.iter().enumerate().rev() {
                    waiting.push((part, pointer::join(&at, &index.to_string()), is_self));
                }
            }
            let reference = members.get("$ref").and_then(Value::as_str);
            if let Some(Ok(found)) = reference.map(|reference| document.resolve(reference, &place)) {
                waiting.push((found.value, found.pointer.into_owned(), is_self));
            }
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
