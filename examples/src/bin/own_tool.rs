//! A tool that is known at run time only, made by hand.

use opentool::{
    Arguments, BoxFuture, Tool, ToolCall, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolSet,
    ToolSetExt,
};
use serde_json::json;

/// Answers with a line of a table that the host read from somewhere.
struct Lookup {
    definition: ToolDefinition,
    table: Vec<(String, String)>,
}

impl Tool for Lookup {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        _: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            // Validated before: the key is there, and it is a string.
            let key = arguments.get("key").and_then(|key| key.as_str()).unwrap_or_default();
            let found = self.table.iter().find(|(k, _)| k == key);
            found
                .map(|(_, value)| ToolOutput::text(value))
                .ok_or_else(|| ToolError::failed(format!("no `{key}`")))
        })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let schema = json!({"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]});
    let definition = ToolDefinition::new("capital", "The capital of a country.").input_schema(schema);
    let table = vec![("France".to_owned(), "Paris".to_owned())];
    let tools = ToolSet::from_tools([Lookup { definition, table }])?;
    let call = ToolCall::new("1", "capital", json!({"key": "France"}));
    println!("{}", tools.call(&ToolContext::new(), &call).await?.to_text());
    Ok(())
}
