//! Optional properties where everything is required: `null` stands for absent.
//!
//! Where `null` is a value of its own, it gets another form, unless for this tool the two are the same: its default
//! is `null`, or it is a Rust function, for which both are `None`.

use serde_json::{Map, Value, json};

use super::flat::{Flat, NULL};
use super::node::with_null;
use super::{Made, Rebuild, Spot, Stop, Sub};
use crate::dialect::codec::{Codec, disjoint};
use crate::dialect::lower::Effect;
use crate::dialect::rules::References;

const ABOUT: &str = "The value null. Plain null stands for: not given.";

impl<'r> Rebuild<'r, '_> {
    /// The property with `null` for absent.
    pub(super) fn optional(&mut self, made: Made, all: &[Sub<'r>], spot: &Spot) -> Result<Made, Stop> {
        let made = self.referable(made, all, spot)?;
        if !self.takes_null(&made.schema) {
            return Ok(Made { schema: with_null(made.schema), codec: made.codec });
        }
        let default = all.iter().find_map(|sub| sub.get("default"));
        if self.null_is_absent || default.is_some_and(Value::is_null) {
            let pointer = all.first().map(|sub| sub.pointer.to_string()).unwrap_or_default();
            self.note(&pointer, "type", Effect::Exact, "`null` is read as absent, which is the same here");
            return Ok(made);
        }
        let marks = [
            (json!("null"), json!({"type": "string", "description": ABOUT, "enum": ["null"]})),
            (
                json!({"value": null}),
                json!({
                    "type": "object",
                    "description": ABOUT,
                    "properties": {"value": {"type": "null"}},
                    "required": ["value"],
                    "additionalProperties": false,
                }),
            ),
        ];
        self.bound_those_in_work();
        for (mark, schema) in marks {
            let apart = schema
                .as_object()
                .is_some_and(|schema| disjoint(schema, &made.schema, &|name| self.shape(name)));
            if apart {
                let codec = Codec::NullMark(mark, Box::new(made.codec));
                return Ok(Made { schema: or(made.schema, schema), codec });
            }
        }
        // Anything may stand there: the value gets a name, and `null` outside of it is free.
        let mut wrapped = Map::new();
        wrapped.insert("type".to_owned(), "object".into());
        wrapped.insert("properties".to_owned(), json!({"value": made.schema}));
        wrapped.insert("required".to_owned(), json!(["value"]));
        wrapped.insert("additionalProperties".to_owned(), false.into());
        let codec = Codec::Wrapped("value".to_owned(), Box::new(made.codec));
        Ok(Made { schema: with_null(wrapped), codec })
    }

    /// The property in a form that may stand in alternatives.
    fn referable(&mut self, made: Made, all: &[Sub<'r>], spot: &Spot) -> Result<Made, Stop> {
        let bare =
            self.rules.references == References::AloneOutsideUnions && made.schema.contains_key("$ref");
        if !bare {
            return Ok(made);
        }
        Ok(self.node(all, &spot.inner(1).in_union())?.unwrap_or(made))
    }

    /// Whether a lowered schema accepts `null`.
    fn takes_null(&mut self, schema: &Map<String, Value>) -> bool {
        self.takes_null_within(schema, &mut Vec::new())
    }

    /// The same, inside of these definitions: a way back to one of them accepts nothing more.
    fn takes_null_within(&mut self, schema: &Map<String, Value>, within: &mut Vec<String>) -> bool {
        if let Some(Value::String(reference)) = schema.get("$ref") {
            let name = reference.strip_prefix("#/$defs/").unwrap_or_default();
            if let Some(target) = self.defined(name).cloned() {
                if within.iter().any(|seen| seen == name) {
                    return false;
                }
                within.push(name.to_owned());
                // Never taken off again: looking at a definition a second time would say the same.
                return self.takes_null_within(&target, within);
            }
            return self.in_work(name).is_none_or(|sub| self.may_be_null(&[sub]));
        }
        if let Some(Value::Array(branches)) = schema.get("anyOf") {
            return branches.iter().any(|branch| {
                branch.as_object().is_some_and(|branch| self.takes_null_within(branch, within))
            });
        }
        let typed = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "null"),
            Some(kind) => kind == "null",
            None => true,
        };
        let listed = match schema.get("enum").and_then(Value::as_array) {
            Some(values) => values.contains(&Value::Null),
            None => schema.get("const").is_none_or(Value::is_null),
        };
        typed && listed
    }

    /// Whether schemas accept `null`, as they came; where in doubt, yes.
    fn may_be_null(&mut self, all: &[Sub<'r>]) -> bool {
        let spot = Spot { level: 0, open: None, place: super::Where::Inside };
        let Ok(flat) = self.flatten(all, &spot) else { return true };
        self.flat_may_be_null(&flat)
    }

    fn flat_may_be_null(&mut self, flat: &Flat<'r>) -> bool {
        flat.kinds & NULL != 0
            && self.values(flat).is_none_or(|values| values.iter().any(|value| value.is_null()))
            && flat.unions.iter().all(|union| union.branches.iter().any(|branch| self.may_be_null(branch)))
    }
}

/// The schema or another one.
fn or(mut schema: Map<String, Value>, other: Value) -> Map<String, Value> {
    if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
        branches.push(other);
        return schema;
    }
    let mut outer = Map::new();
    for text in ["title", "description"] {
        if let Some(text_of) = schema.shift_remove(text) {
            outer.insert(text.to_owned(), text_of);
        }
    }
    outer.insert("anyOf".to_owned(), json!([schema, other]));
    outer
}
