//! Anthropic's strict tools: closed objects, optional properties allowed, no recursion, few constraints.

use super::rules::{References, Request, Rules, STRICT};

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
