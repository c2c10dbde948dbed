//! Anthropic Messages: `{"name","description","input_schema","strict"?}`.
//!
//! What it has no place for: title, output schema, annotations.

use opentool_core::ToolDefinition;
use serde_json::{Map, Value};

use super::Entry;
use super::raised::Raising;
use super::rules::{KEPT, NameRule, Rules};

/// Schemas must be valid Draft 2020-12 with an object at the root; keys of properties have letters and a length.
pub(super) const RULES: Rules = Rules {
    names: NameRule { longest: 128, ..KEPT.names },
    properties: Some(NameRule { marks: "_.-", letter_first: false, longest: 64 }),
    ..KEPT
};

pub(super) fn entry(entry: Entry<'_>) -> Value {
    let mut tool = entry.named();
    tool.insert("input_schema".to_owned(), entry.schema);
    if let Some(strict) = entry.strict {
        tool.insert("strict".to_owned(), strict.into());
    }
    Value::Object(tool)
}

/// Whether an entry is in this form.
pub(crate) fn is(entry: &Map<String, Value>) -> bool {
    entry.contains_key("input_schema")
}

pub(crate) fn raise(mut entry: Raising<'_, '_>) -> Option<ToolDefinition> {
    entry.definition("input_schema")
}
