//! Anthropic's strict tools: closed objects, optional properties allowed, no recursion, few constraints.

use super::rules::{References, Request, Rules, STRICT};

// Rules.

pub(super) const RULES: Rules = Rules {
    names: super::anthropic::RULES.names,
    properties: super::anthropic::RULES.properties,
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
        "minItems",
        "format",
    ]),
    formats: Some(&[
        "date-time",
        "time",
        "date",
        "duration",
        "email",
        "hostname",
        "uri",
        "ipv4",
        "ipv6",
        "uuid",
    ]),
    references: References::AloneNoCircle,
    min_items: Some(1),
    request: Some(Request { strict_tools: 20, optional: 24, unions: 16 }),
    ..STRICT
};

// Lowering.

pub(super) use super::anthropic::entry;

// Raising: the way back is made beside the rebuilt schema (`codec`).

// Tests.

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Dialect;
    use crate::dialect::tests::{entries, schema, there_and_back};

    #[test]
    fn a_tool_goes_there_and_a_call_comes_back() {
        there_and_back(
            Dialect::AnthropicStrict,
            &json!([{"name": "create_order", "description": "Orders.",
                "input_schema": schema("item_no", &entries(), &["item_no"]), "strict": true}]),
            &json!({"item_no": 2, "labels": [{"key": "a", "value": "b"}]}),
        );
    }
}
