//! Cassettes: conversations with a model in a file, recorded once, played as often as tests run.
//!
//! A cassette is JSON that a person can review: what was asked, what was answered, no secrets. What a question repeats
//! of an earlier one is not written again. Recording is in `record.rs`, playing in `play.rs`, the file and its words
//! are here. It holds no times, no durations and no pieces of a stream, so that recording the same twice gives the same
//! bytes.

mod compare;
mod failed;

use std::path::Path;
use std::sync::Arc;

use opentool_core::{ChatModel, ChatReply, ChatRequest, Message, ModelError};
use opentool_schema::profile::{Layout, save};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Player, Recorder};
use crate::scrub::Scrub;

pub(super) use self::compare::{difference, fits};
pub(super) use self::failed::Failed;

/// The version of the format.
const VERSION: u64 = 1;
/// The variable that has a cassette recorded anew.
const RECORD: &str = "OPENTOOL_RECORD";

/// The model on this cassette; the first time, or with `OPENTOOL_RECORD=1` in the environment, it is recorded from the
/// model that the closure makes. Where it is played, the closure is not called: no key is needed, and no network.
///
/// ```no_run
/// use opentool_agent::{Agent, chat};
/// use opentool_core::ToolSet;
///
/// # async fn f() -> Result<(), Box<dyn std::error::Error>> {
/// let model = chat::cassette("tests/cassettes/umbrella.json", || chat::model("gpt-5"))?;
/// let reply = Agent::new(model, ToolSet::new()).run("Do I need an umbrella in Paris?").await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Those of the closure, and [`ModelError::Unsupported`] if the file is no cassette or its folder cannot be written to.
pub fn cassette<M: ChatModel>(
    path: impl AsRef<Path>,
    model: impl FnOnce() -> Result<M, ModelError>,
) -> Result<Arc<dyn ChatModel>, ModelError> {
    let path = path.as_ref();
    let anew = std::env::var(RECORD).is_ok_and(|value| !matches!(value.trim(), "" | "0"));
    if !anew && path.exists() {
        return Ok(Arc::new(Player::open(path)?));
    }
    Ok(Arc::new(Recorder::new(model()?, path)?))
}

/// All that was asked and answered, with nothing left out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cassette {
    pub(super) model: String,
    pub(super) exchanges: Vec<Exchange>,
}

/// One question and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Exchange {
    pub(super) asked: Asked,
    pub(super) outcome: Outcome,
}

/// A question as it is compared and written: only what the model is told.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub(super) messages: Vec<Value>,
    pub(super) tools: Value,
    /// What differs from an ordinary question: tool choice, parallel calls, strict.
    pub(super) wishes: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Answered(Box<ChatReply>),
    Failed(Failed),
}

/// An exchange as it stands in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// The number of the earlier question whose conversation this one goes on with, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    continues: Option<usize>,
    /// How many messages of that conversation are kept, its answer counted; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keeps: Option<usize>,
    /// What is new.
    messages: Vec<Value>,
    /// The tools, if they are others than those of the question before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tools: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wishes: Option<Value>,
    #[serde(flatten)]
    outcome: Outcome,
}

impl Asked {
    /// What the request tells the model, without secrets.
    pub(super) fn of(request: &ChatRequest<'_>, scrub: &Scrub) -> Self {
        let messages = request.messages.iter().map(|message| scrub.value(visible(message))).collect();
        let tools = request.tools.definitions().map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.input_schema.as_value(),
            })
        });
        let tools = scrub.value(tools.collect());
        let ordinary = ChatRequest::new(&[], request.tools);
        let mut wishes = serde_json::Map::new();
        if request.tool_choice != ordinary.tool_choice {
            wishes.insert("tool_choice".to_owned(), json!(request.tool_choice));
        }
        if request.parallel_calls != ordinary.parallel_calls {
            wishes.insert("parallel_calls".to_owned(), json!(request.parallel_calls));
        }
        if request.strict != ordinary.strict {
            wishes.insert("strict".to_owned(), json!(request.strict));
        }
        Self { messages, tools, wishes: Value::Object(wishes) }
    }
}

/// A message as a model sees it: nothing that is for the host only, nothing that one provider alone can read.
pub(super) fn visible(message: &Message) -> Value {
    let mut value = match message {
        Message::Assistant(answer) => json!(Message::Assistant(answer.clone().without_reasoning())),
        message => json!(message),
    };
    if let Some(output) = value.pointer_mut("/message/output").and_then(Value::as_object_mut) {
        output.shift_remove("metadata");
    }
    value
}

