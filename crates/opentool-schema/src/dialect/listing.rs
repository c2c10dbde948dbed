//! The listing, our own: MCP's form, with `description` always there, and `tags?` and `source` added.

use opentool_core::{Origin, ToolDefinition};
use serde_json::{Map, Value};

use super::raised::Raising;
use crate::text::found;
use opentool_core::Diagnostic;

pub(crate) fn lower(definition: &ToolDefinition) -> Value {
    let mut tool = Map::new();
    let schema = definition.input_schema.as_value().clone();
    for (key, value) in super::mcp::members(definition, &definition.name, schema) {
        if key == "inputSchema" && definition.description.is_empty() {
            tool.insert("description".to_owned(), "".into());
        }
        tool.insert(key, value);
    }
    if !definition.tags.is_empty() {
        tool.insert("tags".to_owned(), definition.tags.clone().into());
    }
    tool.insert("source".to_owned(), source(&definition.origin).into());
    Value::Object(tool)
}

/// Where the tool came from. A list that was made of a list says where its tools first came from, as that one did:
/// nothing is put before it each time.
fn source(origin: &Origin) -> String {
    match origin {
        Origin { kind, location: None, item: Some(first), .. } if kind == KIND => first.clone(),
        origin => origin.to_string(),
    }
}

/// The kind of source that a list of definitions is.
pub(crate) const KIND: &str = "definitions";

/// Whether an entry of MCP's form is one of ours.
pub(crate) fn is(entry: &Map<String, Value>) -> bool {
    super::mcp::is(entry) && (entry.contains_key("source") || entry.contains_key("tags"))
}

pub(crate) fn raise(mut entry: Raising<'_, '_>) -> Option<ToolDefinition> {
    let source = entry.text("source");
    let mut tags = Vec::new();
    match entry.members.get("tags") {
        None | Some(Value::Null) => {}
        Some(Value::Array(words)) => tags.extend(words.iter().filter_map(Value::as_str).map(str::to_owned)),
        Some(other) => {
            let message = format!("the tags are {}, and were left out", found(other));
            entry.diagnostics.push(Diagnostic::warning("not-an-array", entry.at("tags"), message));
        }
    }
    let mut definition = super::mcp::raise(entry)?;
    definition.tags = tags;
    if let Some(source) = source {
        definition.origin = Origin::new(KIND).item(source);
    }
    Some(definition)
}
