//! A layer wraps every tool of a set: here it prints how long each call takes.

use std::sync::Arc;
use std::time::Instant;

use opentool::{
    Arguments, BoxFuture, Tool, ToolCall, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolSetExt,
    tool, tools,
};
use serde_json::json;

/// Doubles a number.
#[tool]
fn double(
    /// The number.
    number: i32,
) -> i64 {
    i64::from(number) * 2
}

/// Prints how long each call of the inner tool takes.
struct Timed(Arc<dyn Tool>);

impl Tool for Timed {
    fn definition(&self) -> &ToolDefinition {
        self.0.definition()
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let start = Instant::now();
            let result = self.0.call(cx, arguments).await;
            println!("{} took {:?}", self.definition().name, start.elapsed());
            result
        })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = tools![double].layer(&|inner| Arc::new(Timed(inner)) as Arc<dyn Tool>)?;
    let call = ToolCall::new("1", "double", json!({"number": 21}));
    println!("{}", tools.call(&ToolContext::new(), &call).await?.to_text());
    Ok(())
}
