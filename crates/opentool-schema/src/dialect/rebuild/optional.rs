//! Optional properties where everything is required: `null` stands for absent.
//!
//! Where `null` is a value of its own, it gets another form, unless for this tool the two are the same: its default
//! is `null`, or it is a Rust function, for which both are `None`.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::flat::NULL;
use super::node::with_null;
use super::{Made, Rebuild, Spot, Stop, Sub, single};
use crate::dialect::codec::Codec;
use crate::dialect::lower::Effect;
use crate::dialect::rules::References;

/// Alternatives that are looked at to find whether a definition that is not made yet takes `null`.
const LOOKED_AT: usize = 200;
/// Levels of optional references that are written out inside each other, where `null` could not stand beside them.
const WRITTEN_OUT: usize = 2;
/// What it costs to put a value under a name: an object for it, of four keywords.
const WRAPPED: usize = 30;
const ABOUT: &str = "The value null. Plain null stands for: not given.";

impl<'r> Rebuild<'r, '_> {
    /// The property with `null` for absent.
    pub(super) fn optional(&mut self, made: Made, all: &[Sub<'r>], spot: &Spot<'r>) -> Result<Made, Stop> {
        let made = self.referable(made, all, spot)?;
        if self.is_bare_reference(&made) {
            return Ok(self.wrapped(made));
        }
        if !self.takes_null(&made.schema)? {
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
        self.bound_those_in_work()?;
        for (mark, schema) in marks {
            let apart = match schema.as_object() {
                Some(schema) => self.are_disjoint(schema, &made.schema)?,
                None => false,
            };
            if apart {
                let codec = Codec::NullMark(mark, Box::new(made.codec));
                return Ok(Made { schema: or(made.schema, schema), codec });
            }
        }
        // Anything may stand there.
        Ok(self.wrapped(made))
    }

    /// The value under a name: `null` outside of it is free.
    fn wrapped(&mut self, made: Made) -> Made {
        self.work.owe(WRAPPED);
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), single("value", made.schema));
        schema.insert("required".to_owned(), json!(["value"]));
        schema.insert("additionalProperties".to_owned(), false.into());
        Made { schema: with_null(schema), codec: Codec::Wrapped("value".to_owned(), Box::new(made.codec)) }
    }

    /// The property in a form that may stand in alternatives. Inside of what was written out for that some levels deep it
    /// stays a reference: definitions that refer to each other would be written out in all ways.
    fn referable(&mut self, made: Made, all: &[Sub<'r>], spot: &Spot<'r>) -> Result<Made, Stop> {
        if !self.is_bare_reference(&made) || self.written_out >= WRITTEN_OUT {
            return Ok(made);
        }
        self.written_out = self.written_out.saturating_add(1);
        let written = self.node(all, &spot.inner(1).in_union());
        self.written_out = self.written_out.saturating_sub(1);
        Ok(written?.unwrap_or(made))
    }

    /// Whether this is a reference that may not stand in alternatives.
    fn is_bare_reference(&self, made: &Made) -> bool {
        self.rules.references == References::AloneOutsideUnions && made.schema.contains_key("$ref")
    }

    /// Whether a lowered schema accepts `null`.
    fn takes_null(&mut self, schema: &Map<String, Value>) -> Result<bool, Stop> {
        // Definitions on the way, each looked at once: a way back to one of them accepts nothing more.
        let (mut within, mut in_work) = (HashSet::new(), Vec::new());
        let name = definition_of(schema);
        if let Some(known) = name.and_then(|name| self.known_null(name)) {
            return Ok(known);
        }
        let mut looks = 0;
        let takes = self.takes_null_within(schema, &mut within, &mut in_work, &mut looks);
        self.spend(looks, "")?;
        if let Some(name) = name.filter(|_| takes || in_work.is_empty()) {
            self.know_null(name, takes);
        }
        if takes {
            return Ok(true);
        }
        let mut left = LOOKED_AT;
        for sub in in_work {
            if self.may_be_null(&[sub], &mut Vec::new(), &mut left)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The same, but for definitions that are not made yet.
    fn takes_null_within<'s>(
        &'s self,
        schema: &'s Map<String, Value>,
        within: &mut HashSet<&'s str>,
        in_work: &mut Vec<Sub<'r>>,
        looks: &mut usize,
    ) -> bool {
        // An own stack: definitions may refer to each other in long rows.
        let mut open = vec![schema];
        while let Some(schema) = open.pop() {
            *looks = looks.saturating_add(2);
            if let Some(name) = definition_of(schema) {
                if within.insert(name) {
                    match self.defined(name) {
                        Some(Ok(made)) => open.push(made),
                        Some(Err(sub)) => in_work.push(sub),
                        None => return true,
                    }
                }
                continue;
            }
            if let Some(Value::Array(branches)) = schema.get("anyOf") {
                open.extend(branches.iter().rev().filter_map(Value::as_object));
                continue;
            }
            let typed = match schema.get("type") {
                Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "null"),
                Some(kind) => kind == "null",
                None => true,
            };
            let listed = match schema.get("enum").and_then(Value::as_array) {
                Some(values) => typed && values.contains(&Value::Null),
                None => schema.get("const").is_none_or(Value::is_null),
            };
            if typed && listed {
                return true;
            }
        }
        false
    }

    /// Whether schemas accept `null`, as they came; where in doubt, yes. `above` are the alternatives around them: a way
    /// back to one of them accepts nothing more.
    fn may_be_null(
        &mut self,
        all: &[Sub<'r>],
        above: &mut Vec<*const Value>,
        left: &mut usize,
    ) -> Result<bool, Stop> {
        *left = left.saturating_sub(1);
        if *left == 0 || self.is_too_deep() {
            return Ok(true);
        }
        let spot = Spot { level: 0, open: None, place: super::Where::Inside };
        let flat = match self.flatten(all, &spot) {
            Ok(flat) => flat,
            Err(Stop::Circle(_)) => return Ok(true),
            Err(error) => return Err(error),
        };
        if flat.kinds & NULL == 0 {
            return Ok(false);
        }
        if self.values(&flat)?.is_some_and(|values| !values.iter().any(|value| value.is_null())) {
            return Ok(false);
        }
        for union in &flat.unions {
            let mut any = false;
            for branch in &union.branches {
                // A branch is known by its first schema; one without any takes everything.
                let Some(first) = branch.first().map(|sub| std::ptr::from_ref(sub.schema)) else {
                    any = true;
                    break;
                };
                if !above.contains(&first) {
                    above.push(first);
                    any = self.deeper(|making| making.may_be_null(branch, above, left))?;
                    above.pop();
                    if any {
                        break;
                    }
                }
            }
            if !any {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The name of the definition that a lowered schema refers to.
fn definition_of(schema: &Map<String, Value>) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str)?.strip_prefix("#/$defs/")
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
    outer.insert("anyOf".to_owned(), Value::Array(vec![Value::Object(schema), other]));
    outer
}
