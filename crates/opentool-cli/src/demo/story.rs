//! The demo from its beginning to its end: shop, tools, conversation, what to try next.

use std::sync::Arc;

use opentool::agent::{Agent, AgentError, chat};
use opentool::{ModelError, ToolError, Upstream};
use opentool_petshop::PetShop;

use super::event::{Event, ToolLine};
use super::stage::Stage;
use super::{all_tools, next, script};
use crate::console::Console;
use crate::error::{CliError, chain};

/// Plays the story; `model` names a real one.
pub(super) async fn play(model: Option<&str>, console: &Console) -> Result<(), CliError> {
    // First, so that a missing key is told before anything happens.
    let real = model.map(chat::openai).transpose().map_err(|error| no_answer(&error))?;
    let stage = Arc::new(Stage::new(console));

    let shop = PetShop::start("127.0.0.1:0").await.map_err(|error| CliError::server(&error))?;
    stage.tell(&Event::ShopOpened { url: shop.base_url() });

    let tools = all_tools(&shop)?;
    stage.tell(&Event::ToolsReady { tools: tools.definitions().map(ToolLine::new).collect() });

    let agent = match real {
        Some(model) => Agent::new(model, tools),
        None => Agent::new(script::model(), tools),
    };
    let name = agent.model().name().to_owned();
    stage.tell(&Event::ConversationStarted {
        model: &name,
        scripted: model.is_none(),
        real_model: model.is_none().then(next::with_a_real_model),
    });

    let watcher = Arc::clone(&stage);
    let agent = agent.system(script::INSTRUCTIONS).observe(move |event| watcher.tell(&Event::Agent(event)));
    let mut conversation = agent.conversation();
    for text in script::TURNS {
        stage.tell(&Event::User { text });
        conversation.say(text).await.map_err(|error| turn_failed(&error))?;
        // Nobody reads any more: the rest would be for nothing.
        stage.check()?;
    }

    shop.shutdown().await;
    stage.tell(&Event::Next { commands: next::steps() });
    Ok(stage.check()?)
}

fn turn_failed(error: &AgentError) -> CliError {
    match error {
        AgentError::Model(failure) => no_answer(&failure.error),
        other => ToolError::failed(chain(other)).into(),
    }
}

/// The model is missing, refuses, or is silent.
fn no_answer(error: &ModelError) -> CliError {
    match error {
        ModelError::Unauthorized(_) => CliError::usage(
            chain(error),
            "OPENAI_API_KEY=... opentool demo --model NAME, or without a key for a server of your own: \
             OPENAI_BASE_URL=http://localhost:11434/v1 opentool demo --model NAME; or `opentool demo`, which needs \
             neither",
        ),
        other => ToolError::from(Upstream::new(chain(other))).into(),
    }
}
