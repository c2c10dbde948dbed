//! Bedrock Converse: `{"toolSpec":{"name","description","inputSchema":{"json"},"strict"?}}`.
//!
//! Its strict mode closes objects and leaves properties optional; numeric bounds and most counts are refused.

use serde_json::{Value, json};

use super::Entry;
use super::rules::{KEPT, References, Rules, STRICT};

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

pub(super) fn entry(entry: Entry<'_>) -> Value {
    let mut spec = entry.named();
    // An empty description is refused, none is not.
    spec.insert("inputSchema".to_owned(), json!({"json": entry.schema}));
    if let Some(strict) = entry.strict {
        spec.insert("strict".to_owned(), strict.into());
    }
    json!({"toolSpec": spec})
}
