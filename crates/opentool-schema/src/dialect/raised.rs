//! A definition on its way in: what an entry says, with the places that diagnostics point at.

use opentool_core::{Annotations, Diagnostic, Schema, ToolDefinition};
use serde_json::{Map, Value};

use crate::text::found;

/// An entry that is being read. Finds are collected, nothing stops the reading.
pub(crate) struct Raising<'v, 'd> {
    /// The object that holds name and schema.
    pub(crate) members: &'v Map<String, Value>,
    /// Its JSON Pointer.
    pub(crate) pointer: String,
    pub(crate) diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'v> Raising<'v, '_> {
    /// The definition; `None` if it cannot be one, and a diagnostic says why.
    pub(crate) fn definition(&mut self, schema_key: &str) -> Option<ToolDefinition> {
        let name = self.name()?;
        let description = self.text("description").unwrap_or_default();
        let mut definition = ToolDefinition::new(name, description);
        match self.members.get(schema_key) {
            // Providers take a missing schema as "no arguments".
            None | Some(Value::Null) => {}
            Some(schema @ Value::Object(_)) => definition.input_schema = Schema::new(schema.clone()),
            Some(other) => {
                let message = format!("`{name}` is left out: its {schema_key} is {}", found(other));
                let diagnostic = Diagnostic::error("schema-not-an-object", self.at(schema_key), message);
                self.diagnostics.push(diagnostic.help("write a JSON Schema object"));
                return None;
            }
        }
        Some(definition)
    }

    fn name(&mut self) -> Option<&'v str> {
        let diagnostic = match self.members.get("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => return Some(name),
            Some(Value::String(_)) => {
                Diagnostic::error("no-name", self.at("name"), "a definition with an empty name is left out")
            }
            Some(other) => {
                let message = format!("a definition is left out: its name is {}", found(other));
                Diagnostic::error("no-name", self.at("name"), message)
            }
            None => {
                Diagnostic::error("no-name", self.pointer.clone(), "a definition without a name is left out")
            }
        };
        self.diagnostics.push(diagnostic.help("give it a `name`"));
        None
    }

    /// An optional text; something else is reported and left out.
    pub(crate) fn text(&mut self, key: &str) -> Option<&'v str> {
        match self.members.get(key)? {
            Value::String(text) => Some(text),
            Value::Null => None,
            other => {
                let message = format!("the {key} is {}, and was left out", found(other));
                self.diagnostics.push(
                    Diagnostic::warning("not-a-text", self.at(key), message).help("write it as a string"),
                );
                None
            }
        }
    }

    /// An optional schema of results.
    pub(crate) fn output_schema(&mut self, key: &str) -> Option<Schema> {
        match self.members.get(key)? {
            schema @ Value::Object(_) => Some(Schema::new(schema.clone())),
            Value::Null => None,
            other => {
                let message = format!("the {key} is {}, and was left out", found(other));
                self.diagnostics.push(Diagnostic::warning("schema-not-an-object", self.at(key), message));
                None
            }
        }
    }

    /// The hints, each on its own: one that is no boolean costs only itself.
    pub(crate) fn annotations(&mut self) -> Annotations {
        let mut annotations = Annotations::new();
        let Some(Value::Object(hints)) = self.members.get("annotations") else { return annotations };
        let places = [
            ("readOnlyHint", &mut annotations.read_only),
            ("destructiveHint", &mut annotations.destructive),
            ("idempotentHint", &mut annotations.idempotent),
            ("openWorldHint", &mut annotations.open_world),
        ];
        for (key, place) in places {
            match hints.get(key) {
                Some(Value::Bool(hint)) => *place = Some(*hint),
                None | Some(Value::Null) => {}
                Some(other) => {
                    let message = format!("the hint {key} is {}, and was left out", found(other));
                    let pointer = format!("{}/annotations/{key}", self.pointer);
                    self.diagnostics.push(Diagnostic::warning("not-a-boolean", pointer, message));
                }
            }
        }
        annotations
    }

    /// The JSON Pointer of a member. Keys are our own and need no escapes.
    pub(crate) fn at(&self, key: &str) -> String {
        format!("{}/{key}", self.pointer)
    }
}
