//! The rules of a dialect about schemas, one schema after the other.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{Finding, wants_plain_root};
use crate::dialect::lower::{count, escaped};
use crate::dialect::rules::{Enums, Patterns, References, Rules, Types};
use crate::refs::{Place, Refs};

const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];
/// Findings of one schema that are reported.
const MOST: usize = 100;

/// Judges a whole schema.
pub(super) fn judge(schema: &Value, place: &str, rules: &Rules, findings: &mut Vec<Finding>) {
    if !crate::validator::within(schema, 160) {
        findings.push(Finding::new(place, "depth", "the schema nests too deep to be read"));
        return;
    }
    let mut judge = Judge {
        root: schema,
        refs: None,
        resource: schema,
        rules,
        place,
        path: String::new(),
        findings,
        in_union: false,
    };
    judge.root();
    judge.schema(schema);
    if rules.references == References::AloneNoCircle && has_circle(schema) {
        judge.say("circle", "no definition may lead back to itself");
    }
    if let Err(error) = count(schema, rules) {
        judge.say("size", error.to_string());
    }
}

struct Judge<'s, 'f> {
    root: &'s Value,
    /// Anchors and identifiers, where a reference needs them.
    refs: Option<Refs<'s>>,
    /// What the references of the schema at hand start from.
    resource: &'s Value,
    rules: &'f Rules,
    place: &'f str,
    path: String,
    findings: &'f mut Vec<Finding>,
    /// The schema stands directly in `anyOf`.
    in_union: bool,
}

