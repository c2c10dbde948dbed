//! OpenAI's strict mode (structured outputs), in both APIs.
//!
//! Every object closed, every property required, alternatives as `anyOf` only, `$ref` alone and to a definition.

use super::rules::{Objects, Rules, STRICT, Sizes};

// Rules.

pub(super) const RULES: Rules = Rules {
    root_properties: true,
    keywords: Some(&[
        "type",
        "title",
        "description",
        "enum",
        "const",
        "anyOf",
        "$ref",
        "$defs",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "format",
    ]),
    formats: Some(&["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]),
    objects: Objects { all_required: true, ..STRICT.objects },
    sizes: Sizes { depth: 10, properties: 5_000, values: 1_000, characters: 120_000, long_enum: 15_000 },
    description: super::openai::RULES.description,
    tools: super::openai::RULES.tools,
    ..STRICT
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
            Dialect::OpenAiStrict,
            &json!([{"type": "function", "function": {"name": "create_order", "description": "Orders.",
                "parameters": all_required(), "strict": true}}]),
            &json!({"item no": 2, "labels": [{"key": "a", "value": "b"}]}),
        );
        there_and_back(
            Dialect::OpenAiResponsesStrict,
            &json!([{"type": "function", "name": "create_order", "description": "Orders.",
                "parameters": all_required(), "strict": true}]),
            &json!({"item no": 2, "labels": [{"key": "a", "value": "b"}]}),
        );
    }
}
