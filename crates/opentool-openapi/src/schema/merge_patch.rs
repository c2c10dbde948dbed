//! Merge patches (RFC 7396): null takes a member away, whatever the schema of the resource says about it.
//!
//! Documents describe a merge patch by the schema of what is patched, in which hardly anything is nullable. So every member
//! that need not be there takes null here, and the members of its members. Items of lists are left alone: a list is replaced
//! as a whole, and null in it is a value.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::definitions::{collect, collect_members};
use super::nullable::with_null;
use crate::plan::BodyArguments;

/// Makes the arguments that are a body, or parts of one, of a tool's whole schema take what a merge patch may say.
pub(crate) fn in_arguments(root: &mut Map<String, Value>, body: &BodyArguments) {
    let mut patch = Patch::take(root);
    let required = names(root.get("required"));
    if let Some(Value::Object(properties)) = root.get_mut("properties") {
        match body {
            BodyArguments::Whole(name) => {
                if let Some(schema) = properties.get_mut(name) {
                    patch.schema(schema);
                }
            }
            BodyArguments::Properties(own) => {
                for (name, schema) in properties.iter_mut().filter(|(name, _)| own.contains(name)) {
                    patch.member(name, schema, &required);
                }
            }
        }
    }
    patch.give_back(root);
}

/// The same for a schema that is the body's own.
#[cfg(feature = "mock")]
pub(crate) fn in_body(mut schema: Value) -> Value {
    if let Value::Object(root) = &mut schema {
        let mut patch = Patch::take(root);
        patch.members(root);
        patch.give_back(root);
    }
    schema
}

/// The definitions of a schema, and under which names they stand as parts of a patch.
struct Patch {
    definitions: Map<String, Value>,
    made: HashMap<String, String>,
    waiting: Vec<String>,
}

impl Patch {
    fn take(root: &mut Map<String, Value>) -> Self {
        let definitions = match root.shift_remove("$defs") {
            Some(Value::Object(definitions)) => definitions,
            _ => Map::new(),
        };
        Self { definitions, made: HashMap::new(), waiting: Vec::new() }
    }

    /// Puts the definitions back, with those that were made and without those that nothing refers to any more.
    fn give_back(mut self, root: &mut Map<String, Value>) {
        while let Some(name) = self.waiting.pop() {
            let Some(mut schema) = self.definitions.get(&name).cloned() else { continue };
            self.schema(&mut schema);
            let made = self.made.get(&name).cloned().unwrap_or(name);
            self.definitions.insert(made, schema);
        }
        let mut queue = Vec::new();
        collect_members(root, &mut queue);
        let mut seen = HashSet::new();
        while let Some(name) = queue.pop() {
            if let Some(schema) = self.definitions.get(&name)
                && seen.insert(name)
            {
                collect(schema, &mut queue);
            }
        }
        self.definitions.retain(|name, _| seen.contains(name));
        if !self.definitions.is_empty() {
            root.insert("$defs".to_owned(), Value::Object(self.definitions));
        }
    }

    fn schema(&mut self, schema: &mut Value) {
        if let Value::Object(members) = schema {
            self.members(members);
        }
    }

    fn members(&mut self, schema: &mut Map<String, Value>) {
        if let Some(Value::String(reference)) = schema.get_mut("$ref")
            && let Some(name) = reference.strip_prefix("#/$defs/").and_then(|name| self.name(name))
        {
            *reference = format!("#/$defs/{name}");
        }
        let required = names(schema.get("required"));
        for (keyword, value) in schema.iter_mut() {
            match (keyword.as_str(), value) {
                ("properties" | "patternProperties", Value::Object(properties)) => {
                    properties.iter_mut().for_each(|(name, schema)| self.member(name, schema, &required));
                }
                ("additionalProperties" | "unevaluatedProperties", schema @ Value::Object(_)) => {
                    self.member("", schema, &[]);
                }
                ("dependentSchemas", Value::Object(schemas)) => {
                    schemas.values_mut().for_each(|schema| self.schema(schema));
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                    schemas.iter_mut().for_each(|schema| self.schema(schema));
                }
                ("then" | "else", schema) => self.schema(schema),
                _ => {}
            }
        }
        super::fold::let_several_fit(schema);
    }

    fn member(&mut self, name: &str, schema: &mut Value, required: &[String]) {
        self.schema(schema);
        if !required.iter().any(|required| required == name)
            && let Value::Object(members) = schema
            && members.keys().any(|keyword| !super::is_note(keyword))
        {
            *schema = with_null(std::mem::take(members));
        }
    }

    /// The name of a definition as a part of a patch; nothing if it is the same there.
    fn name(&mut self, name: &str) -> Option<String> {
        if let Some(made) = self.made.get(name) {
            return Some(made.clone());
        }
        let has_parts = self.definitions.get(name)?.as_object()?.keys().any(|keyword| {
            matches!(
                keyword.as_str(),
                "$ref"
                    | "properties"
                    | "patternProperties"
                    | "additionalProperties"
                    | "allOf"
                    | "anyOf"
                    | "oneOf"
            )
        });
        if !has_parts {
            return None;
        }
        let mut made = format!("{name}.patch");
        while self.definitions.contains_key(&made) {
            made.push('_');
        }
        // Its place, until it is made.
        self.definitions.insert(made.clone(), json!({}));
        self.made.insert(name.to_owned(), made.clone());
        self.waiting.push(name.to_owned());
        Some(made)
    }
}

fn names(required: Option<&Value>) -> Vec<String> {
    let names = required.and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}
