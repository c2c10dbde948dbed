//! What a discriminator says about its branches: which values of its property belong to which of them. JSON Schema says
//! it by a `const` in the branch.
//!
//! A value is the name of a branch's schema, unless the `mapping` names another. What the branch itself says about the
//! property goes before that: a value that it does not allow would make it impossible, and then nothing is said. Many
//! documents leave the `mapping` out and mean other values than the names. Some have it in the schema that the branches
//! build on, or an `x-ms-discriminator-value` in each of them: that is read. Where an example, or what one branch allows,
//! shows other values, the names say nothing of any branch. Examples of other places that mean the same schema are not
//! looked for.

use std::collections::{HashMap, HashSet};

use opentool_core::Schema;
use opentool_text::pointer;
use serde_json::{Map, Value, json};

use super::convert::{Converter, Direction};
use crate::document::{Document, split};
use crate::reference::Found;

/// How many schemas of one branch are looked through.
const MAX_PARTS: usize = 32;

/// How many values are read in the mappings of the schemas that the branches of one list build on.
const MAX_INHERITED: usize = 512;

/// What mappings say.
#[derive(Default)]
struct Mapping<'s> {
    /// The values of each schema, by its place.
    values: HashMap<String, Vec<&'s str>>,
    /// Something in it leads nowhere, so the schema of a branch without a value may have one.
    is_stale: bool,
}

impl Mapping<'_> {
    fn all(&self) -> impl Iterator<Item = &str> {
        self.values.values().flatten().copied()
    }
}

/// What a branch says about the property itself.
#[derive(Default)]
struct Branch<'d> {
    /// The schemas of the property, without references.
    own: Vec<&'d Map<String, Value>>,
    /// Whole values that are shown of it.
    examples: Vec<&'d Value>,
    /// The discriminators of what it builds on, with the places of their schemas.
    inherited: Vec<(String, &'d Value)>,
    /// Its value of the property, by the extension for it.
    told: Option<&'d str>,
    /// It has branches that are told apart by the property, too, or others build on it.
    is_divided: bool,
}

impl Converter<'_, '_> {
    /// Says in each branch which values of the property of the discriminator belong to it. Only for inputs: servers do
    /// not always keep to it.
    pub(super) fn constrain_by_discriminator(
        &self,
        schema: &Map<String, Value>,
        out: &mut Map<String, Value>,
    ) {
        if self.direction == Direction::Output {
            return;
        }
        let Some(discriminator) = schema.get("discriminator") else { return };
        let Some(property) = discriminator.get("propertyName").and_then(Value::as_str) else { return };
        let mut mapping = Mapping::default();
        self.map(discriminator, self.at.as_str(), usize::MAX, &mut mapping);
        let default = discriminator.get("defaultMapping").and_then(Value::as_str);
        let default = default.and_then(|target| self.target(target, self.at.as_str()));
        for keyword in ["oneOf", "anyOf"] {
            let Some(originals) = schema.get(keyword).and_then(Value::as_array) else { continue };
            let Some(Value::Array(branches)) = out.get_mut(keyword) else { continue };
            let places: Vec<Option<Found<'_>>> =
                originals.iter().map(|original| self.referenced_by(original)).collect();
            let values = self.values(schema, &places, property, &mapping);
            for ((place, branch), own) in places.iter().zip(branches).zip(&values) {
                let is_default =
                    default.is_some() && place.as_ref().map(|at| at.pointer.as_ref()) == default.as_deref();
                let Value::Object(branch) = branch else { continue };
                let rule = match own.as_slice() {
                    // It takes all that belongs to none of the others.
                    own if is_default => {
                        let others = values.iter().flatten().filter(|value| !own.contains(value));
                        json!({"not": {"enum": others.collect::<Vec<_>>()}})
                    }
                    [] => continue,
                    [one] => json!({"const": one}),
                    several => json!({"enum": several}),
                };
                if let Value::Object(properties) = branch.entry("properties").or_insert_with(|| json!({})) {
                    properties.entry(property).or_insert(rule);
                }
                if default.is_some() && !is_default {
                    branch.entry("required").or_insert_with(|| json!([property]));
                }
            }
        }
    }

