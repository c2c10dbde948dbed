//! Objects: the properties of all schemas that apply, and what becomes of other keys.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::describe::add_text;
use super::flat::{ANY, Flat, OBJECT, list};
use super::rest::{Entries, Others};
use super::{IMPLIED, Made, Rebuild, Result, Spot, Stop, Sub, Where, bytes};
use crate::dialect::codec::{Absent, Codec, MemberCodec, ObjectCodec, Rest};
use crate::dialect::lower::{Effect, escaped, fitting};

/// What it costs to compile a schema of names.
const COMPILED: usize = 1_000;
/// What holds the properties that have no place of their own.
const OTHERS: &str = "other_properties";

impl<'r> Rebuild<'r, '_> {
    // In pieces, because it is called by itself for objects in objects, and each of its frames stands on the stack.
    pub(super) fn object(&mut self, flat: &Flat<'r>, spot: &Spot<'r>) -> Result<Made> {
        let depth = self.rules.sizes.depth;
        if spot.level >= depth {
            return Ok(Some(self.as_text(&flat.subs, "it nests deeper than the provider takes")));
        }
        let (names, required) = properties(flat);
        self.spend(flat.subs.len().saturating_add(names.len()), "")?;
        let others = self.others(flat);
        let mut entries = None;
        if self.rules.objects.closed && others.need_entries(&names, spot) {
            // The list and its entries are levels of their own.
            if spot.level.saturating_add(3) > depth {
                return Ok(Some(self.as_text(&flat.subs, "it nests deeper than the provider takes")));
            }
            let levels = if names.is_empty() && spot.place != Where::Root { 2 } else { 3 };
            entries = self.entries(&others, &spot.inner(levels))?;
        }
        if names.is_empty()
            && spot.place != Where::Root
            && let Some(entries) = entries
        {
            return Ok(Some(self.all_entries(flat, entries)));
        }
        let mut writing = Writing { names: names.iter().copied().collect(), ..Writing::default() };
        let speaking = Speaking::of(flat);
        for name in names {
            let all = self.of_property(flat, &speaking, name)?;
            let is_required = required.contains(name);
            match self.node(&all, &spot.inner(1))? {
                Some(made) => self.property(&mut writing, name, made, &all, is_required, spot)?,
                None if is_required => return Ok(None),
                None => {}
            }
        }
        if entries.is_none() && self.is_impossible(&writing, spot) {
            return Ok(Some(self.only_empty(flat)));
        }
        let rest = self.write_rest(&mut writing, flat, &others, entries, spot)?;
        Ok(Some(self.written(writing, flat, rest)))
    }

    /// The object of which all parts are written.
    fn written(&mut self, writing: Writing<'r>, flat: &Flat<'r>, rest: Rest) -> Made {
        let is_same = writing.codecs.iter().all(|member| {
            member.codec.is_same() && member.name == member.lowered && member.absent == Absent::AsAbsent
        }) && matches!(rest, Rest::Refused | Rest::Kept(Codec::Same));
        let counted = matches!(rest, Rest::Entries(..));
        let names: Vec<String> = writing.codecs.iter().map(|member| member.name.clone()).collect();
        let renamed: Vec<(String, Value)> = writing
            .codecs
            .iter()
            .filter(|member| member.name != member.lowered)
            .map(|member| (member.name.clone(), member.lowered.as_str().into()))
            .collect();
        let codec = if is_same {
            Codec::Same
        } else {
            Codec::Object(Box::new(ObjectCodec::new(writing.codecs, rest)))
        };
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        let mut limits = Map::new();
        let but: &[&str] = if counted { &["minProperties", "maxProperties"] } else { &[] };
        let mut notes = self.limits_but(&mut limits, flat, OBJECT, but);
        for sub in &flat.subs {
            for keyword in but {
                if let Some(value) = sub.get(keyword) {
                    notes.push((keyword, value));
                    self.note(&sub.pointer, keyword, Effect::Wider, super::describe::MOVED);
                }
            }
        }
        if self.rules.objects.closed {
            // The properties are all the keys that there are, if that is said; the other schemas speak of them as well.
            let said = self.rules.objects.says_closed;
            for sub in &flat.subs {
                let names_of = sub.get("propertyNames");
                if let Some(value) = names_of.filter(|value| !said || !all_are_accepted(value, &names)) {
                    notes.push(("propertyNames", value));
                    self.work.owe(COMPILED);
                    self.note(&sub.pointer, "propertyNames", Effect::Wider, super::describe::MOVED);
                }
            }
        } else {
            // Nothing else in the schema speaks of the form of other keys.
            for sub in &flat.subs {
                for keyword in ["patternProperties", "propertyNames"] {
                    notes.extend(sub.get(keyword).map(|value| (keyword, value)));
                }
            }
        }
        self.tell(&mut schema, flat, &codec, notes);
        self.tell_names(&mut schema, renamed);
        schema.extend(limits);
        schema.insert("properties".to_owned(), Value::Object(writing.properties));
        if !writing.required.is_empty() {
            schema.insert("required".to_owned(), writing.required.into());
        }
        schema.extend(writing.others.map(|others| ("additionalProperties".to_owned(), others)));
        Made { schema, codec }
    }

    /// Tells how the properties are named now that the description speaks of.
    fn tell_names(&mut self, schema: &mut Map<String, Value>, mut renamed: Vec<(String, Value)>) {
        let Some(text) = schema.get("description").and_then(Value::as_str) else { return };
        self.work.owe(renamed.len().saturating_mul(bytes(text).saturating_add(1)));
        renamed.retain(|(name, _)| text.contains(&Value::from(name.as_str()).to_string()));
        if !renamed.is_empty() {
            let renamed = Value::Object(renamed.into_iter().collect());
            let told = self.notation(&[("renamed", &renamed)]);
            add_text(schema, &told);
        }
    }

    /// All that applies to a property, in the order of the schemas.
    fn of_property(
        &mut self,
        flat: &Flat<'r>,
        speaking: &Speaking<'r>,
        name: &str,
    ) -> std::result::Result<Vec<Sub<'r>>, Stop> {
        let mut all = Vec::new();
        let named = speaking.by_name.get(name).map_or(&[][..], Vec::as_slice);
        // Both are in order; each schema once.
        let mut each: Vec<usize> = named.iter().chain(&speaking.of_others).copied().collect();
        each.sort_unstable();
        each.dedup();
        self.spend(each.len().saturating_mul(2), "")?;
        for sub in each.into_iter().filter_map(|i| flat.subs.get(i)) {
            let mut known = false;
            self.work.owe(bytes(&sub.pointer));
            if let Some(schema) = sub.get("properties").and_then(|properties| properties.get(name)) {
                all.push(sub.entry("properties", name, schema));
                known = true;
            }
            for (pattern, schema) in
                sub.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
            {
                if self.matches(pattern, name, sub)? {
                    all.push(sub.entry("patternProperties", pattern, schema));
                    known = true;
                }
            }
            if let Some(schema) = sub.get("additionalProperties").filter(|_| !known) {
                all.push(sub.below("additionalProperties", schema));
            }
        }
        if all.is_empty() {
            all.push(Sub { schema: &ANY, pointer: flat.pointer().into() });
        }
        Ok(all)
    }

    fn property(
        &mut self,
        writing: &mut Writing<'r>,
        name: &str,
        made: Made,
        all: &[Sub<'r>],
        is_required: bool,
        spot: &Spot<'r>,
    ) -> std::result::Result<(), Stop> {
        let mut lowered = name.to_owned();
        if let Some(rule) = self.rules.properties.as_ref().filter(|rule| !rule.fits(name)) {
            lowered = fitting(name, rule, |name| {
                writing.properties.contains_key(name) || writing.names.contains(name)
            });
            let pointer = all.first().map(|sub| sub.pointer.to_string()).unwrap_or_default();
            self.note(&pointer, "properties", Effect::Exact, format!("is `{lowered}` for the provider"));
        }
        let as_null = self.rules.objects.all_required && !is_required;
        let made = if as_null { self.optional(made, all, spot)? } else { made };
        if is_required || as_null {
            writing.required.push(lowered.clone());
        }
        let absent = if as_null { Absent::AsNull } else { Absent::AsAbsent };
        if as_null {
            let pointer = all.first().map(|sub| parent(&sub.pointer)).unwrap_or_default();
            let done = format!("`{}` is required now; `null` stands for absent", escaped(name));
            self.note(&format!("{pointer}/{}", escaped(name)), "required", Effect::Exact, done);
        }
        writing.properties.insert(lowered.clone(), Value::Object(made.schema));
        writing.codecs.push(MemberCodec { name: name.to_owned(), lowered, codec: made.codec, absent });
        Ok(())
    }

    /// Writes what becomes of other keys.
    fn write_rest(
        &mut self,
        writing: &mut Writing<'r>,
        flat: &Flat<'r>,
        others: &Others<'r>,
        entries: Option<Entries>,
        spot: &Spot<'r>,
    ) -> std::result::Result<Rest, Stop> {
        if !self.rules.objects.closed {
            if others.implied && spot.place == Where::Root && writing.properties.is_empty() {
                // A tool of which no argument is known is written as one without arguments.
                self.note(&flat.pointer(), "additionalProperties", Effect::Narrower, IMPLIED);
                writing.others = Some(false.into());
                return Ok(Rest::Refused);
            }
            let Some(rest) = self.open_rest(others, &spot.inner(1))? else {
                writing.others = Some(false.into());
                return Ok(Rest::Refused);
            };
            let has_rule = !rest.schema.is_empty();
            writing.others = has_rule.then_some(Value::Object(rest.schema));
            return Ok(Rest::Kept(rest.codec));
        }
        writing.others = Some(false.into());
        if others.implied {
            self.note(&flat.pointer(), "additionalProperties", Effect::Narrower, IMPLIED);
        }
        if !self.rules.objects.says_closed {
            for (sub, keyword) in &others.closing {
                self.note(&sub.pointer, keyword, Effect::Wider, "the provider has no word for it");
            }
        }
        let Some(entries) = entries else { return Ok(Rest::Refused) };
        let mut name = OTHERS.to_owned();
        while writing.properties.contains_key(&name) || writing.names.contains(name.as_str()) {
            name.push('_');
        }
        let mut list = Map::new();
        list.insert("type".to_owned(), "array".into());
        list.insert("description".to_owned(), "Further properties, each with its name as `key`.".into());
        list.insert("items".to_owned(), entries.schema);
        writing.properties.insert(name.clone(), Value::Object(list));
        writing.required.push(name.clone());
        Ok(Rest::Entries(name, entries.codec))
    }

    /// Whether the object can only be empty, and the dialect has no word for that.
    fn is_impossible(&self, writing: &Writing<'r>, spot: &Spot<'r>) -> bool {
        let closed = self.rules.objects.closed && !self.rules.objects.empty;
        closed && writing.properties.is_empty() && spot.place != Where::Root
    }

    /// The empty object, as a word.
    fn only_empty(&mut self, flat: &Flat<'r>) -> Made {
        let codec = Codec::Values(vec![(json!("{}"), json!({}))]);
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "string".into());
        self.tell(&mut schema, flat, &codec, Vec::new());
        schema.insert("enum".to_owned(), json!(["{}"]));
        self.note(&flat.pointer(), "properties", Effect::Exact, "the empty object is written as a string");
        Made { schema, codec }
    }
}

