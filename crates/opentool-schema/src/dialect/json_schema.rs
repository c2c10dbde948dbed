//! JSON Schema by itself: the input schema with the tool's name as `title` and its text as `description`.
//!
//! Libraries take a titled schema for a function. Nothing else of the schema is changed.

use serde_json::{Map, Value};

use super::Entry;
use super::rules::{Form, KEPT, NameRule, Rules};

// Rules.

pub(super) const RULES: Rules = Rules {
    form: Form::AsIs,
    names: NameRule { marks: "_-./: ", letter_first: false, longest: 128 },
    ..KEPT
};

// Lowering.

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

// Raising: arguments are the tool's own.

// Tests.

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Dialect;
    use crate::dialect::tests::{plain, there_and_back};

    #[test]
    fn a_tool_goes_there_and_a_call_comes_back() {
        let mut schema = plain();
        schema["title"] = "create order".into();
        schema["description"] = "Orders.".into();
        there_and_back(Dialect::JsonSchema, &json!([schema]), &json!({"item no": 2, "labels": {"a": "b"}}));
    }
}
