//! `type`: the seven words of JSON Schema, and what people write instead.

use serde_json::{Map, Value};

use super::convert::Converter;
use crate::version::Version;

impl Converter<'_, '_> {
    /// The types, or nothing where any is meant.
    pub(super) fn types(&mut self, value: &Value, out: &mut Map<String, Value>) -> Option<Value> {
        match value {
            Value::String(word) => self.one(word, out).map(|word| Value::String(word.to_owned())),
            Value::Array(words) => {
                let mut types: Vec<Value> = Vec::new();
                for word in words {
                    let word = match word {
                        Value::String(word) => word.as_str(),
                        // YAML: `type: [string, null]`.
                        Value::Null => "null",
                        other => {
                            self.left_out(other, "list type names");
                            continue;
                        }
                    };
                    let word = Value::String(self.one(word, out)?.to_owned());
                    if !types.contains(&word) {
                        types.push(word);
                    }
                }
                (!types.is_empty()).then_some(Value::Array(types))
            }
            other => {
                self.left_out(other, "write `type: string`");
                None
            }
        }
    }

    /// The type that a word means; nothing for "any" and for words that mean nothing.
    fn one(&mut self, word: &str, out: &mut Map<String, Value>) -> Option<&'static str> {
        if let Some(exact) = exact(word) {
            return Some(exact);
        }
        let lower = word.trim().to_lowercase();
        if lower == "file" && self.document.version_at(self.at.as_str()) == Version::V2 {
            out.entry("format").or_insert_with(|| Value::String("binary".to_owned()));
            return Some("string");
        }
        let (meant, format) = match lower.as_str() {
            "int" | "int32" | "int64" | "long" | "short" | "byte" => (Some("integer"), None),
            "float" | "double" | "decimal" | "numeric" => (Some("number"), None),
            "bool" => (Some("boolean"), None),
            "str" | "text" | "char" | "enum" => (Some("string"), None),
            "date" => (Some("string"), Some("date")),
            "datetime" | "date-time" | "timestamp" => (Some("string"), Some("date-time")),
            "uuid" | "guid" => (Some("string"), Some("uuid")),
            "file" | "binary" => (Some("string"), Some("binary")),
            "list" => (Some("array"), None),
            "map" | "dict" | "hash" | "json" => (Some("object"), None),
            other => (exact(other), None),
        };
        if let Some(format) = format {
            out.entry("format").or_insert_with(|| Value::String(format.to_owned()));
        }
        let shown: String = word.chars().take(40).collect();
        match meant {
            Some(meant) => {
                self.warn("type", format!("`{shown}` is read as `{meant}`"), &format!("write `type: {meant}`"));
            }
            None => self.warn(
                "type",
                format!("`{shown}` is no type; any value is allowed"),
                "the types are string, number, integer, boolean, array, object, null; leave `type` out for any",
            ),
        }
        meant
    }
}

fn exact(word: &str) -> Option<&'static str> {
    Some(match word {
        "string" => "string",
        "number" => "number",
        "integer" => "integer",
        "boolean" => "boolean",
        "array" => "array",
        "object" => "object",
        "null" => "null",
        _ => return None,
    })
}
