//! The walk over a schema that makes a value.

use serde_json::{Map, Value};

use super::chance::Chance;
use super::{Look, Optional, number, text};

/// How many values putting schemas together counts as: they are copied.
const MERGING: usize = 50;

/// The deepest schema that is looked at, references followed.
const DEEPEST: usize = 128;

/// Below this depth, optional properties are left out.
const DEEP: usize = 16;

/// The most branches of a choice that are tried.
const MOST_BRANCHES: usize = 100;

/// The most items that a list gets for `minItems`.
const MOST_ITEMS: usize = 100;

/// The most schemas of an `allOf` that are taken together.
const MOST_MERGED: usize = 100;

/// An example in the making.
pub(super) struct Making<'s> {
    root: &'s Value,
    optional: Optional,
    look: Look,
    chance: Chance,
    /// How many odd values there were: each is another.
    odd: usize,
    /// How many values may still be made.
    left: usize,
    depth: usize,
    /// The references that are being followed.
    inside: Vec<&'s str>,
}

impl<'s> Making<'s> {
    /// An example of at most `left` values.
    pub(super) fn new(root: &'s Value, optional: Optional, look: Look, chance: Chance, left: usize) -> Self {
        Self { root, optional, look, chance, odd: 0, left, depth: 0, inside: Vec::new() }
    }

    /// A value for `name`, the `index`th of its kind; `None` if there is none that ends.
    pub(super) fn value(&mut self, schema: &'s Value, name: &str, index: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth = self.depth.saturating_add(1);
        let value = self.made(schema, name, index);
        self.depth = self.depth.saturating_sub(1);
        value
    }

