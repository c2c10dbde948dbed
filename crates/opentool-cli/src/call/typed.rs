//! `key=value` without quotes: which JSON value a text stands for, by the schema of the argument.
//!
//! Only what the schema makes unambiguous is turned into something else than text; what fits nothing stays text, so
//! that validation says what was expected.

use serde_json::Value;

use crate::render::reference;

/// The types that a schema lets through, as far as they matter here.
#[derive(Debug, Clone, Copy, Default)]
struct Types {
    text: bool,
    list: bool,
}

/// How many schemas are looked at for one argument. Documents are hostile: branches may lead back to each other.
const BUDGET: usize = 256;

/// How many lists within lists one item may stand for.
const NESTING: usize = 4;

/// The value that `text` stands for.
pub(super) fn value(text: &str, schema: Option<&Value>, root: &Value) -> Value {
    nested(text, schema, root, NESTING)
}

fn nested(text: &str, schema: Option<&Value>, root: &Value, nesting: usize) -> Value {
    let types = schema.map_or(Types::default(), |schema| types(schema, root));
    let parsed = || serde_json::from_str::<Value>(text).ok();
    let literal = || Value::String(text.to_owned());
    if types.text {
        return literal();
    }
    if types.list && nesting > 0 {
        let list = parsed().filter(Value::is_array);
        return list.unwrap_or_else(|| {
            // One item stands for a list of one.
            let items = schema.and_then(|schema| resolved(schema, root).get("items"));
            Value::Array(vec![nested(text, items, root, nesting - 1)])
        });
    }
    // The schema wants JSON, or leaves everything open: then what reads as JSON is JSON.
    parsed().unwrap_or_else(literal)
}

/// Whether the argument may be text.
pub(super) fn takes_text(schema: &Value, root: &Value) -> bool {
    types(schema, root).text
}

/// Whether a key that is given more than once makes a list.
pub(super) fn is_list(schema: Option<&Value>, root: &Value) -> bool {
    schema.is_some_and(|schema| {
        let types = types(schema, root);
        types.list && !types.text
    })
}

/// Whether the argument, or an item of its list, may be bytes: the schema of an API's upload offers `$base64`.
pub(super) fn takes_bytes(schema: &Value, root: &Value) -> bool {
    let offers = |schema: &Value| {
        let branches = ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(key)?.as_array());
        branches.flatten().any(|branch| branch.pointer("/properties/$base64").is_some())
    };
    let schema = resolved(schema, root);
    offers(schema) || schema.get("items").is_some_and(|items| offers(resolved(items, root)))
}

fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut schema = schema;
    // As many hops as anyone writes; a circle ends.
    for _ in 0..8 {
        match reference(schema, root) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

fn types(schema: &Value, root: &Value) -> Types {
    let mut found = Types::default();
    let mut left = vec![schema];
    for _ in 0..BUDGET {
        let Some(schema) = left.pop() else { break };
        let schema = resolved(schema, root);
        found.add_own(schema);
        let branches = ["oneOf", "anyOf", "allOf"].iter().filter_map(|key| schema.get(key)?.as_array());
        left.extend(branches.flatten().take(BUDGET));
    }
    found
}

impl Types {
    /// What the schema itself says, without its branches.
    fn add_own(&mut self, schema: &Value) {
        let named: Vec<&str> = match schema.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let constants = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        let constants = constants.chain(schema.get("const")).filter(|_| named.is_empty());
        // Numbers, booleans, objects and null are written as JSON: nothing to remember.
        self.text |= named.contains(&"string") || constants.clone().any(Value::is_string);
        self.list |= named.contains(&"array") || constants.clone().any(Value::is_array);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::value;

    #[test]
    fn the_schema_says_what_a_text_is() {
        let root = json!({"$defs": {
            "Id": {"type": "integer"},
            "Loop": {"$ref": "#/$defs/Loop"},
            "Deep": {"type": "array", "items": {"$ref": "#/$defs/Deep"}},
            "Wide": {"anyOf": vec![json!({"$ref": "#/$defs/Wide"}); 100]},
        }});
        let cases: &[(&str, Value, Value)] = &[
            ("2", json!({"type": "integer"}), json!(2)),
            ("2", json!({"type": "string"}), json!("2")),
            ("2", json!({"type": ["string", "integer"]}), json!("2")),
            ("null", json!({"type": ["string", "null"]}), json!("null")),
            ("null", json!({"type": ["integer", "null"]}), json!(null)),
            ("two", json!({"type": "integer"}), json!("two")),
            ("true", json!({"type": "boolean"}), json!(true)),
            ("7", json!({"$ref": "#/$defs/Id"}), json!(7)),
            ("7", json!({"$ref": "#/$defs/Loop"}), json!(7)),
            ("7", json!({"$ref": "#/$defs/Wide"}), json!(7)),
            ("7", json!({"$ref": "#/$defs/Deep"}), json!([[[[7]]]])),
            ("a", json!({"type": "array", "items": {"type": "string"}}), json!(["a"])),
            ("1", json!({"type": "array", "items": {"type": "string"}}), json!(["1"])),
            ("1", json!({"type": "array", "items": {"type": "integer"}}), json!([1])),
            ("[1,2]", json!({"type": "array", "items": {"type": "integer"}}), json!([1, 2])),
            ("{\"a\":1}", json!({"type": "object"}), json!({"a": 1})),
            ("1", json!({"enum": ["1", "2"]}), json!("1")),
            ("1", json!({"enum": [1, 2]}), json!(1)),
            ("5", json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), json!("5")),
            ("5", json!({}), json!(5)),
            ("007", json!({}), json!("007")),
            ("", json!({"type": "integer"}), json!("")),
        ];
        for (text, schema, expected) in cases {
            assert_eq!(value(text, Some(schema), &root), *expected, "{text} as {schema}");
        }
        assert_eq!(value("x", None, &root), json!("x"));
    }
}
