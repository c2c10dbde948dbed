//! Properties and definitions may be named like keywords: what stands under such a name is a schema like any other.

use serde_json::{Map, Value, json};

use super::Case;
use super::law::breaks;

const KEYWORDS: [&str; 32] = [
    "default",
    "const",
    "enum",
    "example",
    "examples",
    "properties",
    "patternProperties",
    "additionalProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
    "items",
    "prefixItems",
    "contains",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "type",
    "format",
    "pattern",
    "required",
    "description",
    "title",
    "nullable",
    "$ref",
    "$id",
    "id",
];

fn by_name<'n>(names: impl Iterator<Item = &'n str>, make: impl Fn(&str) -> Value) -> Value {
    names.map(|name| (name.to_owned(), make(name))).collect::<Map<_, _>>().into()
}

fn case(name: &str, schema: Value, valid: Value, invalid: Value) -> Case {
    Case { name: name.to_owned(), schema, valid: vec![valid], invalid: vec![invalid] }
}

/// An object with an integer under `n`.
fn counted() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false})
}

fn object(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
    json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false})
}

#[test]
fn names_of_keywords_are_names() {
    let all = || KEYWORDS.into_iter();
    let one = |value: Value| by_name(all(), |_| json!({"n": value}));
    let (good, bad) = (one(json!(1)), one(json!("x")));

    let mut defined = object(by_name(all(), |name| json!({"$ref": format!("#/$defs/{name}")})));
    defined["$defs"] = by_name(all(), |_| counted());

    // References to anchors inside of what is named so.
    let anchor = |name: &str| format!("a{}", KEYWORDS.iter().position(|known| *known == name).unwrap());
    let mut anchored = object(by_name(all(), |name| json!({"$ref": format!("#{}", anchor(name))})));
    anchored["$defs"] = by_name(all(), |name| {
        let mut definition = counted();
        definition["$anchor"] = anchor(name).into();
        definition
    });

    // A root that is wrapped, so that the references into it move along.
    let inner = by_name(all(), |name| match name {
        "format" => counted(),
        _ => json!({"$ref": "#/anyOf/0/properties/format"}),
    });
    let wrapped =
        json!({"type": "object", "anyOf": [object(inner), object(json!({"z": {"type": "boolean"}}))]});

    let cases = [
        case("defined", defined, good.clone(), bad.clone()),
        case("anchored", anchored, good.clone(), bad.clone()),
        case("wrapped", wrapped, good, bad),
    ];
    let broken: Vec<String> = cases.iter().flat_map(breaks).collect();
    assert!(broken.is_empty(), "{} breaks:\n{}", broken.len(), broken.join("\n"));
}
