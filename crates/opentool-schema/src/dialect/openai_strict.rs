//! OpenAI's strict mode (structured outputs), in both APIs.
//!
//! Every object closed, every property required, alternatives as `anyOf` only, `$ref` alone and to a definition.

use super::rules::{Objects, Rules, STRICT, Sizes};

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
