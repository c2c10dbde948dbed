//! A talk with a pet shop: two questions, and a purchase that nobody approved. The shop is a real server, its OpenAPI
//! document becomes tools, and a call that may change something waits for a person.
//!
//! The model is a recording, so that no key is needed. With `OPENTOOL_RECORD=1` and `OPENAI_API_KEY` it is made anew.

use std::error::Error;

use opentool::agent::{AgentError, Approvals, Decision, Reply};
use opentool::{Agent, ChatModel, chat, openapi};
use opentool_petshop::{PETSTORE_YAML, PetShop};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let cassette = concat!(env!("CARGO_MANIFEST_DIR"), "/cassettes/pet_shop.json");
    for reply in talk(chat::cassette(cassette, || chat::model("gpt-5"))?).await? {
        println!("{reply}");
    }
    Ok(())
}

/// What the shop's customer hears.
pub(crate) async fn talk(model: impl ChatModel) -> Result<Vec<Reply>, Box<dyn Error>> {
    let shop = PetShop::start("127.0.0.1:0").await?;
    let tools = openapi::parse(PETSTORE_YAML, "petstore.yaml")?.server(shop.base_url()).tools()?;
    let agent = Agent::new(model, tools)
        .system("You work at the counter of a pet shop. Use the tools for every fact.")
        .approvals(Approvals::new().ask_unless_read_only());
    let mut talk = agent.conversation();
    let pending = talk.say("Is there any pending pet?").await?;
    let more = talk.say("Tell me more about pet no. 2.").await?;

    // The order waits: the run is a value, and could be decided about tomorrow, in another process.
    let Err(AgentError::Suspended(run)) = talk.say("I'd like to buy it.").await else {
        return Err("something was bought, and nobody was asked".into());
    };
    for call in run.pending_calls() {
        println!("? may `{}` run: {}", call.tool, call.reason);
        talk.decide(&call.call_id, Decision::deny("the owner of the card did not agree"))?;
    }
    let refused = talk.resume().await?;
    Ok(vec![pending, more, refused])
}
