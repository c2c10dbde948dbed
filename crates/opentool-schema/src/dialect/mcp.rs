//! MCP `tools/list`: `{"name","title"?,"description"?,"inputSchema","outputSchema"?,"annotations"?}`.
//!
//! Up to revision 2025-11-25 an output schema describes an object. Revision 2025-03-26 has none, and the title stands
//! among the annotations; 2024-11-05 has neither annotations nor a title. What a revision has no place for is left out
//! and listed. Icons, `_meta` and the execution hints of single revisions are not written; an imported definition keeps
//! them in its metadata.

use opentool_core::ToolDefinition;
use serde_json::{Map, Value};

use super::lower::{Effect, Rewrites};
use super::raised::Raising;
use super::rules::{Form, KEPT, NameRule, Rules};
use super::{Dialect, Entry};

// Rules.

/// The name is a recommendation, which clients of today enforce.
pub(super) const RULES: Rules =
    Rules { form: Form::AsIs, names: NameRule { marks: "_.-", letter_first: false, longest: 128 }, ..KEPT };

// Lowering.

pub(super) fn entry(entry: Entry<'_>) -> Value {
    Value::Object(members(entry.definition, &entry.name, entry.schema))
}

/// The members of an entry that have no place in the revision.
pub(super) fn unknown(dialect: Dialect, tool: &Map<String, Value>) -> Vec<&'static str> {
    let is_object = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "object");
    let odd = match dialect {
        Dialect::Mcp20251125 | Dialect::Mcp20250618 => match tool.get("outputSchema") {
            Some(schema) if !is_object(schema) => &["outputSchema"][..],
            _ => &[],
        },
        Dialect::Mcp20250326 => &["title", "outputSchema"],
        Dialect::Mcp20241105 => &["title", "outputSchema", "annotations"],
        _ => &[],
    };
    odd.iter().copied().filter(|member| tool.contains_key(*member)).collect()
}

/// Takes out what the revision has no place for, and lists it.
pub(super) fn fit(dialect: Dialect, tool: &mut Value, rewrites: &mut Rewrites) {
    let Some(tool) = tool.as_object_mut() else { return };
    for member in unknown(dialect, tool) {
        let Some(value) = tool.shift_remove(member) else { continue };
        let revision = dialect.name().strip_prefix("mcp-").unwrap_or_default();
        if member == "title" && dialect == Dialect::Mcp20250326 {
            let hints = tool.entry("annotations").or_insert_with(|| Value::Object(Map::new()));
            if let Some(hints) = hints.as_object_mut() {
                hints.insert("title".to_owned(), value);
            }
            rewrites.push("", "title", Effect::Exact, "stands among the annotations");
            continue;
        }
        let done = match member {
            "outputSchema" if unknown_at_all(dialect) => {
                format!("left out: revision {revision} has no output schemas")
            }
            "outputSchema" => "left out: this revision takes objects only".to_owned(),
            member => format!("left out: revision {revision} has no {member}"),
        };
        rewrites.push("", member, Effect::Hint, done);
    }
}

/// Whether the revision has no output schemas, of whatever kind.
fn unknown_at_all(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Mcp20250326 | Dialect::Mcp20241105)
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

// Raising: arguments are the tool's own. Definitions are read, too.

/// Members of an entry that say nothing to a model.
const UNREAD: [&str; 3] = ["icons", "execution", "_meta"];

/// Where they are kept, as they came: whoever writes the definition elsewhere can tell that they are lost.
const METADATA: &str = "mcp.members";

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
    let unread: Map<String, Value> = UNREAD
        .iter()
        .filter_map(|member| Some(((*member).to_owned(), entry.members.get(*member)?.clone())))
        .collect();
    if !unread.is_empty() {
        definition.metadata.insert(METADATA.to_owned(), unread.into());
    }
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
            Dialect::Mcp,
            &json!([{"name": "create_order", "description": "Orders.",
                "inputSchema": plain()}]),
            &json!({"item no": 2, "labels": {"a": "b"}}),
        );
        there_and_back(
            Dialect::Mcp20241105,
            &json!([{"name": "create_order", "description": "Orders.",
                "inputSchema": plain()}]),
            &json!({"item no": 2, "labels": {"a": "b"}}),
        );
    }
}
