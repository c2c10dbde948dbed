//! DeepSeek's strict mode, served under `/beta`: the form of Chat Completions.
//!
//! As OpenAI's, and a type, `anyOf` or `$ref` in every schema, no tuple, no map, no empty object below the root, no
//! `$ref` directly in `anyOf`.

use super::rules::{ANY_SIZE, Objects, References, Rules};

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
