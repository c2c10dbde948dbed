//! Anthropic Messages: `{"name","description","input_schema"}`.
//!
//! What it has no place for: title, output schema, annotations.

use opentool_core::ToolDefinition;
use serde_json::{Map, Value};

use super::raised::Raising;

pub(crate) fn lower(definition: &ToolDefinition) -> Value {
    let mut tool = Map::new();
    tool.insert("name".to_owned(), definition.name.as_str().into());
    if !definition.description.is_empty() {
        tool.insert("description".to_owned(), definition.description.as_str().into());
    }
    tool.insert("input_schema".to_owned(), definition.input_schema.as_value().clone());
    Value::Object(tool)
}

/// Whether an entry is in this form.
pub(crate) fn is(entry: &Map<String, Value>) -> bool {
    entry.contains_key("input_schema")
}

pub(crate) fn raise(mut entry: Raising<'_, '_>) -> Option<ToolDefinition> {
    entry.definition("input_schema")
}
