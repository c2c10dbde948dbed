//! Enums by the names of their variants: the schema that shows them, and the way back to the values.
//!
//! A place of a schema is named where `enum` (or `const`) has `x-enum-varnames` of the same length beside it. Where a
//! value could belong to several branches, it is read by the first branch that accepts it. A union of an enum and of any text
//! cannot tell a name from the same text: there the enum wins, as long as its branch accepts.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use opentool_core::Schema;
use serde_json::{Map, Value};

use crate::Validator;
use crate::keywords::holds_data;
use crate::refs::{Place, Refs};

/// The keyword that holds the names.
pub(super) const KEYWORD: &str = "x-enum-varnames";
/// Places of a schema that are looked at; names beyond are shown by value.
const MOST_NODES: usize = 20_000;
/// Levels of a schema that are looked at.
const MOST_LEVELS: usize = 128;

/// The named places of a schema.
pub(super) struct Names {
    schema: Value,
    nodes: Vec<Node>,
}

/// One place of the schema.
#[derive(Default)]
struct Node {
    /// Names with the values that they stand for.
    pairs: Vec<(String, Value)>,
    items: Option<usize>,
    properties: Vec<(String, usize)>,
    further: Option<usize>,
    /// Of `anyOf` and `oneOf`: one of them holds.
    branches: Vec<Branch>,
    /// Of `allOf` and `$ref`: each of them holds.
    all: Vec<usize>,
    /// Whether a named place is inside or behind a reference.
    reaches: bool,
}

/// One branch of a union that may hold names.
struct Branch {
    node: usize,
    /// As it is shown.
    schema: Value,
    /// What accepts its values, made when a call first needs it.
    validator: OnceLock<Option<Validator>>,
}

impl Names {
    /// Finds the named places.
    pub(super) fn of(schema: &Value) -> Self {
        let refs = Refs::of(schema);
        let show = Show { refs: &refs, budget: Cell::new(MOST_NODES) };
        let shown = show.schema(refs.start());
        let mut search = Search { show, nodes: Vec::new(), seen: HashMap::new() };
        search.node(refs.start(), 0);
        Self { nodes: reaching(search.nodes), schema: shown }
    }

    /// Whether no place is named.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.first().is_none_or(|root| !root.reaches)
    }

    /// The schema with names in place of values.
    pub(super) fn shown(&self) -> Value {
        self.schema.clone()
    }

    /// Puts the values in place of the names.
    pub(super) fn read(&self, value: &mut Value) {
        self.replace(value, 0, 0, &mut HashSet::new());
    }

    /// `done` are the addresses of what was replaced: a value must not be read as a name once more.
    fn replace(&self, value: &mut Value, at: usize, level: usize, done: &mut HashSet<usize>) {
        let Some(node) = self.nodes.get(at).filter(|node| node.reaches && level <= MOST_LEVELS) else {
            return;
        };
        let address = std::ptr::from_ref(value).addr();
        if done.contains(&address) {
            return;
        }
        if let Some((_, meant)) = node.pairs.iter().find(|(name, _)| *value == name.as_str()) {
            *value = meant.clone();
            done.insert(address);
            return;
        }
        let level = level.saturating_add(1);
        let accepting = node.branches.iter().find(|branch| self.accepts(branch, value));
        for next in accepting.map(|branch| branch.node).into_iter().chain(node.all.iter().copied()) {
            self.replace(value, next, level, done);
        }
        match value {
            Value::Array(items) => {
                let Some(of) = node.items else { return };
                items.iter_mut().for_each(|item| self.replace(item, of, level, done));
            }
            Value::Object(members) => {
                for (name, member) in members {
                    let own = node.properties.iter().find(|(known, _)| known == name).map(|(_, of)| *of);
                    if let Some(of) = own.or(node.further) {
                        self.replace(member, of, level, done);
                    }
                }
            }
            _ => {}
        }
    }

    fn accepts(&self, branch: &Branch, value: &Value) -> bool {
        let validator = branch.validator.get_or_init(|| {
            let mut alone = Map::new();
            for keyword in ["$schema", "$defs", "definitions"] {
                if let Some(of_root) = self.schema.get(keyword) {
                    alone.insert(keyword.to_owned(), of_root.clone());
                }
            }
            alone.insert("allOf".to_owned(), Value::Array(vec![branch.schema.clone()]));
            Validator::new(&Schema::new(Value::Object(alone))).ok()
        });
        // A branch that cannot be asked alone is taken to be meant.
        validator.as_ref().is_none_or(|validator| validator.accepts(value))
    }
}

/// The places, each with whether names can be reached from it; branches without names are taken out.
fn reaching(mut nodes: Vec<Node>) -> Vec<Node> {
    let mut from: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let inside = node.properties.iter().map(|(_, of)| *of).chain(node.items).chain(node.further);
        let in_place = node.branches.iter().map(|branch| branch.node).chain(node.all.iter().copied());
        for next in inside.chain(in_place) {
            from.get_mut(next).into_iter().for_each(|known| known.push(at));
        }
        if !node.pairs.is_empty() {
            open.push(at);
        }
    }
    while let Some(at) = open.pop() {
        if let Some(node) = nodes.get_mut(at).filter(|node| !node.reaches) {
            node.reaches = true;
            open.extend(from.get(at).into_iter().flatten());
        }
    }
    let reaches: Vec<bool> = nodes.iter().map(|node| node.reaches).collect();
    for node in &mut nodes {
        node.branches.retain(|branch| reaches.get(branch.node) == Some(&true));
    }
    nodes
}