/// Which schemas of a conjunction speak of which properties, by number.
struct Speaking<'r> {
    by_name: HashMap<&'r str, Vec<usize>>,
    /// Those that speak of properties which they do not name.
    of_others: Vec<usize>,
}

impl<'r> Speaking<'r> {
    fn of(flat: &Flat<'r>) -> Self {
        let mut speaking = Self { by_name: HashMap::new(), of_others: Vec::new() };
        for (i, sub) in flat.subs.iter().enumerate() {
            for (name, _) in sub.get("properties").and_then(Value::as_object).into_iter().flatten() {
                speaking.by_name.entry(name).or_default().push(i);
            }
            if sub.get("patternProperties").or(sub.get("additionalProperties")).is_some() {
                speaking.of_others.push(i);
            }
        }
        speaking
    }
}

/// What has been written of an object.
#[derive(Default)]
struct Writing<'r> {
    /// The names of all properties as they came.
    names: HashSet<&'r str>,
    properties: Map<String, Value>,
    required: Vec<String>,
    codecs: Vec<MemberCodec>,
    others: Option<Value>,
}

/// The names of all properties in order, and those that are required.
fn properties<'r>(flat: &Flat<'r>) -> (Vec<&'r str>, HashSet<&'r str>) {
    let mut names = Vec::new();
    let mut seen = HashSet::new();
    let mut required = HashSet::new();
    for sub in &flat.subs {
        let keys = sub.get("properties").and_then(Value::as_object).into_iter().flatten();
        names.extend(keys.map(|(key, _)| key.as_str()).filter(|key| seen.insert(*key)));
    }
    for sub in &flat.subs {
        let keys = list(sub.get("required")).iter().filter_map(Value::as_str);
        for key in keys {
            required.insert(key);
            if seen.insert(key) {
                names.push(key);
            }
        }
    }
    (names, required)
}

/// Whether a schema accepts all these names; not where it cannot be judged alone.
fn all_are_accepted(schema: &Value, names: &[String]) -> bool {
    crate::validator::build(schema, jsonschema::Draft::Draft202012)
        .is_ok_and(|judge| names.iter().all(|name| judge.is_valid(&Value::from(name.as_str()))))
}

fn parent(pointer: &str) -> String {
    pointer.rsplit_once('/').map(|(parent, _)| parent.to_owned()).unwrap_or_default()
}
