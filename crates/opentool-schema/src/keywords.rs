//! Which keywords of JSON Schema hold schemas, and about what.

use serde_json::Value;

/// References.
pub(crate) const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Keywords whose value holds schemas by name. The names are no keywords, whatever they look like.
pub(crate) fn holds_named(keyword: &str) -> bool {
    matches!(
        keyword,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" | "dependencies"
    )
}

/// Keywords whose value is data, never a schema. Asked of keywords only, not of names.
pub(crate) fn holds_data(keyword: &str) -> bool {
    matches!(keyword, "enum" | "const" | "default" | "examples" | "example")
}

/// The schemas inside `schema` that speak about the same value as it does, references not followed.
pub(crate) fn in_place(schema: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|keyword| schema.get(keyword)?.as_array());
    let single = ["not", "if", "then", "else"].into_iter().filter_map(|keyword| schema.get(keyword));
    let maps = ["dependentSchemas", "dependencies"].into_iter();
    let maps = maps.filter_map(|keyword| schema.get(keyword)?.as_object()).flat_map(|map| map.values());
    lists.flatten().chain(single).chain(maps).filter(|inner| inner.is_object() || inner.is_boolean())
}
