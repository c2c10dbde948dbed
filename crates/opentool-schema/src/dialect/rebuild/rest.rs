//! Keys that have no place of their own: a map of any keys becomes a list of `{key, value}` where objects must be
//! closed.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::describe::{MOVED, add_text};
use super::flat::{ANY, Flat, STRING, Union};
use super::limits::is_plain;
use super::{Made, Rebuild, Result, Spot, Stop, Sub, Where, bytes};
use crate::dialect::codec::Codec;
use crate::dialect::lower::Effect;

/// What it costs to compile a pattern.
const COMPILE: usize = 1_000;

/// What the schemas say about other keys.
pub(super) struct Others<'r> {
    /// What applies to the value of any other key.
    subs: Vec<Sub<'r>>,
    /// By pattern of the key.
    patterns: Vec<(&'r str, Sub<'r>)>,
    /// What applies to the keys themselves.
    names: Vec<Sub<'r>>,
    /// Which schemas allow no other key, and by which keyword.
    pub(super) closing: Vec<(Sub<'r>, &'static str)>,
    /// None of them speaks about other keys.
    pub(super) implied: bool,
    pointer: Rc<str>,
}

impl Others<'_> {
    /// Whether other keys need a list of their own in a closed object.
    pub(super) fn need_entries(&self, names: &[&str], spot: &Spot<'_>) -> bool {
        if self.implied {
            // An object of which nothing at all is known is a free one, except as the arguments of a tool.
            return names.is_empty() && spot.place != Where::Root;
        }
        self.closing.is_empty() || !self.patterns.is_empty()
    }
}

/// The schema of one entry, and the codec of its value.
pub(super) struct Entries {
    pub(super) schema: Value,
    pub(super) codec: Codec,
}

