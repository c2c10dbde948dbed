//! MCP `tools/list`: `{"name","title"?,"description"?,"inputSchema","outputSchema"?,"annotations"?}`.
//!
//! Up to revision 2025-11-25 an output schema describes an object; another one is left out and listed. Icons,
//! `_meta` and the execution hints of single revisions are neither written nor read.

use opentool_core::ToolDefinition;
use serde_json::{Map, Value};

use super::Entry;
use super::raised::Raising;
use super::rules::{Form, KEPT, NameRule, Rules};

/// The name is a recommendation, which clients of today enforce.
pub(super) const RULES: Rules =
    Rules { form: Form::AsIs, names: NameRule { marks: "_.-", letter_first: false, longest: 128 }, ..KEPT };

pub(super) fn entry(entry: Entry<'_>) -> Value {
    Value::Object(members(entry.definition, &entry.name, entry.schema))
}

/// Takes out an output schema that revisions before 2026-07-28 have no place for. Whether there was one.
pub(super) fn without_odd_output(tool: &mut Value) -> bool {
    let Some(tool) = tool.as_object_mut() else { return false };
    let odd =
        tool.get("outputSchema").is_some_and(|schema| schema.get("type").is_none_or(|kind| kind != "object"));
    odd && tool.shift_remove("outputSchema").is_some()
}

/// The members, for the formats that add to them.
pub(super) fn members(definition: &ToolDefinition, name: &str, schema: Value) -> Map<String, Value> {
    let mut tool = Map::new();
    tool.insert("name".to_owned(), name.into());
    if let Some(title) = &definition.title {
        tool.insert("title".to_owned(), title.as_str().into());
    }
    if !definition.description.is_empty() {
        tool.insert("description".to_owned(), definition.description.as_str().into());
    }
    tool.insert("inputSchema".to_owned(), schema);
    if let Some(schema) = &definition.output_schema {
        tool.insert("outputSchema".to_owned(), schema.as_value().clone());
    }
    let hints = &definition.annotations;
    let hints: Map<String, Value> = [
        ("readOnlyHint", hints.read_only),
        ("destructiveHint", hints.destructive),
        ("idempotentHint", hints.idempotent),
        ("openWorldHint", hints.open_world),
    ]
    .into_iter()
    .filter_map(|(name, hint)| Some((name.to_owned(), hint?.into())))
    .collect();
    if !hints.is_empty() {
        tool.insert("annotations".to_owned(), hints.into());
    }
    tool
}

/// Whether an entry is in this form.
pub(crate) fn is(entry: &Map<String, Value>) -> bool {
    entry.contains_key("inputSchema")
}

pub(crate) fn raise(mut entry: Raising<'_, '_>) -> Option<ToolDefinition> {
    let mut definition = entry.definition("inputSchema")?;
    // Before it had a place of its own, the title was among the hints.
    let among_hints = || entry.members.get("annotations")?.get("title")?.as_str();
    let among_hints = among_hints().map(str::to_owned);
    definition.title = entry.text("title").map(str::to_owned).or(among_hints);
    definition.output_schema = entry.output_schema("outputSchema");
    definition.annotations = entry.annotations();
    Some(definition)
}
