//! A tool served over OpenTool, and called through a client, for which it is a tool again.

use opentool::server::Server;
use opentool::{ToolCall, ToolContext, ToolSetExt, client, tool, tools};
use serde_json::json;

/// The yearly cost of food for a pet, in euros.
#[tool(read_only)]
fn food_cost(
    /// The weight of the pet in kilograms.
    kilograms: f64,
) -> f64 {
    (kilograms * 0.03 * 365.0 * 4.0).round()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let key = "a-long-random-key"; // yours comes from the environment
    let bound = Server::new(tools![food_cost]).api_key(key).bind("127.0.0.1:0").await?;
    let url = bound.url();
    let server = tokio::spawn(bound.serve());

    // Somewhere else: everything about the tool comes from the server.
    let remote = client::connect(&url).api_key(key).await?;
    let (tools, _diagnostics) = remote.tools().await?;
    for definition in tools.definitions() {
        println!("{:10} {}", definition.name, definition.description);
    }
    let cx = ToolContext::new();
    println!(
        "{}",
        tools.call(&cx, &ToolCall::new("1", "food_cost", json!({"kilograms": 4}))).await?.to_text()
    );
    // What does not fit never leaves.
    let refused = tools.answer(&cx, &ToolCall::new("2", "food_cost", json!({"kilograms": "heavy"}))).await;
    println!("{}", refused.to_text());
    server.abort();
    Ok(())
}
