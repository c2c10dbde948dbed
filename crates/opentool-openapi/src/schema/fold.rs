//! What stands within the schema of an argument, cut at a depth: of what is below, type, values and description stay.
//!
//! A cut schema takes whatever the whole one takes. Nothing here knows how large anything may be; see [`super::reduce()`].

use serde_json::{Map, Value, json};

use super::definitions::{LEFT_OUT, size};

/// How much stays.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fold {
    /// How many schemas within schemas.
    pub(super) depth: usize,
    /// Schemas of at most so many bytes are not cut.
    pub(super) small: usize,
    /// What is kept of what is cut.
    pub(super) notes: Notes,
}

/// What is kept of what is cut, beside its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notes {
    /// The description, and of what has no parts the values that it may have.
    Keep,
    /// Only the values.
    LeaveOut,
    /// Neither.
    LeaveOutAll,
}

/// What says which values there are of what has no parts, in few words as a rule.
const VALUES: [&str; 4] = ["enum", "const", "format", "default"];

impl Fold {
    /// Cuts what is below the depth. `definitions` says which types references have.
    pub(super) fn schema(self, schema: &mut Map<String, Value>, definitions: &Map<String, Value>) {
        for (keyword, value) in schema.iter_mut() {
            match (keyword.as_str(), value) {
                ("properties" | "patternProperties", Value::Object(schemas)) => {
                    schemas.values_mut().for_each(|schema| self.below(schema, definitions));
                }
                ("prefixItems", Value::Array(schemas)) => {
                    schemas.iter_mut().for_each(|schema| self.below(schema, definitions));
                }
                ("items" | "additionalProperties" | "contains" | "propertyNames", value) => {
                    self.below(value, definitions);
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                    for branch in branches.iter_mut().filter_map(Value::as_object_mut) {
                        self.schema(branch, definitions);
                    }
                }
                ("dependentSchemas", Value::Object(schemas)) => {
                    for schema in schemas.values_mut().filter_map(Value::as_object_mut) {
                        self.schema(schema, definitions);
                    }
                }
                _ => {}
            }
        }
    }

    fn below(self, value: &mut Value, definitions: &Map<String, Value>) {
        if size(value) <= self.small {
            return;
        }
        let Value::Object(schema) = value else { return };
        match self.depth.checked_sub(1) {
            Some(depth) => Self { depth, ..self }.schema(schema, definitions),
            None => *value = self.summary(schema, definitions),
        }
    }

    /// The type of a schema, and what else is kept of it.
    fn summary(self, schema: &Map<String, Value>, definitions: &Map<String, Value>) -> Value {
        let mut out = Map::new();
        let target = schema.get("$ref").and_then(Value::as_str);
        let target = target.and_then(|target| definitions.get(target.strip_prefix("#/$defs/")?));
        if let Some(kind) = schema.get("type").or_else(|| target?.get("type")) {
            out.insert("type".to_owned(), kind.clone());
        }
        let has_parts = out.get("type").is_none_or(|kind| kind == "object" || kind == "array");
        if self.notes != Notes::LeaveOutAll && !has_parts {
            for keyword in VALUES {
                out.extend(schema.get(keyword).map(|value| (keyword.to_owned(), value.clone())));
            }
        }
        if self.notes == Notes::Keep {
            let description = schema.get("description").or_else(|| target?.get("description"));
            if let Some(description) = description {
                out.insert("description".to_owned(), description.clone());
            }
            if schema.keys().any(|keyword| !out.contains_key(keyword)) {
                out.insert("$comment".to_owned(), json!(format!("{LEFT_OUT}its schema")));
            }
        }
        Value::Object(out)
    }
}

/// Lets a schema of which something was cut take what the whole one took: alternatives may no longer exclude each other,
/// and what is forbidden or depends on something may now be meant by more.
pub(super) fn loosen(value: &mut Value) {
    match value {
        Value::Object(schema) => {
            // Before anything below changes: what takes more here would forbid more.
            for keyword in ["not", "if"] {
                let Some(condition) = schema.get(keyword) else { continue };
                if is_open(condition) {
                    schema.shift_remove(keyword);
                    if keyword == "if" {
                        schema.shift_remove("then");
                        schema.shift_remove("else");
                    }
                }
            }
            let_several_fit(schema);
            for keyword in ["unevaluatedProperties", "unevaluatedItems"] {
                if schema.get(keyword) == Some(&json!({"not": {}}))
                    || schema.get(keyword) == Some(&json!(false))
                {
                    schema.shift_remove(keyword);
                }
            }
            for (keyword, value) in schema {
                match (keyword.as_str(), value) {
                    (
                        "properties" | "patternProperties" | "dependentSchemas" | "$defs",
                        Value::Object(schemas),
                    ) => schemas.values_mut().for_each(loosen),
                    // What is left of these was not cut, and is the condition that it was.
                    ("enum" | "const" | "default" | "examples" | "not" | "if", _) => {}
                    (_, value) => loosen(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(loosen),
        _ => {}
    }
}

/// Lets a value be meant by more than one of the alternatives of which only one could.
pub(super) fn let_several_fit(schema: &mut Map<String, Value>) {
    let Some(branches) = schema.shift_remove("oneOf") else { return };
    match schema.entry("anyOf") {
        serde_json::map::Entry::Vacant(free) => {
            free.insert(branches);
        }
        serde_json::map::Entry::Occupied(_) => {
            let both = schema.entry("allOf").or_insert_with(|| json!([]));
            if let Value::Array(both) = both {
                both.push(json!({"anyOf": branches}));
            }
        }
    }
}

/// Whether something in a schema may have been cut.
fn is_open(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.contains_key("$ref")
                || members
                    .get("$comment")
                    .and_then(Value::as_str)
                    .is_some_and(|text| text.starts_with(LEFT_OUT))
                || members.values().any(is_open)
        }
        Value::Array(items) => items.iter().any(is_open),
        _ => false,
    }
}
