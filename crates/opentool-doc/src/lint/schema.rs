//! Rules about schemas: their type, and what belongs to it.

use std::collections::HashSet;

use opentool_text::{Members, Tree};

use super::document::present;
use super::members::SCHEMA;
use super::{Culprit, Lint, rule};
use crate::SchemaType;
use crate::words::{found, nearest, short};

/// The deepest schema. Texts are not nested deeper, values that a program made may be.
const MAX_DEPTH: usize = 128;

const TYPES: &str = "the types are boolean, integer, number, string, array and object";

impl<'d> Lint<'d> {
    pub(super) fn schema(&mut self, value: &'d Tree<'d>, depth: usize) {
        if depth > MAX_DEPTH {
            let message = format!("the schema is nested more than {MAX_DEPTH} levels deep");
            self.found(
                rule::TOO_DEEP,
                Culprit::Key,
                message,
                "move the inner schemas to `schemas` and use `$ref`",
            );
            return;
        }
        let Tree::Object(object) = value else {
            let message = format!("the schema is {}, not an object", found(value));
            let help = match value {
                Tree::String(word) if SchemaType::from_word(word).is_some() => {
                    format!("write `{{\"type\": \"{word}\"}}`")
                }
                _ => format!("write `{}`", SCHEMA.example),
            };
            self.found(rule::WRONG_TYPE, Culprit::Value, message, help);
            return;
        };
        self.description(object);
        if let Some(reference) = present(object, "$ref") {
            return self.reference(object, reference, depth);
        }
        let kind = self.kind(object);
        for name in object.keys().filter(|name| !SCHEMA.names.contains(name)) {
            self.within(name, |lint| lint.foreign(name, object));
        }
        self.parts(object, kind);
        self.enumeration(object, kind);
        let inner = depth.saturating_add(1);
        if let Some(properties) = present(object, "properties") {
            self.within("properties", |lint| lint.properties(properties, object, inner));
        }
        if let Some(items) = present(object, "items") {
            // A list may be empty.
            let needed = std::mem::replace(&mut self.needed, false);
            self.within("items", |lint| lint.schema(items, inner));
            self.needed = needed;
        }
        self.required(object);
    }

    fn kind(&mut self, object: &'d Members<'d>) -> Option<SchemaType> {
        match present(object, "type") {
            None => {
                let help = match () {
                    () if object.contains_key("properties") => "add `\"type\": \"object\"`".to_owned(),
                    () if object.contains_key("items") => "add `\"type\": \"array\"`".to_owned(),
                    () => format!("add `\"type\": \"string\"`; {TYPES}"),
                };
                self.found(rule::MISSING_MEMBER, Culprit::Key, "the schema has no `type`", help);
                None
            }
            Some(Tree::String(word)) => {
                let kind = SchemaType::from_word(word);
                if kind.is_none() {
                    self.within("type", |lint| {
                        let message = format!("`{}` is no type", short(word));
                        let help = meant(word)
                            .map_or(TYPES.to_owned(), |kind| format!("did you mean `{kind}`? {TYPES}"));
                        lint.found(rule::UNKNOWN_TYPE, Culprit::Value, message, help);
                    });
                }
                kind
            }
            Some(Tree::Array(words)) => {
                self.within("type", |lint| {
                    let message = "`type` is a list, and a schema has one type";
                    let first = words.iter().filter_map(Tree::as_str).find_map(SchemaType::from_word);
                    let help =
                        first.map_or(TYPES.to_owned(), |kind| format!("write one: `\"type\": \"{kind}\"`"));
                    lint.found(rule::WRONG_TYPE, Culprit::Value, message, help);
                });
                None
            }
            Some(other) => {
                self.within("type", |lint| lint.not_a(other, "type", "a text", TYPES));
                None
            }
        }
    }