    fn made(&mut self, schema: &'s Value, name: &str, index: usize) -> Option<Value> {
        let members = match schema {
            Value::Object(members) => members,
            Value::Bool(false) => return None,
            _ => return Some(self.text(name, &Map::new(), index)),
        };
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            return self.referred(reference, members, name, index);
        }
        if let Some(given) = self.given(members, index) {
            return Some(given);
        }
        if let Some(parts) = members.get("allOf").and_then(Value::as_array) {
            let merged = self.merged(members, parts)?;
            // The merged schema is new, so what is made from it may not borrow from it.
            return self.owned(&merged, name, index);
        }
        for keyword in ["oneOf", "anyOf"] {
            if let Some(branches) = members.get(keyword).and_then(Value::as_array) {
                return self.one_of(branches, members, keyword, name, index);
            }
        }
        self.typed(members, name, index)
    }

    fn referred(
        &mut self,
        reference: &'s str,
        members: &'s Map<String, Value>,
        name: &str,
        index: usize,
    ) -> Option<Value> {
        if self.inside.contains(&reference) {
            return None;
        }
        let Some(target) = resolve(self.root, reference) else {
            // A reference to nowhere says nothing; what stands beside it may.
            return self.typed(members, name, index);
        };
        self.inside.push(reference);
        let value = self.value(target, name, index);
        self.inside.pop();
        value
    }

    /// A value for a schema that was put together here.
    fn owned(&mut self, schema: &Value, name: &str, index: usize) -> Option<Value> {
        let mut making = Making {
            root: self.root,
            optional: self.optional,
            look: self.look,
            chance: self.chance,
            odd: self.odd,
            left: self.left,
            depth: self.depth,
            inside: self.inside.clone(),
        };
        let value = making.value(schema, name, index);
        (self.left, self.chance, self.odd) = (making.left, making.chance, making.odd);
        value
    }

    fn one_of(
        &mut self,
        branches: &'s [Value],
        members: &'s Map<String, Value>,
        keyword: &str,
        name: &str,
        index: usize,
    ) -> Option<Value> {
        // Something is a better example than nothing.
        let (nulls, mut others): (Vec<_>, Vec<_>) = branches.iter().partition(|branch| is_null(branch));
        let first = self.chance.below(others.len());
        others.rotate_left(first);
        let plain = members.keys().all(|key| key == keyword || is_remark(key));
        others.into_iter().chain(nulls).take(MOST_BRANCHES).find_map(|branch| {
            if plain {
                return self.value(branch, name, index);
            }
            let mut around = members.clone();
            around.shift_remove(keyword);
            let merged = self.merged(&around, std::slice::from_ref(branch))?;
            self.owned(&merged, name, index)
        })
    }

    /// One schema for `members` and all `parts` of an `allOf`.
    fn merged(&mut self, members: &Map<String, Value>, parts: &[Value]) -> Option<Value> {
        self.left = self.left.checked_sub(MERGING)?;
        let mut whole = members.clone();
        whole.shift_remove("allOf");
        let mut waiting: Vec<&Value> = parts.iter().rev().collect();
        for _ in 0..MOST_MERGED {
            let Some(part) = waiting.pop() else { break };
            let Some(part) = part.as_object() else { continue };
            let referred = part.get("$ref").and_then(Value::as_str);
            waiting.extend(referred.and_then(|reference| resolve(self.root, reference)));
            waiting.extend(part.get("allOf").and_then(Value::as_array).into_iter().flatten().rev());
            for (keyword, value) in part {
                match (keyword.as_str(), whole.get_mut(keyword), value) {
                    ("$ref" | "allOf", _, _) => {}
                    ("properties", Some(Value::Object(own)), Value::Object(more)) => {
                        for (name, schema) in more {
                            match (own.get_mut(name), schema) {
                                (Some(Value::Object(own)), Value::Object(more)) => add(own, more),
                                (Some(_), _) => {}
                                (None, schema) => {
                                    own.insert(name.clone(), schema.clone());
                                }
                            }
                        }
                    }
                    ("required", Some(Value::Array(own)), Value::Array(more)) => {
                        own.extend(more.iter().cloned());
                    }
                    (_, Some(_), _) => {}
                    (_, None, _) => {
                        whole.insert(keyword.clone(), value.clone());
                    }
                }
            }
        }
        Some(Value::Object(whole))
    }

    fn typed(&mut self, members: &'s Map<String, Value>, name: &str, index: usize) -> Option<Value> {
        match kind(members) {
            "object" => self.object(members).map(Value::Object),
            "array" => self.array(members, name),
            "integer" => {
                let index = self.turn(index);
                Some(number::integer(name, members, index, self.look))
            }
            "number" => {
                let index = self.turn(index);
                Some(number::number(name, members, index, self.look))
            }
            "boolean" => Some(Value::Bool(self.turn(index).is_multiple_of(2))),
            "null" => Some(Value::Null),
            _ => Some(self.text(name, members, index)),
        }
    }

    fn text(&mut self, name: &str, members: &Map<String, Value>, index: usize) -> Value {
        let index = self.turn(index);
        Value::String(text::sample(name, members, index, self.look))
    }

    /// Which of several possible values it is.
    fn turn(&mut self, index: usize) -> usize {
        if self.look == Look::Odd {
            self.odd = self.odd.saturating_add(1);
            return self.odd;
        }
        index.saturating_add(self.chance.below(10))
    }

    /// The value that the schema itself gives.
    fn given(&mut self, members: &Map<String, Value>, index: usize) -> Option<Value> {
        if let Some(only) = members.get("const") {
            return Some(only.clone());
        }
        let default = members.get("default").filter(|value| !value.is_null());
        let likeliest = index == 0 && !self.chance.is_on() && self.look == Look::Plain;
        let enumeration = members.get("enum").and_then(Value::as_array);
        if let Some(values) = enumeration.filter(|values| !values.is_empty()) {
            let allowed = default.filter(|value| likeliest && values.contains(value));
            let mut some: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
            if some.is_empty() {
                some = values.iter().collect();
            }
            let turn = index.saturating_add(self.chance.below(some.len()));
            let turn = turn.checked_rem(some.len()).unwrap_or(0);
            return allowed.or_else(|| some.get(turn).copied()).cloned();
        }
        if self.look == Look::Odd {
            return None;
        }
        let examples = members.get("examples").and_then(Value::as_array);
        let example = examples.and_then(|examples| match self.chance.is_on() {
            true => examples.get(self.chance.below(examples.len())),
            false => examples.get(index),
        });
        example.or(default.filter(|_| likeliest)).cloned()
    }

    fn object(&mut self, members: &'s Map<String, Value>) -> Option<Map<String, Value>> {
        let required: Vec<&str> = strings(members.get("required"));
        let properties = members.get("properties").and_then(Value::as_object);
        let mut object = Map::new();
        let optional = self.optional == Optional::There && self.depth < DEEP;
        for (name, schema) in properties.into_iter().flatten() {
            if required.contains(&name.as_str()) {
                object.insert(name.clone(), self.value(schema, name, 0)?);
            } else if optional && let Some(value) = self.value(schema, name, 0) {
                object.insert(name.clone(), value);
            }
        }
        let others = members.get("additionalProperties").unwrap_or(&Value::Bool(true));
        for name in &required {
            if !object.contains_key(*name) {
                object.insert((*name).to_owned(), self.value(others, name, 0)?);
            }
        }
        let least = at_least(members, "minProperties", 0);
        for (name, schema) in properties.into_iter().flatten() {
            if object.len() < least
                && !object.contains_key(name)
                && let Some(value) = self.value(schema, name, 0)
            {
                object.insert(name.clone(), value);
            }
        }
        let map = others.is_object() && object.is_empty() && optional;
        for at in 0..least.saturating_sub(object.len()).max(usize::from(map)) {
            object.insert(format!("key{}", at.saturating_add(1)), self.value(others, "", at)?);
        }
        // Schemas that say "exactly one of these" say it so.
        let most = at_least(members, "maxProperties", usize::MAX);
        for name in object.keys().rev().cloned().collect::<Vec<_>>() {
            if object.len() > most && !required.contains(&name.as_str()) {
                object.shift_remove(&name);
            }
        }
        Some(object)
    }

    fn array(&mut self, members: &'s Map<String, Value>, name: &str) -> Option<Value> {
        let least = at_least(members, "minItems", 0);
        let most = at_least(members, "maxItems", usize::MAX);
        let some = match self.look {
            Look::Plain => self.chance.below(3).saturating_add(1),
            // Two are more than one, in every style.
            Look::Odd => 2,
        };
        let wanted = least.max(some).min(most);
        let first = members.get("prefixItems").and_then(Value::as_array);
        let items = members.get("items").unwrap_or(&Value::Bool(true));
        let wanted = wanted.max(first.map_or(0, Vec::len).min(most));
        let single = singular(name);
        let mut list = Vec::new();
        for at in 0..wanted {
            let schema = first.and_then(|first| first.get(at)).unwrap_or(items);
            match self.value(schema, single, at) {
                Some(value) => list.push(value),
                None if at >= least => break,
                None => return None,
            }
        }
        Some(Value::Array(list))
    }
}

