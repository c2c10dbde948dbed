//! Names of properties that a dialect does not take, in a schema that is otherwise kept.
//!
//! One name stands for one other name in the whole schema, so that schemas that speak about the same object agree.
//! `patternProperties` and `propertyNames` see the new names; that they may miss a property is listed.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value};

use super::survey::{Holds, holds};
use super::{Effect, Rewrites, escaped, fitting, pointed};
use crate::dialect::codec::{Absent, Codec, MemberCodec, ObjectCodec, Rest};
use crate::dialect::rules::NameRule;

/// Renames in place, and makes the codec of the root and those of what references lead to.
pub(super) fn rename(schema: &mut Value, rule: &NameRule, rewrites: &mut Rewrites) -> (Codec, Vec<Codec>) {
    let mut all = BTreeSet::new();
    names(schema, &mut all);
    let mut taken: BTreeSet<String> = all.iter().filter(|name| rule.fits(name)).cloned().collect();
    let mut table = HashMap::new();
    for name in all.iter().filter(|name| !rule.fits(name)) {
        let new = fitting(name, rule, |name| taken.contains(name));
        taken.insert(new.clone());
        table.insert(name.clone(), new);
    }
    let (numbers, done, open) = (HashMap::new(), Vec::new(), Vec::new());
    let mut codecs = Codecs { root: schema, table: &table, numbers, done, open };
    let codec = codecs.of(schema);
    let definitions = codecs.finish();
    apply(schema, &table, &mut String::new(), rewrites);
    (codec, definitions)
}

/// Runs for each schema directly inside, with the segments of its pointer.
fn inside<'s>(members: &'s Map<String, Value>, mut run: impl FnMut(&'s str, Option<String>, &'s Value)) {
    for (keyword, member) in members {
        match (holds(keyword), member) {
            (Some(Holds::Map | Holds::MapOrNames), Value::Object(map)) => {
                map.iter().for_each(|(key, inner)| run(keyword, Some(key.clone()), inner));
            }
            (Some(_), Value::Array(list)) => {
                list.iter().enumerate().for_each(|(i, inner)| run(keyword, Some(i.to_string()), inner));
            }
            (Some(_), inner) => run(keyword, None, inner),
            (None, _) => {}
        }
    }
}

fn names(schema: &Value, all: &mut BTreeSet<String>) {
    let Value::Object(members) = schema else { return };
    inside(members, |keyword, key, inner| {
        if keyword == "properties" {
            all.extend(key);
        }
        names(inner, all);
    });
}

/// The codecs of schemas, and those of the targets of references by number.
struct Codecs<'s> {
    root: &'s Value,
    table: &'s HashMap<String, String>,
    numbers: HashMap<String, usize>,
    done: Vec<Codec>,
    /// Those that are not made yet, with their targets.
    open: Vec<(usize, &'s Value)>,
}

impl<'s> Codecs<'s> {
    fn of(&mut self, schema: &'s Value) -> Codec {
        let Value::Object(members) = schema else { return Codec::Same };
        let mut all = Vec::new();
        let mut object = ObjectCodec::new(Vec::new(), Rest::Kept(Codec::Same));
        let (mut places, mut rest) = (Vec::new(), Codec::Same);
        inside(members, |keyword, key, inner| match (keyword, key) {
            ("properties", Some(name)) => {
                let codec = self.of(inner);
                let new = self.table.get(&name);
                if new.is_some() || !codec.is_same() {
                    let lowered = new.unwrap_or(&name).clone();
                    object.members.push(MemberCodec { name, lowered, codec, absent: Absent::AsAbsent });
                }
            }
            ("additionalProperties" | "unevaluatedProperties", _) => {
                let codec = self.of(inner);
                if !codec.is_same() {
                    object.rest = Rest::Kept(codec);
                }
            }
            ("prefixItems", _) => places.push(self.of(inner)),
            ("items" | "unevaluatedItems", None) => rest = self.of(inner),
            ("allOf" | "anyOf" | "oneOf" | "then" | "else" | "dependentSchemas", _) => {
                let codec = self.of(inner);
                if !codec.is_same() && !all.contains(&codec) {
                    all.push(codec);
                }
            }
            _ => {}
        });
        if let Some(target) = members.get("$ref").and_then(Value::as_str).and_then(pointed) {
            all.push(self.definition(target));
        }
        // The known properties have codecs of their own; the rest needs to know that they are no others.
        if let Rest::Kept(codec) = &object.rest
            && !codec.is_same()
        {
            let known: Vec<String> = members
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone())
                .filter(|name| !object.members.iter().any(|member| member.name == *name))
                .collect();
            object.members.extend(known.into_iter().map(|name| MemberCodec {
                lowered: name.clone(),
                name,
                codec: Codec::Same,
                absent: Absent::AsAbsent,
            }));
        }
        if !object.members.is_empty() || object.rest != Rest::Kept(Codec::Same) {
            all.push(Codec::Object(Box::new(object)));
        }
        if !rest.is_same() || places.iter().any(|codec| !codec.is_same()) {
            all.push(Codec::Places(places, Box::new(rest)));
        }
        match (all.pop(), all.is_empty()) {
            (None, _) => Codec::Same,
            (Some(one), true) => one,
            (Some(last), false) => {
                all.push(last);
                Codec::All(all)
            }
        }
    }

    fn definition(&mut self, pointer: String) -> Codec {
        if let Some(number) = self.numbers.get(&pointer) {
            return Codec::Definition(*number);
        }
        let number = self.done.len();
        self.open.extend(self.root.pointer(&pointer).map(|target| (number, target)));
        self.numbers.insert(pointer, number);
        self.done.push(Codec::Same);
        Codec::Definition(number)
    }

    /// Makes the codecs of what references lead to. Not where they are met: definitions refer to each other in rows
    /// that no stack would hold.
    fn finish(mut self) -> Vec<Codec> {
        while let Some((number, target)) = self.open.pop() {
            let codec = self.of(target);
            if let Some(place) = self.done.get_mut(number) {
                *place = codec;
            }
        }
        self.done
    }
}

