//! A tool definition in MCP's terms.
//!
//! Names, descriptions and schemas pass unchanged. Tags, metadata and origins stay here: they are the host's.

use std::borrow::Cow;
use std::sync::Arc;

use opentool_core::{Annotations, ToolDefinition};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

/// The tool as it is listed.
pub(crate) fn listed(
    definition: &ToolDefinition,
    input: Arc<JsonObject>,
    output: Option<Arc<JsonObject>>,
) -> Tool {
    let description = Some(&definition.description).filter(|text| !text.is_empty());
    let mut tool =
        Tool::new_with_raw(definition.name.clone(), description.map(|text| Cow::Owned(text.clone())), input);
    tool.title.clone_from(&definition.title);
    tool.output_schema = output;
    tool.annotations = annotations(definition.annotations);
    tool
}

/// The schema of the arguments. MCP wants an object at the root that says so; everything else is kept.
pub(crate) fn input_schema(definition: &ToolDefinition) -> JsonObject {
    let mut schema = definition.input_schema.as_value().as_object().cloned().unwrap_or_default();
    schema.entry("type").or_insert_with(|| Value::from("object"));
    schema
}

/// Whether a property asks for a header, in the places where the protocol allows that: under `properties` only.
pub(crate) fn has_header_annotation(schema: &JsonObject) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flat_map(|properties| properties.values())
        .filter_map(Value::as_object)
        .any(|property| property.contains_key("x-mcp-header") || has_header_annotation(property))
}

fn annotations(hints: Annotations) -> Option<ToolAnnotations> {
    let Annotations { read_only, destructive, idempotent, open_world, .. } = hints;
    (!hints.is_empty())
        .then(|| ToolAnnotations::from_raw(None, read_only, destructive, idempotent, open_world))
}
