//! Anthropic Messages: `{"name","description","input_schema","strict"?}`.
//!
//! What it has no place for: title, output schema, annotations.

use opentool_core::ToolDefinition;
use serde_json::{Map, Value};

use super::Entry;
use super::raised::Raising;
use super::rules::{KEPT, NameRule, Rules};

// Rules.

/// Schemas must be valid Draft 2020-12 with an object at the root; keys of properties have letters and a length.
pub(super) const RULES: Rules = Rules {
    names: NameRule { longest: 128, ..KEPT.names },
    properties: Some(NameRule { marks: "_.-", letter_first: false, longest: 64 }),
    ..KEPT
};

// Lowering.

pub(super) fn entry(entry: Entry<'_>) -> Value {
    let mut tool = entry.named();
    tool.insert("input_schema".to_owned(), entry.schema);
    if let Some(strict) = entry.strict {
        tool.insert("strict".to_owned(), strict.into());
    }
    Value::Object(tool)
}

// Raising: keys of arguments get their own names back, what stands under a name comes out of it (`codec`).
// Definitions are read, too.

/// Whether an entry is in this form.
pub(crate) fn is(entry: &Map<String, Value>) -> bool {
    entry.contains_key("input_schema")
}

pub(crate) fn raise(mut entry: Raising<'_, '_>) -> Option<ToolDefinition> {
    entry.definition("input_schema")
}

// Tests.

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Dialect;
    use crate::dialect::tests::{schema, there_and_back};

    #[test]
    fn a_tool_goes_there_and_a_call_comes_back() {
        let labels = json!({"type": "object", "additionalProperties": {"type": "string"}});
        there_and_back(
            Dialect::Anthropic,
            &json!([{"name": "create_order", "description": "Orders.",
                "input_schema": schema("item_no", &labels, &["item_no"])}]),
            &json!({"item_no": 2, "labels": {"a": "b"}}),
        );
    }
}
