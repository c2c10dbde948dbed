//! Rules about `enum`.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{Culprit, Lint, rule};
use crate::SchemaType;
use crate::words::{found, literal};

impl<'d> Lint<'d> {
    pub(super) fn enumeration(&mut self, object: &'d Map<String, Value>, kind: Option<SchemaType>) {
        let Some(value) = super::document::present(object, "enum") else { return };
        self.within("enum", |lint| {
            let Value::Array(values) = value else {
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
            // Comparing texts is what makes long lists cheap.
            let mut seen = HashSet::new();
            for (index, value) in values.iter().enumerate() {
                lint.within_item(index, |lint| {
                    if let Some(kind) = kind {
                        lint.enum_value(value, kind);
                    }
                    if !seen.insert(value.to_string()) {
                        let message = format!("{} stands in `enum` twice", literal(value));
                        lint.found(rule::DUPLICATE_ENUM, Culprit::Value, message, "remove one of the two");
                    }
                });
            }
        });
    }

    fn enum_value(&mut self, value: &Value, kind: SchemaType) {
        if value.is_null() || kind.fits(value) {
            return;
        }
        let message = format!("`enum` holds {}, and `type` is `{kind}`", found(value));
        let help = match (kind, value) {
            (SchemaType::String, Value::Number(_) | Value::Bool(_)) => {
                format!("put it into quotes: `\"{value}\"`")
            }
            (_, Value::String(text)) => match serde_json::from_str::<Value>(text) {
                Ok(meant) if kind.fits(&meant) => format!("write it without quotes: `{meant}`"),
                _ => format!("remove it, or change `type`: every value must be {}", article(kind)),
            },
            (SchemaType::Integer, Value::Number(_)) => "set `\"type\": \"number\"`".to_owned(),
            _ => format!("remove it, or change `type`: every value must be {}", article(kind)),
        };
        self.found(rule::ENUM_TYPE, Culprit::Value, message, help);
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
