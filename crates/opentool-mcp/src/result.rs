//! What a tool answered, or why it did not, as the result of `tools/call`.

use opentool_core::{ToolError, ToolOutput};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

use crate::content;
use crate::output_schema::OutputSchema;

/// The result of a call that came back.
pub(crate) fn from_output(output: ToolOutput, schema: &OutputSchema) -> CallToolResult {
    let ToolOutput { content, structured, is_error, .. } = output;
    let blocks = match &structured {
        Some(value) if content.is_empty() => vec![ContentBlock::text(text(value))],
        _ => content.into_iter().map(content::block).collect(),
    };
    if is_error {
        // Without the structured value: clients hold it against the schema even here.
        return CallToolResult::error(blocks);
    }
    match structured.map(|value| schema.structure(value)) {
        Some(Ok(value)) => {
            let mut result = CallToolResult::success(blocks);
            result.structured_content = Some(value);
            result
        }
        Some(Err(problems)) => {
            let problems: Vec<String> = problems.problems.iter().map(ToString::to_string).collect();
            broken(&problems.join("; "), blocks)
        }
        None if schema.announced().is_some() => broken("it holds no structured value", blocks),
        None => CallToolResult::success(blocks),
    }
}

/// The result of a call that failed: what the model may read, and nothing else.
pub(crate) fn from_error(error: &ToolError) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.for_model())])
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// An answer that breaks the announced schema. As an error result no client checks it, and the model reads it.
fn broken(why: &str, mut blocks: Vec<ContentBlock>) -> CallToolResult {
    tracing::warn!("a result breaks the output schema that its tool announces");
    let note = format!(
        "The tool ran, but its answer does not have the form that the tool announces ({why}). Do not call it again \
         for this reason. The answer as it came:"
    );
    blocks.insert(0, ContentBlock::text(note));
    CallToolResult::error(blocks)
}