impl<'s> Judge<'s, '_> {
    fn say(&mut self, rule: &'static str, message: impl Into<String>) {
        if self.findings.len() < MOST {
            self.findings.push(Finding::new(format!("{}{}", self.place, self.path), rule, message));
        }
    }

    fn root(&mut self) {
        let object = match self.rules.types {
            Types::Json => "object",
            Types::OpenApi => "OBJECT",
        };
        if self.root.get("type").is_none_or(|kind| kind != object) {
            self.say("root", format!("the root has to have the type `{object}`"));
        } else if self.rules.root_properties && !self.root.get("properties").is_some_and(Value::is_object) {
            self.say("root", "the root has to have `properties`, an empty object where there are none");
        }
        if !wants_plain_root(self.rules) {
            return;
        }
        for keyword in ["anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "$ref"] {
            if self.root.get(keyword).is_some() {
                self.say("root", format!("`{keyword}` may not stand at the root"));
            }
        }
    }

    fn inside(&mut self, keys: &[&str], schema: &'s Value, in_union: bool) {
        let length = self.path.len();
        for key in keys {
            self.path.push('/');
            self.path.push_str(&escaped(key));
        }
        let before = std::mem::replace(&mut self.in_union, in_union);
        let around = self.resource;
        self.resource = Place { schema: around, resource: around }.enter(schema).resource;
        self.schema(schema);
        self.resource = around;
        self.in_union = before;
        self.path.truncate(length);
    }

    fn schema(&mut self, schema: &'s Value) {
        let members = match schema {
            Value::Object(members) => members,
            Value::Bool(_) if self.rules.keywords.is_none() => return,
            // Where keywords are limited, these are the only booleans: a closed object, no more items.
            Value::Bool(_)
                if self.path.ends_with("/additionalProperties") || self.path.ends_with("/items") =>
            {
                return;
            }
            _ => return self.say("schema", "a schema has to be an object"),
        };
        self.types(members);
        self.objects(members);
        self.reference(members);
        for (keyword, value) in members {
            if self.rules.keywords.is_some_and(|keywords| !keywords.contains(&keyword.as_str())) {
                self.say("keyword", format!("`{keyword}` is not a keyword of this provider"));
                continue;
            }
            self.keyword(keyword, value, members);
            self.below(keyword, value);
        }
        let is_array = kind_is(members, "array") || kind_is(members, "ARRAY");
        if self.rules.items
            && is_array
            && !members.contains_key("items")
            && !members.contains_key("prefixItems")
        {
            self.say("items", "an array has to say what its items are");
        }
        if self.rules.lone_unions && members.contains_key("anyOf") && members.len() > 1 {
            self.say("lone-union", "nothing may stand beside `anyOf`");
        }
    }

    fn types(&mut self, members: &Map<String, Value>) {
        let known = |kind: &Value| {
            kind.as_str().is_some_and(|kind| match self.rules.types {
                Types::Json => TYPES.contains(&kind),
                Types::OpenApi => {
                    kind == kind.to_ascii_uppercase() && TYPES.contains(&kind.to_ascii_lowercase().as_str())
                }
            })
        };
        match members.get("type") {
            None if self.rules.typed && !["anyOf", "$ref"].iter().any(|k| members.contains_key(*k)) => {
                self.say("typed", "every schema has to have `type`, `anyOf` or `$ref`");
            }
            None => {}
            Some(Value::Array(kinds)) if self.rules.types == Types::Json && kinds.iter().all(known) => {}
            Some(kind) if known(kind) => {}
            Some(_) => self.say("type", "this is no type of this provider"),
        }
    }

    fn objects(&mut self, members: &Map<String, Value>) {
        let rules = self.rules.objects;
        if !(kind_is(members, "object") || kind_is(members, "OBJECT")) {
            return;
        }
        if rules.says_closed && members.get("additionalProperties") != Some(&Value::Bool(false)) {
            self.say("closed", "an object has to have `additionalProperties: false`");
        }
        let properties = members.get("properties").and_then(Value::as_object);
        if !rules.empty && !self.path.is_empty() && properties.is_none_or(Map::is_empty) {
            self.say("empty-object", "an object below the root has to have properties");
        }
        let required: Vec<&str> = members
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for name in properties.into_iter().flatten().map(|(name, _)| name) {
            if rules.all_required && !required.contains(&name.as_str()) {
                self.say("required", format!("`{name}` has to be in `required`"));
            }
            if let Some(rule) = self.rules.properties.as_ref().filter(|rule| !rule.fits(name)) {
                self.say(
                    "property-name",
                    format!("`{}` has to be {}", crate::text::shorten(name, 60), rule.words()),
                );
            }
        }
        if rules.closed && !required.iter().all(|name| properties.is_some_and(|all| all.contains_key(*name)))
        {
            self.say("required", "`required` names a property that there is not");
        }
    }

    fn reference(&mut self, members: &Map<String, Value>) {
        let Some(reference) = members.get("$ref") else { return };
        let target = reference.as_str().and_then(|reference| reference.strip_prefix('#'));
        if self.rules.references != References::Anywhere {
            if members.len() > 1 {
                self.say("reference", "nothing may stand beside `$ref`");
            }
            if self.in_union && self.rules.references == References::AloneOutsideUnions {
                self.say("reference", "`$ref` may not stand directly in `anyOf`");
            }
            let is_definition = target
                .is_some_and(|target| target.strip_prefix("/$defs/").is_some_and(|name| !name.contains('/')));
            if !is_definition {
                self.say("reference", "`$ref` has to lead to a definition of the root");
            }
        }
        let at_root = target.is_some_and(|target| self.root.pointer(target).is_some());
        if !at_root && let Some(reference) = reference.as_str() {
            let from = Place { schema: self.resource, resource: self.resource };
            let root = self.root;
            if self.refs.get_or_insert_with(|| Refs::of(root)).candidates(from, reference).is_empty() {
                self.say("reference", "`$ref` leads nowhere");
            }
        }
    }

    fn keyword(&mut self, keyword: &str, value: &Value, members: &Map<String, Value>) {
        let rules = self.rules;
        match (keyword, value) {
            ("enum", Value::Array(values)) => {
                if !values.iter().all(|value| rules.enums.takes(value)) {
                    self.say("enum", "an enumeration may not hold values of this type, or an empty text");
                }
                if values.is_empty() && rules.keywords.is_some() {
                    self.say("enum", "an enumeration has to hold a value");
                }
            }
            ("properties", Value::Object(properties))
                if rules.no_booleans && properties.values().any(Value::is_boolean) =>
            {
                self.say("properties", "the schema of a property has to be an object");
            }
            ("const", value) if rules.enums != Enums::Any && (value.is_array() || value.is_object()) => {
                self.say("enum", "a constant may not be of this type");
            }
            ("format", Value::String(format))
                if rules.formats.is_some_and(|formats| !formats.contains(&format.as_str())) =>
            {
                self.say("format", format!("`{format}` is no format of this provider"));
            }
            ("pattern", Value::String(pattern)) if rules.patterns == Patterns::Plain && looks(pattern) => {
                self.say("pattern", "a pattern may not look around");
            }
            ("minItems", count)
                if rules.min_items.is_some_and(|most| count.as_u64().is_none_or(|count| count > most)) =>
            {
                self.say("minItems", "`minItems` is too large for this provider");
            }
            ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(_)) if wants_plain_root(rules) => {
                self.say("draft", format!("`{keyword}` has to be a number: this is Draft 4"));
            }
            ("items", Value::Array(_)) if wants_plain_root(rules) => {
                self.say("draft", "`items` has to be a schema; a list of them is `prefixItems`");
            }
            // A schema that leaves as it came may say nothing in this way; nobody has refused it.
            ("description" | "title", Value::Null) if !wants_plain_root(rules) => {}
            ("description" | "title", value) if !value.is_string() && members.len() > 1 => {
                self.say("schema", format!("`{keyword}` has to be a text"));
            }
            _ => {}
        }
    }

    fn below(&mut self, keyword: &str, value: &'s Value) {
        match (keyword, value) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(map),
            ) => {
                for (key, inner) in map {
                    self.inside(&[keyword, key], inner, false);
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                for (i, inner) in list.iter().enumerate() {
                    self.inside(&[keyword, &i.to_string()], inner, keyword == "anyOf");
                }
            }
            (
                "items"
                | "additionalProperties"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames"
                | "unevaluatedProperties"
                | "unevaluatedItems",
                inner @ (Value::Object(_) | Value::Bool(_)),
            ) => self.inside(&[keyword], inner, false),
            _ => {}
        }
    }
}

