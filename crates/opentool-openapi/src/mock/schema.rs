//! Schemas of the document, ready to judge values.

use opentool_core::Schema;
use opentool_schema::Validator;
use serde_json::{Map, Value};

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
