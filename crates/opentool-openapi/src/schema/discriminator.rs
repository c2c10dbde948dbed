//! What a discriminator says about its branches: which values of its property belong to which of them. JSON Schema says
//! it by a `const` in the branch.
//!
//! A value is the name of a branch's schema, unless the `mapping` names another. What the branch itself says about the
//! property goes before that: a value that it does not allow would make it impossible, and then nothing is said. Many
//! documents leave the `mapping` out and mean other values than the names; where one shows that, nothing is said either.

use std::collections::{HashMap, HashSet};

use opentool_core::Schema;
use opentool_text::pointer;
use serde_json::{Map, Value, json};

use super::convert::{Converter, Direction};
use crate::document::{Document, split};
use crate::reference::Found;

/// How many schemas of one branch are looked through.
const MAX_PARTS: usize = 32;

/// What the `mapping` says.
#[derive(Default)]
struct Mapping<'s> {
    /// The values of each schema, by its place.
    values: HashMap<String, Vec<&'s str>>,
    /// Something in it leads nowhere, so the schema of a branch without a value may have one.
    is_stale: bool,
}

/// What a branch says about the property itself.
#[derive(Default)]
struct Branch<'d> {
    /// The schemas of the property, without references.
    own: Vec<&'d Map<String, Value>>,
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
        let mapping = self.mapping(discriminator);
        let default = discriminator.get("defaultMapping").and_then(Value::as_str);
        let default = default.and_then(|target| self.target(target));
        for keyword in ["oneOf", "anyOf"] {
            let Some(originals) = schema.get(keyword).and_then(Value::as_array) else { continue };
            let Some(Value::Array(branches)) = out.get_mut(keyword) else { continue };
            let places: Vec<Option<Found<'_>>> =
                originals.iter().map(|original| self.referenced_by(original)).collect();
            let names: HashSet<String> = places.iter().flatten().filter_map(|at| name(&at.pointer)).collect();
            let values: Vec<Vec<Value>> = places
                .iter()
                .map(|place| match place {
                    Some(place) => values(self.document, place, property, &mapping, &names),
                    // By the specification what is written in place has no value.
                    None => Vec::new(),
                })
                .collect();
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

    fn mapping<'s>(&self, discriminator: &'s Value) -> Mapping<'s> {
        let mut mapping = Mapping::default();
        for (value, target) in discriminator.get("mapping").and_then(Value::as_object).into_iter().flatten() {
            match target.as_str().and_then(|target| self.target(target)) {
                Some(place) => mapping.values.entry(place).or_default().push(value),
                None => mapping.is_stale = true,
            }
        }
        mapping
    }

    /// The place of the schema that a mapping means: a reference or a name.
    fn target(&self, target: &str) -> Option<String> {
        let at = self.at.as_str();
        let by_name = || self.document.resolve(&format!("#/components/schemas/{target}"), at);
        let found = self.document.resolve(target, at).or_else(|_| by_name()).ok()?;
        Some(found.pointer.into_owned())
    }

    fn referenced_by(&self, branch: &Value) -> Option<Found<'_>> {
        self.document.resolve(branch.get("$ref")?.as_str()?, self.at.as_str()).ok()
    }
}

/// The values of the property that belong to the branch at a place; none where the document does not say it.
fn values(
    document: &Document,
    place: &Found<'_>,
    property: &str,
    mapping: &Mapping<'_>,
    names: &HashSet<String>,
) -> Vec<Value> {
    let branch = || look_through(document, place, property);
    if let Some(values) = mapping.values.get(place.pointer.as_ref()) {
        let branch = branch();
        return values.iter().filter_map(|value| branch.value(value)).collect();
    }
    let is_taken = |name: &str| mapping.values.values().flatten().any(|value| *value == name);
    let Some(name) = name(&place.pointer).filter(|name| !mapping.is_stale && !is_taken(name)) else {
        return Vec::new();
    };
    let branch = branch();
    let is_other = |value: &str| !names.contains(value) && !is_taken(value);
    if branch.is_divided || branch.shows(is_other) {
        return Vec::new();
    }
    branch.value(&name).into_iter().collect()
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
    let mut seen: HashSet<String> = HashSet::new();
    // Of each whether it is the branch itself, and not a part of it.
    let mut waiting = vec![(place.clone(), true)];
    while let Some((found, is_self)) = waiting.pop() {
        let place = found.pointer.as_ref();
        let Some(members) = found.value.as_object() else { continue };
        if seen.len() >= MAX_PARTS || !seen.insert(place.to_owned()) {
            continue;
        }
        branch.is_divided |= is_self && members.contains_key("discriminator");
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
        for part in members.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            waiting.extend(document.follow(part, place).ok().map(|part| (part, false)));
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
    fn shows(&self, is_other: impl Fn(&str) -> bool) -> bool {
        self.own.iter().any(|own| {
            let listed = own.get("examples").and_then(Value::as_array).into_iter().flatten();
            let one = ["example", "default"].into_iter().filter_map(|keyword| own.get(keyword));
            one.chain(listed).filter_map(Value::as_str).any(&is_other)
                // What is said in such a way is not looked through.
                || ["oneOf", "anyOf", "not", "if"].iter().any(|keyword| own.contains_key(*keyword))
        })
    }
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
