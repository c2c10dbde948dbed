//! A conversation that is kept under an id: what was asked, called and answered is there when somebody goes on.
//!
//! The model is a recording, so that no key is needed. With `OPENTOOL_RECORD=1` and `OPENAI_API_KEY` it is made anew.

use std::error::Error;

use opentool::agent::Reply;
use opentool::agent::memory::{Conversations, InProcess};
use opentool::{Agent, ChatModel, chat, tool, tools};

/// Multiplies two numbers.
#[tool(read_only)]
fn multiply(
    /// The first number.
    a: i64,
    /// The second number.
    b: i64,
) -> Option<i64> {
    a.checked_mul(b)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let cassette = concat!(env!("CARGO_MANIFEST_DIR"), "/cassettes/memory.json");
    for reply in talk(chat::cassette(cassette, || chat::model("gpt-5"))?).await? {
        println!("{reply}");
    }
    Ok(())
}

/// The answers in two conversations.
pub(crate) async fn talk(model: impl ChatModel) -> Result<Vec<Reply>, Box<dyn Error>> {
    // `Sqlite::open("talks.db")` and `Redis::connect(..)` survive the process; they are features.
    let memory = InProcess::new();
    let agent = Agent::new(model, tools![multiply]);
    let before = Conversations::new(agent.clone(), memory.clone());
    let product = before.say("ada", "What is 6 * 8?").await?;

    // Somewhere else, with the same memory.
    let after = Conversations::new(agent, memory);
    let earlier = after.say("ada", "What did I ask you earlier?").await?;
    let nothing = after.say("bob", "What did I ask you earlier?").await?;
    Ok(vec![product, earlier, nothing])
}