/// Whether a pattern looks around; a parenthesis behind a backslash is a parenthesis.
fn looks(pattern: &str) -> bool {
    let plain = pattern.replace("\\\\", "").replace("\\(", "");
    ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| plain.contains(look))
}

fn kind_is(members: &Map<String, Value>, wanted: &str) -> bool {
    members.get("type").is_some_and(|kind| {
        kind == wanted || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == wanted))
    })
}

/// Whether a definition leads back to itself. Each is looked at once, whoever refers to it.
fn has_circle(root: &Value) -> bool {
    let Some(definitions) = root.get("$defs").and_then(Value::as_object) else { return false };
    let mut done: HashSet<&str> = HashSet::new();
    let mut above: HashSet<&str> = HashSet::new();
    for start in definitions.keys() {
        // A stack of its own, because rows of definitions are as long as their author likes: what to leave, or to enter.
        let mut open = vec![(start.as_str(), false)];
        while let Some((name, leaving)) = open.pop() {
            if leaving {
                above.remove(name);
                done.insert(name);
                continue;
            }
            if above.contains(name) {
                return true;
            }
            if done.contains(name) {
                continue;
            }
            above.insert(name);
            open.push((name, true));
            let mut found = Vec::new();
            references(definitions.get(name).unwrap_or(&Value::Null), &mut found);
            open.extend(found.into_iter().map(|target| (target, false)));
        }
    }
    false
}

fn references<'s>(value: &'s Value, found: &mut Vec<&'s str>) {
    match value {
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str);
            found.extend(reference.and_then(|reference| reference.strip_prefix("#/$defs/")));
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}
