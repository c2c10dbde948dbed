//! An OpenAPI document becomes tools, beside a function of our own.

use opentool::{ToolCall, ToolContext, ToolSetExt, tool, tools};
use opentool_petshop::PetShop;
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
    // A real HTTP server on a loopback port; yours is somewhere else.
    let shop = PetShop::start("127.0.0.1:0").await?;
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/petstore.yaml");

    let petstore = opentool::openapi::load(document).await?.server(shop.base_url()).tools()?;
    let tools = tools![food_cost].merge(petstore)?; // a clash of names is an error here

    for definition in tools.definitions() {
        println!("{:20} {}", definition.name, definition.origin);
    }
    let cx = ToolContext::new();
    let call = ToolCall::new("1", "getPetById", json!({"petId": 2}));
    println!("{}", tools.call(&cx, &call).await?.to_text());
    Ok(())
}
