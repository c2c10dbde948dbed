//! DeepSeek's strict mode, served under `/beta`: the form of Chat Completions.
//!
//! As OpenAI's, and a type, `anyOf` or `$ref` in every schema, no tuple, no map, no empty object below the root, no
//! `$ref` directly in `anyOf`.

use super::rules::{ANY_SIZE, Objects, References, Rules};

// Rules.

pub(super) const RULES: Rules = Rules {
    keywords: Some(&[
        "type",
        "title",
        "description",
        "default",
        "enum",
        "const",
        "anyOf",
        "$ref",
        "$defs",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "pattern",
        "format",
    ]),
    formats: Some(&["email", "hostname", "ipv4", "ipv6", "uuid"]),
    references: References::AloneOutsideUnions,
    objects: Objects { empty: false, ..super::openai_strict::RULES.objects },
    sizes: ANY_SIZE,
    ..super::openai_strict::RULES
};

// Lowering.

pub(super) use super::openai::nested as entry;

// Raising: the way back is made beside the rebuilt schema (`codec`).

// Tests.

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Dialect;
    use crate::dialect::tests::{all_required, there_and_back};

    #[test]
    fn a_tool_goes_there_and_a_call_comes_back() {
        there_and_back(
            Dialect::DeepSeekStrict,
            &json!([{"type": "function", "function": {"name": "create_order", "description": "Orders.",
                "parameters": all_required(), "strict": true}}]),
            &json!({"item no": 2, "labels": [{"key": "a", "value": "b"}]}),
        );
    }
}
