//! Schemas of the document, ready to judge values.

use opentool_core::Schema;
use opentool_schema::Validator;
use serde_json::{Map, Value, json};

use super::{Fault, view::View};
use crate::document::Document;
use crate::findings::Findings;
use crate::schema::definitions::attach;
use crate::schema::{Converter, Direction, Knowledge, Position};

/// How many bytes of definitions a schema carries. What is farther away allows anything.
const MOST_BYTES: usize = 1024 * 1024;

/// A schema in 2020-12 terms with all that it refers to.
#[derive(Debug)]
pub(super) struct Judge {
    schema: Value,
    /// None if the schema is too much for the validator.
    validator: Option<Validator>,
}

impl Judge {
    /// The judge of values that go to the service.
    pub(super) fn of(document: &Document, schema: &Value, place: &str) -> Self {
        Self::ready(convert(document, schema, place, Direction::Input))
    }

    /// The judge by a schema that needs nothing else.
    pub(super) fn ready(schema: Value) -> Self {
        let validator = Validator::new(&Schema::new(schema.clone())).ok();
        Self { schema, validator }
    }

    /// What it says about types.
    pub(super) fn view(&self) -> View<'_> {
        View::of(&self.schema)
    }

    /// Whether it says anything at all.
    pub(super) fn is_silent(&self) -> bool {
        self.schema.as_object().is_none_or(Map::is_empty)
    }

    /// Adds what is wrong with a value that stands at `base` in the request.
    pub(super) fn check(&self, value: &Value, base: &str, faults: &mut Vec<Fault>) {
        let Some(Err(invalid)) = self.validator.as_ref().map(|validator| validator.check(value)) else {
            return;
        };
        faults.extend(invalid.problems.into_iter().map(|problem| Fault::of_problem(base, problem)));
    }

    /// Whether it accepts the value.
    pub(super) fn accepts(&self, value: &Value) -> bool {
        self.validator.as_ref().is_none_or(|validator| validator.accepts(value))
    }
}

/// A schema of the document in 2020-12 terms, with all that it refers to.
pub(super) fn convert(document: &Document, schema: &Value, place: &str, direction: Direction) -> Value {
    // Of its own: the reader of the document has not looked at schemas of failures.
    let (mut knowledge, mut findings) = (Knowledge::default(), Findings::default());
    Converter::learn(document, direction, place, &mut knowledge, &mut findings)
        .schema(schema, Position::InPlace);
    while let Some(place) = knowledge.next() {
        if let Some(schema) = document.at(&place) {
            Converter::learn(document, direction, &place, &mut knowledge, &mut findings)
                .referenced()
                .schema(schema, Position::InPlace);
        }
    }
    knowledge.cut_cycles();
    complete(document, &knowledge, schema, place, direction)
}

fn complete(
    document: &Document,
    knowledge: &Knowledge,
    schema: &Value,
    place: &str,
    direction: Direction,
) -> Value {
    let converted = Converter::build(document, direction, place, knowledge).schema(schema, Position::InPlace);
    let Value::Object(mut root) = converted else { return converted };
    attach(&mut root, document, knowledge, direction, MOST_BYTES);
    Value::Object(root)
}

/// A list of items, whose definitions stay at the root.
pub(super) fn sequence(mut item: Value) -> Value {
    let definitions = item.as_object_mut().and_then(|members| members.shift_remove("$defs"));
    let mut list = json!({"type": "array", "items": item});
    if let (Some(definitions), Value::Object(members)) = (definitions, &mut list) {
        members.insert("$defs".to_owned(), definitions);
    }
    list
}

/// A schema without the examples and defaults in it.
pub(super) fn without_examples(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let kept =
                members.iter().filter(|(keyword, _)| !matches!(keyword.as_str(), "examples" | "default"));
            let inner = |(keyword, value): (&String, &Value)| {
                let value = match (keyword.as_str(), value) {
                    ("enum" | "const", value) => value.clone(),
                    // Their members have names, and are no keywords.
                    (
                        "properties" | "$defs" | "patternProperties" | "dependentSchemas",
                        Value::Object(named),
                    ) => {
                        named.iter().map(|(name, schema)| (name.clone(), without_examples(schema))).collect()
                    }
                    (_, value) => without_examples(value),
                };
                (keyword.clone(), value)
            };
            Value::Object(kept.map(inner).collect())
        }
        Value::Array(items) => items.iter().map(without_examples).collect(),
        other => other.clone(),
    }
}