/// The names and values of a place, if it is named.
pub(super) fn pairs(schema: &Value) -> Option<Vec<(String, Value)>> {
    let names = schema.get(KEYWORD)?.as_array()?;
    let values = match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(values)), _) => values.as_slice(),
        (None, Some(value)) => std::slice::from_ref(value),
        _ => return None,
    };
    let mut pairs: Vec<(String, Value)> = Vec::with_capacity(names.len());
    for (name, value) in names.iter().zip(values) {
        let name = name.as_str()?;
        if pairs.iter().any(|(known, _)| known == name) {
            return None;
        }
        pairs.push((name.to_owned(), value.clone()));
    }
    (names.len() == values.len() && !pairs.is_empty()).then_some(pairs)
}

struct Search<'s> {
    show: Show<'s>,
    nodes: Vec<Node>,
    seen: HashMap<*const Value, usize>,
}

impl<'s> Search<'s> {
    fn node(&mut self, place: Place<'s>, level: usize) -> Option<usize> {
        let key = std::ptr::from_ref(place.schema);
        if let Some(known) = self.seen.get(&key) {
            return Some(*known);
        }
        let members = place.schema.as_object()?;
        if self.nodes.len() >= MOST_NODES || level > MOST_LEVELS {
            return None;
        }
        let at = self.nodes.len();
        self.seen.insert(key, at);
        self.nodes.push(Node::default());
        let level = level.saturating_add(1);
        let mut node = Node { pairs: pairs(place.schema).unwrap_or_default(), ..Node::default() };
        let target = self.show.target(place);
        node.all.extend(target.and_then(|target| self.node(target, level)));
        for part in list(members, "allOf") {
            node.all.extend(self.node(place.enter(part), level));
        }
        if let Some(items) = members.get("items") {
            node.items = self.node(place.enter(items), level);
        }
        if let Some(further) = members.get("additionalProperties") {
            node.further = self.node(place.enter(further), level);
        }
        for (name, property) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let of = self.node(place.enter(property), level);
            node.properties.extend(of.map(|of| (name.clone(), of)));
        }
        for branch in ["anyOf", "oneOf"].into_iter().flat_map(|keyword| list(members, keyword)) {
            if let Some(of) = self.node(place.enter(branch), level) {
                let schema = self.show.schema(place.enter(branch));
                node.branches.push(Branch { node: of, schema, validator: OnceLock::new() });
            }
        }
        *self.nodes.get_mut(at)? = node;
        Some(at)
    }
}

fn list<'m>(members: &'m Map<String, Value>, keyword: &str) -> impl Iterator<Item = &'m Value> {
    members.get(keyword).and_then(Value::as_array).into_iter().flatten()
}

/// Writes schemas with names in place of values and without the keyword.
struct Show<'s> {
    refs: &'s Refs<'s>,
    /// Places that may still be looked at for the names of defaults.
    budget: Cell<usize>,
}

impl<'s> Show<'s> {
    fn schema(&self, place: Place<'s>) -> Value {
        let members = match place.schema {
            Value::Object(members) => members,
            Value::Array(items) => return items.iter().map(|item| self.schema(place.enter(item))).collect(),
            other => return other.clone(),
        };
        let pairs = pairs(place.schema);
        let mut shown = Map::new();
        if pairs.is_some() {
            shown.insert("type".to_owned(), "string".into());
        }
        for (keyword, member) in members {
            let member = match keyword.as_str() {
                KEYWORD => continue,
                "enum" | "const" if pairs.is_some() => {
                    let mut names = pairs.iter().flatten().map(|(name, _)| Value::from(name.as_str()));
                    if keyword == "const" { names.next().unwrap_or_default() } else { names.collect() }
                }
                "default" => self.named(place, member, 0).unwrap_or_else(|| member.clone()),
                "title" | "description" | "deprecated" => member.clone(),
                // What else is said of the values does not hold for the names.
                _ if pairs.is_some() => continue,
                // The keys of these are names, which may look like keywords.
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                    let schemas = member.as_object().into_iter().flatten();
                    let shown =
                        schemas.map(|(name, schema)| (name.clone(), self.schema(place.enter(schema))));
                    Value::Object(shown.collect())
                }
                data if holds_data(data) => member.clone(),
                _ => self.schema(place.enter(member)),
            };
            shown.insert(keyword.clone(), member);
        }
        Value::Object(shown)
    }

    /// A default written with names, where the schema says which; `None` if nothing about it changes.
    fn named(&self, place: Place<'s>, value: &Value, level: usize) -> Option<Value> {
        self.budget.set(self.budget.get().checked_sub(1)?);
        if level > MOST_LEVELS {
            return None;
        }
        let level = level.saturating_add(1);
        let pair = pairs(place.schema).into_iter().flatten().find(|(_, meant)| meant == value);
        if let Some((name, _)) = pair {
            return Some(name.into());
        }
        if let (Value::Array(items), Some(of)) = (value, place.get("items")) {
            let mut any = false;
            let named = items.iter().map(|item| match self.named(place.enter(of), item, level) {
                Some(named) => {
                    any = true;
                    named
                }
                None => item.clone(),
            });
            let named: Value = named.collect();
            return any.then_some(named);
        }
        let keywords = ["anyOf", "oneOf", "allOf"].into_iter();
        let parts = keywords.filter_map(|keyword| place.get(keyword)?.as_array()).flatten();
        let parts = parts.map(|part| place.enter(part));
        self.target(place).into_iter().chain(parts).find_map(|part| self.named(part, value, level))
    }

    fn target(&self, place: Place<'s>) -> Option<Place<'s>> {
        let reference = place.get("$ref").and_then(Value::as_str)?;
        self.refs.resolve(place, reference)
    }
}
