//! Gemini's `functionDeclarations` with `parameters`: a schema in the manner of OpenAPI 3.0.
//!
//! No references, no maps, no tuples, enumerations of strings only, `nullable` in place of `null`. Unknown keywords
//! are refused by name.

use serde_json::Value;

use super::Entry;
use super::rules::{Enums, Form, Objects, References, Rules, Types};

// Rules.

pub(super) const RULES: Rules = Rules {
    form: Form::Rebuilt,
    keywords: Some(&[
        "type",
        "title",
        "description",
        "default",
        "enum",
        "anyOf",
        "properties",
        "required",
        "minProperties",
        "maxProperties",
        "items",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "nullable",
    ]),
    formats: Some(&["date-time", "enum", "int32", "int64", "float", "double"]),
    references: References::Nowhere,
    objects: Objects { closed: true, says_closed: false, all_required: false, empty: false },
    enums: Enums::Strings,
    types: Types::OpenApi,
    typed: true,
    items: true,
    lone_unions: true,
    ..super::gemini::RULES
};

// Lowering.

pub(super) fn entry(entry: Entry<'_>) -> Value {
    super::gemini::declaration(entry, "parameters")
}

// Raising: the way back is made beside the rebuilt schema (`codec`).

// Tests.

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Dialect;
    use crate::dialect::tests::there_and_back;

    #[test]
    fn a_tool_goes_there_and_a_call_comes_back() {
        there_and_back(
            Dialect::GeminiOpenApi,
            &json!([{"functionDeclarations": [{
                "name": "create_order",
                "description": "Orders.",
                "parameters": {
                    "type": "OBJECT",
                    "properties": {
                        "item_no": {"type": "STRING", "enum": ["1", "2"]},
                        "labels": {"type": "ARRAY", "items": {
                            "type": "OBJECT",
                            "properties": {"key": {"type": "STRING"}, "value": {"type": "STRING"}},
                            "required": ["key", "value"],
                        }},
                    },
                    "required": ["item_no"],
                },
            }]}]),
            &json!({"item_no": "2", "labels": [{"key": "a", "value": "b"}]}),
        );
    }
}
