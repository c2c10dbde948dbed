//! A function becomes a tool: its signature is the schema, its doc comments are the descriptions.

use opentool::{ToolCall, ToolContext, ToolSetExt, tool, tools};
use serde_json::json;

/// The tip for a bill, in the bill's currency.
#[tool(read_only)]
fn tip(
    /// The amount of the bill.
    #[arg(minimum = 0)]
    bill: f64,
    /// The percentage to give.
    #[arg(minimum = 0, maximum = 100, default = 15)]
    percent: u8,
) -> f64 {
    bill * f64::from(percent) / 100.0
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The function is still a function.
    assert!((tip(80.0, 10) - 8.0).abs() < 1e-9);

    let tools = tools![tip];
    let cx = ToolContext::new();
    for definition in tools.definitions() {
        println!("{}: {}\n{:#}", definition.name, definition.description, definition.input_schema.as_value());
    }

    let output = tools.call(&cx, &ToolCall::new("1", "tip", json!({"bill": 80}))).await?;
    println!("a good call: {}", output.to_text());

    // What a model gets wrong comes back as a text that it can act on; the function did not run.
    let wrong = ToolCall::new("2", "tip", json!({"amount": 80, "percent": 120}));
    if let Err(error) = tools.call(&cx, &wrong).await {
        println!("a bad one: {}", error.for_model());
    }
    Ok(())
}
