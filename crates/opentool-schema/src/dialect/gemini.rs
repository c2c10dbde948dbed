//! Gemini's `functionDeclarations` with `parametersJsonSchema`: JSON Schema, of which a part is understood.
//!
//! The Live API takes only the other form, [`super::gemini_openapi`].

use serde_json::{Map, Value, json};

use super::Entry;
use super::rules::{Enums, Form, KEPT, NameRule, References, Rules};

// Rules.

pub(super) const RULES: Rules = Rules {
    form: Form::Rebuilt,
    names: NameRule { marks: "_.:-", letter_first: true, longest: 64 },
    properties: Some(NameRule { marks: "_", letter_first: true, longest: 64 }),
    tools: Some(512),
    keywords: Some(&[
        "type",
        "title",
        "description",
        "default",
        "enum",
        "anyOf",
        "$ref",
        "$defs",
        "properties",
        "required",
        "additionalProperties",
        "minProperties",
        "maxProperties",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "pattern",
        "format",
    ]),
    formats: Some(&["date-time", "date", "time"]),
    references: References::Alone,
    enums: Enums::StringsAndNumbers,
    ..KEPT
};

// Lowering.

pub(super) fn entry(entry: Entry<'_>) -> Value {
    declaration(entry, "parametersJsonSchema")
}

/// A declaration with its schema under `key`; without arguments there is no schema.
pub(super) fn declaration(entry: Entry<'_>, key: &str) -> Value {
    let mut tool = entry.named();
    if !is_empty(&entry.schema, key) {
        tool.insert(key.to_owned(), entry.schema);
    }
    Value::Object(tool)
}

/// Whether there can be no argument.
fn is_empty(schema: &Value, key: &str) -> bool {
    let none = schema.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty);
    // In the form of OpenAPI there are no properties but those that are named.
    none && (key == "parameters" || schema.get("additionalProperties") == Some(&Value::Bool(false)))
}

/// What stands in a request's `tools`.
pub(super) fn request(declarations: Vec<Value>) -> Value {
    if declarations.is_empty() {
        return json!([]);
    }
    let mut tool = Map::new();
    tool.insert("functionDeclarations".to_owned(), Value::Array(declarations));
    json!([tool])
}

// Raising: the way back is made beside the rebuilt schema (`codec`).

// Tests.

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Dialect;
    use crate::dialect::tests::{schema, there_and_back};

    #[test]
    fn a_tool_goes_there_and_a_call_comes_back() {
        let labels = json!({"type": "object", "properties": {}, "additionalProperties": {"type": "string"}});
        there_and_back(
            Dialect::Gemini,
            &json!([{"functionDeclarations": [{"name": "create_order", "description": "Orders.",
                "parametersJsonSchema": schema("item_no", &labels, &["item_no"])}]}]),
            &json!({"item_no": 2, "labels": {"a": "b"}}),
        );
    }
}
