//! OpenAI Chat Completions, `{"type":"function","function":{..}}`, and the bare `{"name","description","parameters"}`
//! of the deprecated `functions`, both also lines of fine-tuning files.
//!
//! For reading, the flat form of the Responses API too. What it has no place for: title, output schema, annotations.

use opentool_core::ToolDefinition;
use serde_json::{Map, Value, json};

use super::Entry;
use super::raised::Raising;
use super::rules::{KEPT, Rules};

// Rules.

/// Descriptions: `string too long … maximum length 1024`; tools: `array too long … maximum length 128`; the root:
/// `object schema missing properties`.
pub(super) const RULES: Rules =
    Rules { description: Some(1024), tools: Some(128), items: true, root_properties: true, ..KEPT };

// Lowering.

pub(super) fn nested(entry: Entry<'_>) -> Value {
    json!({"type": "function", "function": function(entry)})
}

pub(super) fn bare(entry: Entry<'_>) -> Value {
    Value::Object(function(entry))
}

pub(super) fn function(entry: Entry<'_>) -> Map<String, Value> {
    let mut function = entry.named();
    function.insert("parameters".to_owned(), entry.schema);
    if let Some(strict) = entry.strict {
        function.insert("strict".to_owned(), strict.into());
    }
    function
}

// Raising: arguments are the tool's own, but for a root that stands under a name (`codec`) Definitions are read, too.

/// Whether an entry is in the form of Chat Completions.
pub(crate) fn is_nested(entry: &Map<String, Value>) -> bool {
    entry.get("function").is_some_and(Value::is_object)
}

/// Whether an entry is in the flat form.
pub(crate) fn is_flat(entry: &Map<String, Value>) -> bool {
    entry.contains_key("parameters") || entry.get("type").is_some_and(|kind| kind == "function")
}

/// Reads the object that holds the name: the inner one of the nested form.
pub(crate) fn raise(mut entry: Raising<'_, '_>) -> Option<ToolDefinition> {
    let mut definition = entry.definition("parameters")?;
    definition.output_schema = entry.output_schema("output_schema");
    Some(definition)
}

// Tests.

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Dialect;
    use crate::dialect::tests::{plain, there_and_back};

    #[test]
    fn a_tool_goes_there_and_a_call_comes_back() {
        there_and_back(
            Dialect::OpenAi,
            &json!([{"type": "function", "function": {"name": "create_order", "description": "Orders.",
                "parameters": plain()}}]),
            &json!({"item no": 2, "labels": {"a": "b"}}),
        );
        there_and_back(
            Dialect::OpenAiFinetune,
            &json!([{"type": "function", "function": {"name": "create_order", "description": "Orders.",
                "parameters": plain()}}]),
            &json!({"item no": 2, "labels": {"a": "b"}}),
        );
        there_and_back(
            Dialect::OpenAiFinetuneFunctions,
            &json!([{"name": "create_order", "description": "Orders.",
                "parameters": plain()}]),
            &json!({"item no": 2, "labels": {"a": "b"}}),
        );
    }
}
