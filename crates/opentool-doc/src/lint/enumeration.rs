//! Rules about `enum`.

use std::collections::HashSet;

use opentool_text::{Members, Tree};
use serde_json::{Number, Value};

use super::{Culprit, Lint, rule};
use crate::SchemaType;
use crate::words::{found, literal};

impl<'d> Lint<'d> {
    pub(super) fn enumeration(&mut self, object: &'d Members<'d>, kind: Option<SchemaType>) {
        let Some(value) = super::document::present(object, "enum") else { return };
        self.within("enum", |lint| {
            let Tree::Array(values) = value else {
                return lint.not_a(
                    value,
                    "enum",
                    "a list",
                    "write the allowed values: `\"enum\": [\"a\", \"b\"]`",
                );
            };
            if values.is_empty() {
                let message = "an empty `enum` would allow nothing; it is read as if it were not there";
                lint.found(
                    rule::EMPTY_ENUM,
                    Culprit::Value,
                    message,
                    "list the allowed values, or remove `enum`",
                );
            }
            let mut seen = HashSet::new();
            for (index, value) in values.iter().enumerate() {
                lint.within_item(index, |lint| {
                    if let Some(kind) = kind {
                        lint.enum_value(value, kind);
                    }
                    if !seen.insert(Meaning::of(value)) {
                        let message = format!("{} stands in `enum` twice", literal(value));
                        let help = match value {
                            Tree::Number(_) => "remove one of the two; 1 and 1.0 are one number",
                            _ => "remove one of the two",
                        };
                        lint.found(rule::DUPLICATE_ENUM, Culprit::Value, message, help);
                    }
                });
            }
        });
    }

    fn enum_value(&mut self, value: &Tree<'_>, kind: SchemaType) {
        if value.is_null() || kind.takes(value) {
            return;
        }
        let message = format!("`enum` holds {}, and `type` is `{kind}`", found(value));
        let help = match (kind, value) {
            (SchemaType::String, Tree::Number(_) | Tree::Bool(_)) => {
                format!("put it into quotes: `\"{value}\"`")
            }
            (_, Tree::String(text)) => match serde_json::from_str::<Value>(text) {
                Ok(meant) if kind.fits(&meant) => format!("write it without quotes: `{meant}`"),
                _ => format!("remove it, or change `type`: every value must be {}", article(kind)),
            },
            (SchemaType::Integer, Tree::Number(_)) => "set `\"type\": \"number\"`".to_owned(),
            _ => format!("remove it, or change `type`: every value must be {}", article(kind)),
        };
        self.found(rule::ENUM_TYPE, Culprit::Value, message, help);
    }
}

/// A value as it is compared: numbers by what they are and not by how they are written, objects without their order.
#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Meaning<'d> {
    Null,
    Bool(bool),
    Whole(i128),
    /// The bits of a number that is not whole, or beyond all integers.
    Float(u64),
    Text(&'d str),
    List(Vec<Meaning<'d>>),
    Object(Vec<(&'d str, Meaning<'d>)>),
}

impl<'d> Meaning<'d> {
    fn of(value: &'d Tree<'d>) -> Self {
        match value {
            Tree::Null => Self::Null,
            Tree::Bool(value) => Self::Bool(*value),
            Tree::Number(number) => Self::of_number(number),
            Tree::String(text) => Self::Text(text),
            Tree::Array(items) => Self::List(items.iter().map(Self::of).collect()),
            Tree::Object(members) => {
                let mut members: Vec<_> =
                    members.iter().map(|(name, member)| (name, Self::of(member))).collect();
                members.sort_unstable();
                Self::Object(members)
            }
        }
    }

    fn of_number(number: &Number) -> Self {
        /// Beyond it there are no integers of 64 bits, and within it every whole double is exact as one of 128.
        const INTEGERS: f64 = 18_446_744_073_709_551_616.0;
        if let Some(whole) = number.as_i128() {
            return Self::Whole(whole);
        }
        let float = number.as_f64().unwrap_or_default();
        if float.fract() == 0.0 && float.abs() < INTEGERS {
            Self::Whole(float as i128)
        } else {
            Self::Float(float.to_bits())
        }
    }
}

fn article(kind: SchemaType) -> &'static str {
    match kind {
        SchemaType::Boolean => "a boolean",
        SchemaType::Integer => "an integer",
        SchemaType::Number => "a number",
        SchemaType::String => "a string",
        SchemaType::Array => "an array",
        SchemaType::Object => "an object",
    }
}