fn apply(schema: &mut Value, table: &HashMap<String, String>, path: &mut String, rewrites: &mut Rewrites) {
    let Value::Object(members) = schema else { return };
    let new = |name: &str| table.get(name).map_or(name, String::as_str).to_owned();
    if let Some(properties) = members.get("properties").and_then(Value::as_object) {
        for name in properties.keys().filter(|name| table.contains_key(*name)) {
            let place = format!("{path}/properties/{}", escaped(name));
            rewrites.push(
                &place,
                "properties",
                Effect::Exact,
                format!("is `{}` for the provider", new(name)),
            );
            for keyword in ["patternProperties", "propertyNames"] {
                if members.contains_key(keyword) {
                    rewrites.push(path, keyword, Effect::Wider, "sees the name that the provider is told");
                }
            }
            if rewrites.is_full() {
                break;
            }
        }
    }
    for (keyword, member) in members.iter_mut() {
        let length = path.len();
        path.push('/');
        path.push_str(keyword);
        match (keyword.as_str(), member) {
            ("required", Value::Array(list)) => list.iter_mut().for_each(|name| rename_text(name, table)),
            ("dependentRequired", Value::Object(map)) => {
                *map = std::mem::take(map).into_iter().map(|(key, list)| (new(&key), list)).collect();
                for list in map.values_mut().filter_map(Value::as_array_mut) {
                    list.iter_mut().for_each(|name| rename_text(name, table));
                }
            }
            ("$ref", Value::String(reference)) => *reference = redirected(reference, table),
            (keyword, member) => match (holds(keyword), member) {
                (Some(Holds::Map | Holds::MapOrNames), Value::Object(map)) => {
                    for (key, inner) in map.iter_mut() {
                        let length = path.len();
                        path.push('/');
                        path.push_str(&escaped(key));
                        apply(inner, table, path, rewrites);
                        path.truncate(length);
                    }
                    if matches!(keyword, "properties" | "dependentSchemas") {
                        *map =
                            std::mem::take(map).into_iter().map(|(key, inner)| (new(&key), inner)).collect();
                    }
                }
                (Some(_), Value::Array(list)) => {
                    for (i, inner) in list.iter_mut().enumerate() {
                        let length = path.len();
                        path.push_str(&format!("/{i}"));
                        apply(inner, table, path, rewrites);
                        path.truncate(length);
                    }
                }
                (Some(_), inner) => apply(inner, table, path, rewrites),
                (None, _) => {}
            },
        }
        path.truncate(length);
    }
}

fn rename_text(name: &mut Value, table: &HashMap<String, String>) {
    if let Value::String(text) = name
        && let Some(new) = table.get(text)
    {
        text.clone_from(new);
    }
}

/// A reference that leads through a property that has another name now.
fn redirected(reference: &str, table: &HashMap<String, String>) -> String {
    let Some(pointer) = pointed(reference) else { return reference.to_owned() };
    let (mut through, mut moved) = (false, false);
    let segments: Vec<String> = pointer
        .split('/')
        .map(|segment| {
            let name = segment.replace("~1", "/").replace("~0", "~");
            let renamed = if through { table.get(&name) } else { None };
            through = segment == "properties" && !through;
            moved |= renamed.is_some();
            renamed.map_or_else(|| segment.to_owned(), |new| escaped(new).into_owned())
        })
        .collect();
    if moved {
        format!("#{}", super::direct::percent_encoded(&segments.join("/")))
    } else {
        reference.to_owned()
    }
}