    /// What a type needs, and what it has no use for.
    fn parts(&mut self, object: &Members<'_>, kind: Option<SchemaType>) {
        let Some(kind) = kind else { return };
        if kind == SchemaType::Object && present(object, "properties").is_none() {
            let message = "the schema is an object, and nothing says which properties it has";
            let help = "add `\"properties\": {…}`; an object of anything has `\"properties\": {}`";
            self.found(rule::OBJECT_WITHOUT_PROPERTIES, Culprit::Key, message, help);
        }
        if kind == SchemaType::Array && present(object, "items").is_none() {
            let message = "the schema is an array, and nothing says what is in it";
            let help = "add `\"items\": {\"type\": \"string\"}`";
            self.found(rule::ARRAY_WITHOUT_ITEMS, Culprit::Key, message, help);
        }
        for (name, owner) in [
            ("properties", SchemaType::Object),
            ("required", SchemaType::Object),
            ("items", SchemaType::Array),
        ] {
            // A `required` that is no list has a worse fault.
            let there =
                present(object, name).filter(|value| name != "required" || value.as_array().is_some());
            if kind != owner && there.is_some() {
                self.within(name, |lint| {
                    let message = format!("`{name}` belongs to the type `{owner}`, and `type` is `{kind}`");
                    let help = format!("remove `{name}`, or set `\"type\": \"{owner}\"`");
                    lint.found(rule::MISPLACED_MEMBER, Culprit::Key, message, help);
                });
            }
        }
    }

    fn properties(&mut self, value: &'d Tree<'d>, object: &'d Members<'d>, depth: usize) {
        let Tree::Object(properties) = value else {
            let help = "write `\"properties\": {\"name\": {\"type\": \"string\"}}`";
            return self.not_a(value, "properties", "an object", help);
        };
        let required = object.get("required").and_then(Tree::as_array);
        let required: HashSet<&str> = required.into_iter().flatten().filter_map(Tree::as_str).collect();
        let needed = self.needed;
        for (name, property) in properties.iter() {
            self.needed = needed && required.contains(name);
            self.within(name, |lint| {
                if name.is_empty() {
                    let help = "give the property a name, for example `city`";
                    lint.found(rule::EMPTY_NAME, Culprit::Key, "the name is empty", help);
                }
                lint.schema(property, depth);
            });
        }
        self.needed = needed;
    }

    fn required(&mut self, object: &'d Members<'d>) {
        let Some(value) = present(object, "required") else { return };
        self.within("required", |lint| {
            let Tree::Array(names) = value else {
                let help = match value {
                    Tree::Bool(_) => "in a schema, `required` lists names, at the object around: `\"required\": [\"city\"]`",
                    _ => "list the properties that must be there: `\"required\": [\"city\"]`",
                };
                return lint.not_a(value, "required", "a list of property names", help);
            };
            let properties = object.get("properties").and_then(Tree::as_object);
            let mut seen = HashSet::new();
            for (index, name) in names.iter().enumerate() {
                lint.within_item(index, |lint| match name {
                    Tree::String(name) => lint.required_name(name, properties, &mut seen),
                    other => {
                        let message = format!("`required` holds {}, not the name of a property", found(other));
                        lint.found(rule::WRONG_TYPE, Culprit::Value, message, "write names: `\"required\": [\"city\"]`");
                    }
                });
            }
        });
    }

    fn required_name(
        &mut self,
        name: &'d str,
        properties: Option<&'d Members<'d>>,
        seen: &mut HashSet<&'d str>,
    ) {
        let repeats = !seen.insert(name);
        if !repeats && properties.is_some_and(|properties| properties.contains_key(name)) {
            return;
        }
        let shown = short(name);
        if repeats {
            let message = format!("`{shown}` stands in `required` twice");
            self.found(rule::DUPLICATE_REQUIRED, Culprit::Value, message, "remove one of the two");
        } else {
            let known = properties.into_iter().flat_map(Members::keys);
            let help = match self.guesses.nearest(name, known) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("add it to `properties`, or remove it from `required`: `{shown}`"),
            };
            let message = format!("`required` names `{shown}`, and there is no such property");
            self.found(rule::UNKNOWN_REQUIRED, Culprit::Value, message, help);
        }
    }
}

/// The type that a word of another language means.
fn meant(word: &str) -> Option<SchemaType> {
    let lower = word.trim().to_ascii_lowercase();
    Some(match lower.as_str() {
        "int" | "int32" | "int64" | "long" | "uint" => SchemaType::Integer,
        "float" | "double" | "decimal" | "num" => SchemaType::Number,
        "str" | "text" | "char" | "date" | "datetime" | "uuid" | "file" => SchemaType::String,
        "bool" => SchemaType::Boolean,
        "list" | "set" | "tuple" => SchemaType::Array,
        "map" | "dict" | "dictionary" | "json" | "struct" | "record" => SchemaType::Object,
        other => {
            return nearest(other, SchemaType::ALL.map(SchemaType::as_str)).and_then(SchemaType::from_word);
        }
    })
}
