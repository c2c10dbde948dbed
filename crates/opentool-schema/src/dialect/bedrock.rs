//! Bedrock Converse: `{"toolSpec":{"name","description","inputSchema":{"json"},"strict"?}}`.
//!
//! Its strict mode closes objects and leaves properties optional; numeric bounds and most counts are refused.

use serde_json::{Value, json};

use super::Entry;
use super::rules::{KEPT, References, Rules, STRICT};

// Rules.

pub(super) const RULES: Rules = KEPT;

pub(super) const STRICT_RULES: Rules = Rules {
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
        "minLength",
        "maxLength",
        "pattern",
        "format",
    ]),
    formats: super::anthropic_strict::RULES.formats,
    references: References::AloneNoCircle,
    min_items: Some(1),
    ..STRICT
};

// Lowering.

pub(super) fn entry(entry: Entry<'_>) -> Value {
    let mut spec = entry.named();
    // An empty description is refused, none is not.
    spec.insert("inputSchema".to_owned(), json!({"json": entry.schema}));
    if let Some(strict) = entry.strict {
        spec.insert("strict".to_owned(), strict.into());
    }
    json!({"toolSpec": spec})
}

// Raising: arguments are the tool's own, but for a root that stands under a name; in strict mode as the rebuilt
// schema says (`codec`).

// Tests.

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::dialect::tests::{entries, plain, schema, there_and_back};
    use crate::{Dialect, LowerOptions, Strict};

    #[test]
    fn a_tool_goes_there_and_a_call_comes_back() {
        there_and_back(
            Dialect::Bedrock,
            &json!([{"toolSpec": {"name": "create_order", "description": "Orders.",
                "inputSchema": {"json": plain()}}}]),
            &json!({"item no": 2, "labels": {"a": "b"}}),
        );
        there_and_back(
            LowerOptions::new(Dialect::Bedrock).strict(Strict::Always),
            &json!([{"toolSpec": {"name": "create_order", "description": "Orders.",
                "inputSchema": {"json": schema("item no", &entries(), &["item no"])}, "strict": true}}]),
            &json!({"item no": 2, "labels": [{"key": "a", "value": "b"}]}),
        );
    }
}
