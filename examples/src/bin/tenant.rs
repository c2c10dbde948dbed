//! One agent for several tenants: who asks is a fact of the host. The model neither sees it nor can change it.
//!
//! The model is a recording, so that no key is needed. With `OPENTOOL_RECORD=1` and `OPENAI_API_KEY` it is made anew.

use std::error::Error;

use opentool::agent::Reply;
use opentool::{Agent, ChatModel, ToolContext, chat, tool, tools};

/// Whose customers these are.
struct Tenant(&'static str);

/// A customer's record.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Customer {
    name: &'static str,
    city: &'static str,
}

/// Looks up a customer.
#[tool(read_only)]
fn customer(
    cx: &ToolContext,
    /// The customer's number.
    id: u32,
) -> Result<Customer, String> {
    let Tenant(tenant) = cx.get().ok_or("nobody is signed in")?;
    match (*tenant, id) {
        ("acme", 42) => Ok(Customer { name: "Ada Lovelace", city: "London" }),
        ("globex", 42) => Ok(Customer { name: "Grace Hopper", city: "New York" }),
        _ => Err(format!("there is no customer {id}")),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let cassette = concat!(env!("CARGO_MANIFEST_DIR"), "/cassettes/tenant.json");
    for reply in talk(chat::cassette(cassette, || chat::model("gpt-5"))?).await? {
        println!("{reply}");
    }
    Ok(())
}

/// What each tenant hears.
pub(crate) async fn talk(model: impl ChatModel) -> Result<Vec<Reply>, Box<dyn Error>> {
    let agent = Agent::new(model, tools![customer]);
    let mut replies = Vec::new();
    for tenant in ["acme", "globex", "initech"] {
        let context = ToolContext::new().fact(Tenant(tenant));
        replies.push(agent.clone().extend_context(context).run("Who is the customer with the id 42?").await?);
    }
    Ok(replies)
}
