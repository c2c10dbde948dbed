//! JSON Schema by itself: the input schema with the tool's name as `title` and its text as `description`.
//!
//! Libraries take a titled schema for a function. Nothing else of the schema is changed.

use serde_json::{Map, Value};

use super::Entry;
use super::rules::{Form, KEPT, NameRule, Rules};

pub(super) const RULES: Rules = Rules {
    form: Form::AsIs,
    names: NameRule { marks: "_-./: ", letter_first: false, longest: 128 },
    ..KEPT
};

pub(super) fn entry(entry: Entry<'_>) -> Value {
    let mut tool = Map::new();
    tool.insert("title".to_owned(), entry.name.into());
    if !entry.description.is_empty() {
        tool.insert("description".to_owned(), entry.description.into());
    }
    let Value::Object(schema) = entry.schema else { return Value::Object(tool) };
    for (keyword, member) in schema {
        tool.entry(keyword).or_insert(member);
    }
    Value::Object(tool)
}