impl<'r> Rebuild<'r, '_> {
    pub(super) fn others(&self, flat: &Flat<'r>) -> Others<'r> {
        let mut others = Others {
            subs: Vec::new(),
            patterns: Vec::new(),
            names: Vec::new(),
            closing: Vec::new(),
            implied: true,
            pointer: flat.pointer().into(),
        };
        for sub in &flat.subs {
            for keyword in ["additionalProperties", "unevaluatedProperties"] {
                match sub.get(keyword) {
                    None => {}
                    Some(Value::Bool(false)) => others.closing.push((sub.clone(), keyword)),
                    Some(schema) => {
                        others.implied = false;
                        others.subs.push(sub.below(keyword, schema));
                    }
                }
            }
            for (pattern, schema) in
                sub.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
            {
                others.patterns.push((pattern, sub.entry("patternProperties", pattern, schema)));
            }
            others.names.extend(sub.get("propertyNames").map(|names| sub.below("propertyNames", names)));
        }
        others.implied &= others.closing.is_empty() && others.patterns.is_empty();
        others
    }

    /// Whether a pattern of keys matches a name.
    pub(super) fn matches(
        &mut self,
        pattern: &'r str,
        name: &str,
        sub: &Sub<'r>,
    ) -> std::result::Result<bool, Stop> {
        // Long names take long, and long patterns take long for each letter.
        self.spend(
            name.len().saturating_mul(bytes(pattern).saturating_add(1)).saturating_add(4),
            &sub.pointer,
        )?;
        if let Some(known) = self.patterns.get(pattern) {
            return Ok(known.is_valid(&Value::from(name)));
        }
        self.spend(pattern.len().saturating_add(COMPILE), &sub.pointer)?;
        let schema = json!({"pattern": pattern});
        match crate::validator::build(&schema, jsonschema::Draft::Draft202012) {
            Ok(validator) => {
                let matches = validator.is_valid(&Value::from(name));
                self.patterns.insert(pattern, validator);
                Ok(matches)
            }
            Err(_) => Err(Stop::Error(
                crate::SchemaError::Invalid {
                    pointer: sub.pointer.as_ref().into(),
                    message: format!("not a regular expression: {}", crate::text::shorten(pattern, 100))
                        .into(),
                }
                .into(),
            )),
        }
    }

    /// The entries of a map; `None` where there can be none.
    pub(super) fn entries(&mut self, others: &Others<'r>, spot: &Spot<'r>) -> Result<Entries> {
        let mut branches: Vec<Vec<Sub<'r>>> =
            others.patterns.iter().map(|(_, sub)| vec![sub.clone()]).collect();
        if others.closing.is_empty() {
            let any = Sub { schema: &ANY, pointer: Rc::clone(&others.pointer) };
            branches.push(if others.subs.is_empty() { vec![any] } else { others.subs.clone() });
        }
        let Some(value) = self.one_of(branches, others, spot)? else { return Ok(None) };
        let Some(mut key) = self.key(others, spot)? else { return Ok(None) };
        for (pattern, sub) in &others.patterns {
            let holder =
                sub.pointer.rsplit_once("/patternProperties").map_or("", |(holder, _)| holder).to_owned();
            let alone = others.patterns.len() == 1 && !others.closing.is_empty();
            if alone && self.has("pattern") && is_plain(pattern) && !key.contains_key("pattern") {
                key.insert("pattern".to_owned(), (*pattern).into());
                self.note(
                    &holder,
                    "patternProperties",
                    Effect::Exact,
                    "the keys of the entries have the pattern",
                );
            } else {
                add_text(&mut key, &format!("{{pattern: {}}}", json!(pattern)));
                self.note(&holder, "patternProperties", Effect::Wider, MOVED);
                self.note(&holder, "additionalProperties", Effect::Wider, MOVED);
                self.lose(sub, "no longer tied to the pattern of the key");
            }
        }
        let keyword = if others.patterns.is_empty() { "additionalProperties" } else { "patternProperties" };
        self.note(&others.pointer, keyword, Effect::Exact, "written as a list of `{key, value}`");
        let (key, written) = (Value::Object(key), Value::Object(value.schema));
        let both = Map::from_iter([("key".to_owned(), key), ("value".to_owned(), written)]);
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), Value::Object(both));
        schema.insert("required".to_owned(), json!(["key", "value"]));
        schema.insert("additionalProperties".to_owned(), false.into());
        Ok(Some(Entries { schema: Value::Object(schema), codec: value.codec }))
    }

    /// The schema of an entry's key.
    fn key(&mut self, others: &Others<'r>, spot: &Spot<'r>) -> Result<Map<String, Value>> {
        match self.flatten(&others.names, spot) {
            Ok(mut flat) => {
                flat.kinds &= STRING;
                let Some(made) = self.flat_node(flat, spot)? else { return Ok(None) };
                if made.codec.is_same() {
                    return Ok(Some(made.schema));
                }
            }
            // Keys that are told by the schema around them: any key will do.
            Err(Stop::Circle(_)) => {}
            Err(error) => return Err(error),
        }
        let mut schema = Map::from_iter([("type".to_owned(), "string".into())]);
        for sub in &others.names {
            self.note(&parent(&sub.pointer), "propertyNames", Effect::Wider, MOVED);
            self.lose(sub, "inside a rule that stands in the description");
            let told = self.notation(&[("propertyNames", sub.schema)]);
            add_text(&mut schema, &told);
        }
        Ok(Some(schema))
    }

    /// A whole object as a list of entries.
    pub(super) fn all_entries(&mut self, flat: &Flat<'r>, entries: Entries) -> Made {
        let codec = Codec::Entries(Box::new(entries.codec));
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "array".into());
        let mut counts = Map::new();
        let mut notes =
            self.limits_but(&mut Map::new(), flat, super::flat::OBJECT, &["minProperties", "maxProperties"]);
        for (keyword, count) in [("minProperties", "minItems"), ("maxProperties", "maxItems")] {
            let Some(value) = self.tightest(flat, keyword) else { continue };
            let small = count == "maxItems" || self.rules.min_items.is_none_or(|most| value <= most);
            if self.has(count) && small {
                counts.insert(count.to_owned(), value.into());
                continue;
            }
            for sub in &flat.subs {
                if let Some(value) = sub.get(keyword) {
                    notes.push((keyword, value));
                    self.note(&sub.pointer, keyword, Effect::Wider, MOVED);
                }
            }
        }
        self.tell(&mut schema, flat, &codec, notes);
        schema.insert("items".to_owned(), entries.schema);
        schema.extend(counts);
        Made { schema, codec }
    }

    /// What `additionalProperties` says in a dialect with open objects; `None` for `false`.
    pub(super) fn open_rest(&mut self, others: &Others<'r>, spot: &Spot<'r>) -> Result<Made> {
        for sub in &others.names {
            self.note(&parent(&sub.pointer), "propertyNames", Effect::Wider, MOVED);
            self.lose(sub, "inside a rule that stands in the description");
        }
        let mut branches: Vec<Vec<Sub<'r>>> = Vec::new();
        for (_, sub) in &others.patterns {
            let holder =
                sub.pointer.rsplit_once("/patternProperties").map_or("", |(holder, _)| holder).to_owned();
            self.note(&holder, "patternProperties", Effect::Wider, MOVED);
            self.note(&holder, "additionalProperties", Effect::Wider, MOVED);
            self.lose(sub, "no longer tied to the pattern of the key");
            branches.push(vec![sub.clone()]);
        }
        if others.closing.is_empty() {
            if others.subs.is_empty() {
                return Ok(Some(Made { schema: Map::new(), codec: Codec::Same }));
            }
            branches.push(others.subs.clone());
        }
        self.one_of(branches, others, spot)
    }

    /// Any of the branches.
    fn one_of(
        &mut self,
        mut branches: Vec<Vec<Sub<'r>>>,
        others: &Others<'r>,
        spot: &Spot<'r>,
    ) -> Result<Made> {
        match branches.len() {
            0 => Ok(None),
            1 => self.node(&branches.pop().unwrap_or_default(), spot),
            _ => {
                let union = Union { keyword: "anyOf", pointer: Rc::clone(&others.pointer), branches };
                let flat = Flat { unions: vec![union], ..Flat::of(Vec::new()) };
                self.deeper(|making| making.flat_node(flat, spot))
            }
        }
    }
}

fn parent(pointer: &str) -> String {
    pointer.rsplit_once('/').map(|(parent, _)| parent.to_owned()).unwrap_or_default()
}
