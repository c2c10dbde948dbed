//! A result that goes to the caller as it is: the model chooses the tool, and does not read or retell what it gives. A
//! failure goes to the model all the same, because a person can do nothing with it.
//!
//! The model is a recording, so that no key is needed. With `OPENTOOL_RECORD=1` and `OPENAI_API_KEY` it is made anew.

use std::error::Error;

use opentool::agent::{Finish, Reply};
use opentool::{Agent, ChatModel, chat, tool, tools};

/// The invoice of an order, ready to be printed.
#[tool(read_only, return_direct)]
fn invoice(
    /// The number of the order.
    order: u32,
) -> Result<String, String> {
    match order {
        7 => Ok("INVOICE 2026-007\n1 x tea, 4.50 EUR\nTo be paid by 1 December 2026.".to_owned()),
        _ => Err(format!("there is no order {order}; the last one has the number 7")),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let cassette = concat!(env!("CARGO_MANIFEST_DIR"), "/cassettes/return_direct.json");
    let [whole, none] = talk(chat::cassette(cassette, || chat::model("gpt-5"))?).await?;
    assert_eq!((whole.finish, whole.rounds), (Finish::ReturnDirect, 1));
    println!("{whole}\n\n{none}");
    Ok(())
}

/// The invoice of an order that is there, and what is said about one that is not.
pub(crate) async fn talk(model: impl ChatModel) -> Result<[Reply; 2], Box<dyn Error>> {
    let agent = Agent::new(model, tools![invoice]);
    let whole = agent.run("Show me the invoice of order 7.").await?;
    let none = agent.run("And that of order 8.").await?;
    Ok([whole, none])
}
