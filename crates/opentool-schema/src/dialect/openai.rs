//! OpenAI: Chat Completions (`{"type":"function","function":{..}}`), and for reading also the flat form of the
//! Responses API and the bare `functions` entries of old.
//!
//! What it has no place for: title, output schema, annotations. `strict` is not set.

use opentool_core::ToolDefinition;
use serde_json::{Map, Value, json};

use super::raised::Raising;

pub(crate) fn lower(definition: &ToolDefinition) -> Value {
    let mut function = Map::new();
    function.insert("name".to_owned(), definition.name.as_str().into());
    if !definition.description.is_empty() {
        function.insert("description".to_owned(), definition.description.as_str().into());
    }
    function.insert("parameters".to_owned(), definition.input_schema.as_value().clone());
    json!({"type": "function", "function": function})
}

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