impl Cassette {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ModelError::Unsupported`], with the place in the file.
    pub(super) fn read(path: &Path) -> Result<Self, ModelError> {
        let shown = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| unusable(format!("the cassette {shown} cannot be read: {error}")))?;
        let file: File = serde_json::from_str(&text)
            .map_err(|error| unusable(format!("{shown} is no cassette that can be read: {error}")))?;
        if file.cassette != VERSION {
            return Err(unusable(format!(
                "{shown} is a cassette of version {}, and only {VERSION} is known here",
                file.cassette
            )));
        }
        let mut cassette = Self { model: file.model, exchanges: Vec::with_capacity(file.exchanges.len()) };
        for (index, written) in file.exchanges.into_iter().enumerate() {
            let number = index.saturating_add(1);
            let exchange = cassette.whole(written).ok_or_else(|| {
                unusable(format!("{shown}: question {number} goes on with one that is not before it"))
            })?;
            cassette.exchanges.push(exchange);
        }
        Ok(cassette)
    }

    /// Writes the file: there as a whole or not at all.
    pub(super) fn save(&self, path: &Path) -> std::io::Result<()> {
        let mut exchanges = Vec::with_capacity(self.exchanges.len());
        for (index, exchange) in self.exchanges.iter().enumerate() {
            let before = self.exchanges.get(..index).unwrap_or_default();
            exchanges.push(short(exchange, before));
        }
        let file = File { cassette: VERSION, model: self.model.clone(), exchanges };
        save(path, &serde_json::to_value(&file)?, Layout::Pretty)
    }

    /// An exchange with what it takes from earlier ones.
    fn whole(&self, written: Written) -> Option<Exchange> {
        let mut messages = match written.continues {
            Some(number) => self.exchanges.get(number.checked_sub(1)?)?.conversation(),
            None => Vec::new(),
        };
        messages.truncate(written.keeps.unwrap_or(usize::MAX));
        messages.extend(written.messages);
        let tools = match (written.tools, self.exchanges.last()) {
            (Some(tools), _) => tools,
            (None, Some(before)) => before.asked.tools.clone(),
            (None, None) => json!([]),
        };
        let wishes = written.wishes.unwrap_or_else(|| json!({}));
        Some(Exchange { asked: Asked { messages, tools, wishes }, outcome: written.outcome })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    cassette: u64,
    model: String,
    exchanges: Vec<Written>,
}

/// An exchange without what earlier ones say already.
fn short(exchange: &Exchange, before: &[Exchange]) -> Written {
    let asked = &exchange.asked;
    let common = |earlier: &Exchange| {
        let conversation = earlier.conversation();
        let same = conversation.iter().zip(&asked.messages).take_while(|(a, b)| a == b).count();
        (same, conversation.len())
    };
    let mut best = None;
    for (index, earlier) in before.iter().enumerate() {
        let (same, all) = common(earlier);
        if same > 0 && best.is_none_or(|(_, most, _)| same >= most) {
            best = Some((index.saturating_add(1), same, all));
        }
    }
    let tools = match before.last() {
        Some(last) => (last.asked.tools != asked.tools).then(|| asked.tools.clone()),
        None => Some(asked.tools.clone()),
    };
    let kept = best.map_or(0, |(_, same, _)| same);
    Written {
        continues: best.map(|(number, _, _)| number),
        keeps: best.and_then(|(_, same, all)| (same < all).then_some(same)),
        messages: asked.messages.get(kept..).unwrap_or_default().to_vec(),
        tools,
        wishes: asked.wishes.as_object().filter(|wishes| !wishes.is_empty()).map(|_| asked.wishes.clone()),
        outcome: exchange.outcome.clone(),
    }
}

impl Exchange {
    /// The messages of the question, and the answer if there was one.
    fn conversation(&self) -> Vec<Value> {
        let mut messages = self.asked.messages.clone();
        if let Outcome::Answered(reply) = &self.outcome {
            messages.push(visible(&Message::Assistant(reply.message.clone())));
        }
        messages
    }
}

pub(super) fn unusable(why: String) -> ModelError {
    ModelError::Unsupported(why.into())
}
