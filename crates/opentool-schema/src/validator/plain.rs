//! A shortcut for the most common schemas: an object of plain values.
//!
//! It knows only one word, "surely yes". Whatever it does not know is the compiled schema's business, so that it
//! never decides against arguments and never explains. An integer is one that was written as an integer.

use serde_json::{Map, Value};

/// More properties than this are looked up faster by the compiled schema.
const MAX_PROPERTIES: usize = 16;

/// A schema of an object whose properties are plain.
#[derive(Debug)]
pub(super) struct Plain {
    properties: Vec<Property>,
}

#[derive(Debug)]
struct Property {
    name: Box<str>,
    kind: Kind,
    required: bool,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Boolean,
    String,
    Number,
    /// Within these bounds, both included.
    Integer(i64, i64),
}

impl Plain {
    /// The shortcut for a schema, where one is known.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        let schema = schema.as_object()?;
        let known = ["type", "properties", "required", "additionalProperties", "title", "description"];
        let only_known = schema.keys().all(|keyword| known.contains(&keyword.as_str()));
        let closed = schema.get("additionalProperties").is_none_or(|more| *more == Value::Bool(false));
        if !only_known || !closed || schema.get("type")? != "object" {
            return None;
        }
        let named = schema.get("properties")?.as_object()?;
        if named.len() > MAX_PROPERTIES {
            return None;
        }
        let mut properties = Vec::with_capacity(named.len());
        for (name, property) in named {
            let kind = kind(property.as_object()?)?;
            properties.push(Property { name: name.as_str().into(), kind, required: false });
        }
        for name in schema.get("required").map_or(Some(&Vec::new()), Value::as_array)? {
            properties.iter_mut().find(|property| *name == *property.name)?.required = true;
        }
        Some(Self { properties })
    }

    /// Whether the schema surely accepts the arguments.
    pub(super) fn accepts(&self, arguments: &Map<String, Value>) -> bool {
        let mut missing = self.properties.iter().filter(|property| property.required).count();
        for (name, value) in arguments {
            let Some(property) = self.properties.iter().find(|property| *property.name == **name) else {
                return false;
            };
            if !property.kind.holds(value) {
                return false;
            }
            missing = missing.saturating_sub(usize::from(property.required));
        }
        missing == 0
    }
}

impl Kind {
    fn holds(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Boolean, Value::Bool(_))
            | (Self::String, Value::String(_))
            | (Self::Number, Value::Number(_)) => true,
            (Self::Integer(least, most), Value::Number(number)) => {
                number.as_i64().is_some_and(|integer| (least..=most).contains(&integer))
            }
            _ => false,
        }
    }
}

fn kind(property: &Map<String, Value>) -> Option<Kind> {
    let told = ["type", "title", "description", "default", "examples"];
    let bounds = ["minimum", "maximum"];
    let integer = property.get("type")? == "integer";
    let only_known = property
        .keys()
        .all(|keyword| told.contains(&keyword.as_str()) || (integer && bounds.contains(&keyword.as_str())));
    if !only_known {
        return None;
    }
    let bound = |keyword: &str, without: i64| property.get(keyword).map_or(Some(without), Value::as_i64);
    Some(match property.get("type")?.as_str()? {
        "boolean" => Kind::Boolean,
        "string" => Kind::String,
        "number" => Kind::Number,
        "integer" => Kind::Integer(bound("minimum", i64::MIN)?, bound("maximum", i64::MAX)?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Plain;

    fn accepts(schema: &Value, arguments: &Value) -> bool {
        Plain::of(schema).unwrap().accepts(arguments.as_object().unwrap())
    }

    #[test]
    fn says_yes_only_where_the_compiled_schema_does() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": {"type": "integer", "minimum": -1, "maximum": 9},
                "b": {"type": "string", "description": "b"},
                "c": {"type": "number"},
                "d": {"type": "boolean", "default": true},
            },
            "required": ["a"],
            "additionalProperties": false,
        });
        let compiled = crate::Validator::new(&schema.clone().into()).unwrap();
        let values = [
            json!(-2),
            json!(-1),
            json!(9),
            json!(10),
            json!(1.0),
            json!("x"),
            json!(true),
            json!(null),
            json!([]),
        ];
        for name in ["a", "b", "c", "d", "e"] {
            for value in &values {
                let arguments = json!({"a": 1, name: value});
                if accepts(&schema, &arguments) {
                    assert!(compiled.compiled.is_valid(&arguments), "{arguments}");
                }
            }
        }
        assert!(accepts(&schema, &json!({"a": 9, "b": "", "c": 1, "d": false})));
        assert!(!accepts(&schema, &json!({"b": "without a"})));
    }

    #[test]
    fn does_not_know_what_it_does_not_know() {
        for schema in [
            json!(true),
            json!({"properties": {}}),
            json!({"type": "object"}),
            json!({"type": "object", "properties": {}, "minProperties": 1}),
            json!({"type": "object", "properties": {}, "required": ["a"]}),
            json!({"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}),
            json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "a"}}}),
            json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}),
            json!({"type": "object", "properties": {"a": {"type": "number", "minimum": 1}}}),
            json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 0.5}}}),
            json!({"type": "object", "properties": {"a": true}}),
        ] {
            assert!(Plain::of(&schema).is_none(), "{schema}");
        }
    }
}