    /// The values of the property that belong to each of the branches; none where the document does not say it.
    fn values(
        &self,
        schema: &Map<String, Value>,
        places: &[Option<Found<'_>>],
        property: &str,
        mapping: &Mapping<'_>,
    ) -> Vec<Vec<Value>> {
        // By the specification what is written in place has no value.
        let branches: Vec<Option<Branch<'_>>> =
            places.iter().map(|place| Some(look_through(self.document, place.as_ref()?, property))).collect();
        let mut inherited = Mapping::default();
        let mut seen = HashSet::new();
        let mut most = MAX_INHERITED;
        for (place, discriminator) in branches.iter().flatten().flat_map(|branch| &branch.inherited) {
            let is_same = discriminator.get("propertyName").and_then(Value::as_str) == Some(property);
            if is_same && seen.insert(place) {
                most = most.saturating_sub(self.map(discriminator, place, most, &mut inherited));
            }
        }
        let branches: Vec<_> = places
            .iter()
            .zip(&branches)
            .map(|(place, branch)| {
                let (place, branch) = (place.as_ref()?, branch.as_ref()?);
                let place = place.pointer.as_ref();
                let own = mapping.values.get(place).cloned();
                let other = || inherited.values.get(place).cloned().or_else(|| Some(vec![branch.told?]));
                let texts = own.or_else(|| other().filter(|_| !branch.is_divided));
                Some((branch, name(place), texts))
            })
            .collect();
        let all = || branches.iter().flatten();
        let names: HashSet<&str> = all().filter_map(|(_, name, _)| name.as_deref()).collect();
        let taken: HashSet<&str> = mapping.all().chain(inherited.all()).collect();
        let is_other = |value: &str| !names.contains(value) && !taken.contains(value);
        let means_names = !mapping.is_stale
            && !inherited.is_stale
            && !self.examples(schema).into_iter().any(|example| shows(example, property, &is_other))
            && !all().any(|(branch, name, texts)| {
                let is_impossible = || name.as_ref().is_some_and(|name| branch.value(name).is_none());
                branch.told.is_some()
                    || branch.shows(property, &is_other)
                    || (texts.is_none() && !branch.is_divided && is_impossible())
            });
        branches
            .iter()
            .map(|branch| match branch {
                Some((branch, _, Some(texts))) => {
                    texts.iter().filter_map(|text| branch.value(text)).collect()
                }
                Some((branch, Some(name), None))
                    if means_names && !branch.is_divided && !taken.contains(name.as_str()) =>
                {
                    branch.value(name).into_iter().collect()
                }
                _ => Vec::new(),
            })
            .collect()
    }

    /// Whole values that are shown of a schema: by itself, and by the media type that it is the schema of.
    fn examples<'s>(&'s self, schema: &'s Map<String, Value>) -> Vec<&'s Value> {
        let mut examples: Vec<&Value> = examples(schema).collect();
        let around = self.at.as_str().strip_suffix("/schema");
        let around = around.and_then(|around| Some((around, self.document.at(around)?.as_object()?)));
        if let Some((place, media)) = around {
            examples.extend(media.get("example"));
            let listed = media.get("examples").and_then(Value::as_object).into_iter().flatten();
            let found = listed.filter_map(|(_, listed)| self.document.follow(listed, place).ok());
            examples.extend(found.filter_map(|found| found.value.get("value")));
        }
        examples
    }

    /// Adds what a discriminator at a place says, up to so many values; how many it has.
    fn map<'s>(&self, discriminator: &'s Value, at: &str, most: usize, mapping: &mut Mapping<'s>) -> usize {
        let Some(values) = discriminator.get("mapping").and_then(Value::as_object) else { return 0 };
        for (value, target) in values.iter().take(most) {
            match target.as_str().and_then(|target| self.target(target, at)) {
                Some(place) => mapping.values.entry(place).or_default().push(value),
                None => mapping.is_stale = true,
            }
        }
        mapping.is_stale |= values.len() > most;
        values.len()
    }

    /// The place of the schema that a mapping at a place means: a reference or a name.
    fn target(&self, target: &str, at: &str) -> Option<String> {
        let by_name = || self.document.resolve(&format!("#/components/schemas/{target}"), at);
        let found = self.document.resolve(target, at).or_else(|_| by_name()).ok()?;
        Some(found.pointer.into_owned())
    }

    fn referenced_by(&self, branch: &Value) -> Option<Found<'_>> {
        self.document.resolve(branch.get("$ref")?.as_str()?, self.at.as_str()).ok()
    }
}

/// The name of the schema at a place among others of its kind.
fn name(place: &str) -> Option<String> {
    let mut members: Vec<String> = pointer::members(split(place).1).collect();
    let name = members.pop()?;
    let is_named = members.last().is_none_or(|parent| matches!(parent.as_str(), "schemas" | "definitions"));
    is_named.then_some(name)
}

