//! Argument values as text, by their shape.

use std::borrow::Cow;

use serde_json::{Number, Value};

/// A value as the styles see it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shape<'a> {
    /// `null`, and lists and objects that hold nothing: the parameter is left out.
    Undefined,
    /// A string, number or boolean.
    Scalar(Cow<'a, str>),
    /// A list of texts, at least one.
    List(Vec<Cow<'a, str>>),
    /// Names and texts, at least one, in the order in which they were given.
    Record(Vec<(&'a str, Cow<'a, str>)>),
}

impl<'a> Shape<'a> {
    /// The shape of `value`; `schema` tells whole numbers from others.
    pub(super) fn of(value: &'a Value, schema: &Value) -> Self {
        match value {
            Value::Null => Self::Undefined,
            Value::Array(items) => {
                let items: Vec<_> =
                    items.iter().filter_map(|item| text(item, child(schema, "items"))).collect();
                if items.is_empty() { Self::Undefined } else { Self::List(items) }
            }
            Value::Object(members) => {
                let members: Vec<_> = members
                    .iter()
                    .filter_map(|(name, value)| {
                        Some((name.as_str(), text(value, child(child(schema, "properties"), name))?))
                    })
                    .collect();
                if members.is_empty() { Self::Undefined } else { Self::Record(members) }
            }
            scalar => text(scalar, schema).map_or(Self::Undefined, Self::Scalar),
        }
    }
}

/// The text of a value where only text can stand; nested lists and objects are written as JSON. `None` for `null`.
pub(super) fn text<'a>(value: &'a Value, schema: &Value) -> Option<Cow<'a, str>> {
    Some(match value {
        Value::Null => return None,
        Value::String(text) => text.as_str().into(),
        Value::Bool(true) => "true".into(),
        Value::Bool(false) => "false".into(),
        Value::Number(number) => number_text(number, schema).into(),
        nested => nested.to_string().into(),
    })
}

/// JSON Schema says that `5.0` is an integer; a server that parses `petId=5.0` as one says otherwise. Beyond 64 bits
/// a double has no last digits, and none are made up.
fn number_text(number: &Number, schema: &Value) -> String {
    let whole = number.as_f64().filter(|float| {
        number.is_f64()
            && float.fract() == 0.0
            && float.abs() < 18_446_744_073_709_551_616.0
            && is_integer(schema)
    });
    whole.map_or_else(|| number.to_string(), |float| format!("{float:.0}"))
}

fn is_integer(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == "integer",
        Some(Value::Array(names)) => {
            names.iter().any(|name| name == "integer") && names.iter().all(|name| name != "number")
        }
        _ => false,
    }
}

pub(super) fn child<'a>(schema: &'a Value, key: &str) -> &'a Value {
    schema.get(key).unwrap_or(&Value::Null)
}

/// What a value is, for messages.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