/// Adds the keywords that are missing.
fn add(own: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (keyword, value) in more {
        own.entry(keyword).or_insert_with(|| value.clone());
    }
}

/// The type to make: the first that is not null, or what the other keywords speak of.
fn kind(members: &Map<String, Value>) -> &str {
    match members.get("type") {
        Some(Value::String(kind)) => return kind,
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str);
            let mut null = false;
            let some = kinds.find(|kind| {
                null |= *kind == "null";
                *kind != "null"
            });
            return some.unwrap_or(if null { "null" } else { "string" });
        }
        _ => {}
    }
    let speaks_of = |keywords: &[&str]| keywords.iter().any(|keyword| members.contains_key(*keyword));
    if speaks_of(&["properties", "required", "additionalProperties", "minProperties"]) {
        "object"
    } else if speaks_of(&["items", "prefixItems", "minItems"]) {
        "array"
    } else if speaks_of(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) {
        "number"
    } else {
        "string"
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null") || schema.get("const").is_some_and(Value::is_null)
}

/// Whether the keyword says nothing about values.
fn is_remark(keyword: &str) -> bool {
    matches!(keyword, "title" | "description" | "$defs" | "definitions" | "$schema" | "$id" | "deprecated")
}

/// A bound on a count, which is at most [`MOST_ITEMS`].
fn at_least(members: &Map<String, Value>, keyword: &str, default: usize) -> usize {
    let given = members.get(keyword).and_then(Value::as_u64);
    given.map_or(default, |given| usize::try_from(given).unwrap_or(usize::MAX).min(MOST_ITEMS))
}

fn strings(value: Option<&Value>) -> Vec<&str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// `cities` holds something like `citie`, `tags` a `tag`.
fn singular(name: &str) -> &str {
    name.strip_suffix('s').unwrap_or(name)
}

/// The schema that a reference of the same document leads to.
fn resolve<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    let fragment = reference.strip_prefix('#')?;
    root.pointer(&text::percent_decoded(fragment))
}