fn look_through<'d>(document: &'d Document, place: &Found<'d>, property: &str) -> Branch<'d> {
    let mut branch = Branch::default();
    let root = place.pointer.as_ref();
    let mut seen: HashSet<String> = HashSet::new();
    // Of each whether it is the branch itself, and not a part of it.
    let mut waiting = vec![(place.clone(), true)];
    while let Some((found, is_self)) = waiting.pop() {
        let place = found.pointer.as_ref();
        let Some(members) = found.value.as_object() else { continue };
        if seen.len() >= MAX_PARTS || !seen.insert(place.to_owned()) {
            continue;
        }
        if let Some(discriminator) = members.get("discriminator") {
            branch.is_divided |= is_self;
            if !is_self {
                branch.inherited.push((place.to_owned(), discriminator));
            }
        }
        branch.examples.extend(examples(members));
        // What is written in place is the branch's own.
        if is_self || place.strip_prefix(root).is_some_and(|rest| rest.starts_with('/')) {
            branch.told = branch.told.or(members.get("x-ms-discriminator-value").and_then(Value::as_str));
        }
        if let Some(own) = members.get("properties").and_then(|properties| properties.get(property)) {
            leaves(document, own, place, &mut branch.own);
        }
        for keyword in ["oneOf", "anyOf"] {
            let inner = members.get(keyword).and_then(Value::as_array).into_iter().flatten();
            // A schema that lists those that build on it lists this branch, too.
            let places: Vec<_> =
                inner.filter_map(|inner| Some((inner, document.follow(inner, place).ok()?))).collect();
            let is_above = places
                .iter()
                .any(|(inner, found)| inner.get("$ref").is_some() && seen.contains(found.pointer.as_ref()));
            let tells = |(_, inner): &(&Value, Found<'_>)| {
                let has = |keyword: &str| inner.value.get(keyword).is_some();
                has("allOf") || inner.value.get("properties").is_some_and(|all| all.get(property).is_some())
            };
            branch.is_divided |= !is_above && places.iter().any(tells);
        }
        let parts = members.get("allOf").and_then(Value::as_array).into_iter().flatten();
        for (index, part) in parts.enumerate() {
            let place = format!("{place}/allOf/{index}");
            waiting.extend(document.follow(part, &place).ok().map(|part| (part, false)));
        }
        if members.contains_key("$ref") {
            waiting.extend(document.follow(found.value, place).ok().map(|next| (next, is_self)));
        }
    }
    branch
}

/// The schemas that a property has to fit, without references.
fn leaves<'d>(document: &'d Document, schema: &'d Value, at: &str, out: &mut Vec<&'d Map<String, Value>>) {
    let Ok(found) = document.follow(schema, at) else { return };
    let Some(members) = found.value.as_object() else { return };
    out.push(members);
    for part in members.get("allOf").and_then(Value::as_array).into_iter().flatten().take(MAX_PARTS) {
        if let Ok(part) = document.follow(part, &found.pointer) {
            out.extend(part.value.as_object());
        }
    }
}

impl Branch<'_> {
    /// The value that a text of the document means, if the branch allows it.
    fn value(&self, text: &str) -> Option<Value> {
        let scalar =
            serde_json::from_str(text).ok().filter(|value: &Value| value.is_number() || value.is_boolean());
        let candidates = [Some(Value::String(text.to_owned())), scalar];
        candidates.into_iter().flatten().find(|value| self.own.iter().all(|own| allows(own, value)))
    }

    /// Whether it shows a value of the property for which this holds.
    fn shows(&self, property: &str, is_other: &impl Fn(&str) -> bool) -> bool {
        self.examples.iter().any(|example| shows(example, property, is_other))
            || self.own.iter().any(|own| {
                examples(own).filter_map(Value::as_str).any(is_other)
                    // What is said in such a way is not looked through.
                    || ["oneOf", "anyOf", "not", "if"].iter().any(|keyword| own.contains_key(*keyword))
            })
    }
}

/// The values that a schema shows.
fn examples(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let listed = schema.get("examples").and_then(Value::as_array).into_iter().flatten();
    ["example", "default"].into_iter().filter_map(|keyword| schema.get(keyword)).chain(listed)
}

/// Whether this holds for the value of the property in an example.
fn shows(example: &Value, property: &str, is_other: &impl Fn(&str) -> bool) -> bool {
    example.get(property).and_then(Value::as_str).is_some_and(is_other)
}

/// Whether a schema of a property allows a value, by what it says in few words.
fn allows(schema: &Map<String, Value>, value: &Value) -> bool {
    let is_type = |name: &Value| match name.as_str() {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("object" | "array" | "null") => false,
        // Not one that there is; it is not looked at elsewhere either.
        _ => true,
    };
    let fits_type = match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(is_type),
        Some(name) => is_type(name),
        None => true,
    };
    let is_listed = schema.get("enum").and_then(Value::as_array).is_none_or(|listed| listed.contains(value));
    let is_const = schema.get("const").is_none_or(|only| only == value);
    if !fits_type || !is_listed || !is_const {
        return false;
    }
    let limits = ["pattern", "minLength", "maxLength"];
    let limits = limits.iter().filter_map(|limit| Some(((*limit).to_owned(), schema.get(*limit)?.clone())));
    let limits: Map<String, Value> = limits.collect();
    limits.is_empty()
        || opentool_schema::Validator::new(&Schema::new(Value::Object(limits)))
            .map_or(true, |validator| validator.accepts(value))
}
