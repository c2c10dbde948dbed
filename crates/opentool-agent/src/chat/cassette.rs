//! Cassettes: conversations with a model in a file, recorded once, played as often as tests run.
//!
//! A cassette is JSON that a person can review: what was asked, what was answered, no secrets. What a question repeats
//! of an earlier one is not written again. Recording is in `record.rs`, playing in `play.rs`, the file and its words
//! are here. It holds no times, no durations and no pieces of a stream, so that recording the same twice gives the same
//! bytes.

mod compare;
mod failed;
mod file;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use opentool_core::{ChatModel, ChatReply, ChatRequest, Message, ModelError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Player, Recorder, measure};
use crate::scrub::Scrub;

pub(super) use self::compare::{Fit, difference, fits};
pub(super) use self::failed::Failed;

/// The version of the format.
const VERSION: u64 = 1;
/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;
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

/// All that was asked and answered. What a question repeats of an earlier one is here once, as in the file.
#[derive(Debug, Clone, Default)]
pub(super) struct Cassette {
    pub(super) model: String,
    exchanges: Vec<Exchange>,
}

/// One question and what came of it.
#[derive(Debug, Clone)]
struct Exchange {
    goes_on: Option<Link>,
    /// The messages of the question behind those that it repeats.
    own: Vec<Value>,
    /// How many messages the question has.
    len: usize,
    /// The answer, if there was one, as a later question repeats it.
    answer: Option<Value>,
    tools: Arc<Value>,
    wishes: Value,
    outcome: Outcome,
}

/// What a question repeats: the beginning of an earlier conversation.
#[derive(Debug, Clone, Copy)]
struct Link {
    /// The earlier exchange, from 0.
    to: usize,
    /// How many messages of its conversation, the answer counted.
    kept: usize,
}

/// A question as it is compared and written: only what the model is told.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub(super) messages: Vec<Value>,
    pub(super) tools: Value,
    /// What differs from an ordinary question: tool choice, parallel calls, strict.
    pub(super) wishes: Value,
}

/// A question of a cassette.
pub(super) struct Recorded<'c> {
    pub(super) messages: Vec<&'c Value>,
    pub(super) tools: &'c Value,
    pub(super) wishes: &'c Value,
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
struct Written<'f> {
    /// The number of the earlier question whose conversation this one goes on with, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    continues: Option<usize>,
    /// How many messages of that conversation are kept, its answer counted; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keeps: Option<usize>,
    /// What is new.
    messages: Cow<'f, [Value]>,
    /// The tools, if they are others than those of the question before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tools: Option<Cow<'f, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wishes: Option<Cow<'f, Value>>,
    #[serde(flatten)]
    outcome: Cow<'f, Outcome>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File<'f> {
    cassette: u64,
    model: Cow<'f, str>,
    exchanges: Vec<Written<'f>>,
}

impl Asked {
    /// What the request tells the model.
    pub(super) fn of(request: &ChatRequest<'_>) -> Self {
        let messages = request.messages.iter().map(visible).collect();
        let tools = request.tools.definitions().map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.input_schema.as_value(),
            })
        });
        let tools = tools.collect();
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

    /// The same without secrets.
    pub(super) fn without_secrets(self, scrub: &Scrub, searched: &mut Searched) -> Self {
        let mut clean = |value| searched.once(value, |value| scrub.value(value));
        let messages = self.messages.into_iter().map(&mut clean).collect();
        Self { messages, tools: clean(self.tools), wishes: self.wishes }
    }
}

/// What was searched for secrets, and what is left of it where there were some. Each question repeats those before it, and
/// searching is by far the dearest part of recording one.
#[derive(Default)]
pub(super) struct Searched(HashMap<Value, Option<Value>>);

impl Searched {
    /// The value without secrets, searched only if it is new.
    fn once(&mut self, value: Value, search: impl FnOnce(Value) -> Value) -> Value {
        if let Some(left) = self.0.get(&value) {
            return left.clone().unwrap_or(value);
        }
        let clean = search(value.clone());
        let left = (clean != value).then(|| clean.clone());
        self.0.insert(value, left);
        clean
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
        let text = file::read(path, LARGEST)
            .map_err(|error| unusable(format!("the cassette {shown} cannot be read: {error}")))?;
        measure::check(text.as_bytes())
            .map_err(|_| unusable(format!("{shown} is no cassette: it holds too many values")))?;
        let file: File<'_> = serde_json::from_str(&text)
            .map_err(|error| unusable(format!("{shown} is no cassette that can be read: {error}")))?;
        if file.cassette != VERSION {
            return Err(unusable(format!(
                "{shown} is a cassette of version {}, and only {VERSION} is known here",
                file.cassette
            )));
        }
        let mut cassette = Self::new(&file.model);
        for (index, written) in file.exchanges.into_iter().enumerate() {
            let number = index.saturating_add(1);
            cassette.take(written).ok_or_else(|| {
                unusable(format!("{shown}: question {number} goes on with one that is not before it"))
            })?;
        }
        Ok(cassette)
    }

    /// Writes the file: there as a whole or not at all.
    pub(super) fn save(&self, path: &Path) -> std::io::Result<()> {
        let exchanges = (0..self.exchanges.len()).filter_map(|index| self.written(index)).collect();
        let file = File { cassette: VERSION, model: self.model.as_str().into(), exchanges };
        let mut text = serde_json::to_string_pretty(&file)?;
        text.push('\n');
        file::save(path, &text)
    }

    /// An empty one.
    pub(super) fn new(model: &str) -> Self {
        Self { model: model.to_owned(), exchanges: Vec::new() }
    }

    /// How many questions there are.
    pub(super) fn len(&self) -> usize {
        self.exchanges.len()
    }

    /// What came of a question.
    pub(super) fn outcome(&self, index: usize) -> Option<&Outcome> {
        self.exchanges.get(index).map(|exchange| &exchange.outcome)
    }

    /// How many messages a question has.
    pub(super) fn messages(&self, index: usize) -> usize {
        self.exchanges.get(index).map_or(0, |exchange| exchange.len)
    }

    /// A question, with what it takes from earlier ones.
    pub(super) fn asked(&self, index: usize) -> Option<Recorded<'_>> {
        let exchange = self.exchanges.get(index)?;
        // From the end to the beginning; each step leads to an earlier exchange.
        let mut parts: Vec<&Value> = exchange.own.iter().rev().collect();
        let mut goes_on = exchange.goes_on;
        while let Some(Link { to, kept }) = goes_on {
            let earlier = self.exchanges.get(to)?;
            let before = earlier.goes_on.map_or(0, |link| link.kept);
            let said = earlier.said().take(kept.saturating_sub(before));
            parts.extend(said.collect::<Vec<_>>().into_iter().rev());
            goes_on = earlier.goes_on.map(|link| Link { kept: link.kept.min(kept), ..link });
        }
        parts.reverse();
        Some(Recorded { messages: parts, tools: &exchange.tools, wishes: &exchange.wishes })
    }

    /// Puts a question before those from this place on.
    pub(super) fn insert(&mut self, place: usize, asked: Asked, outcome: Outcome) {
        let owned = |recorded: Recorded<'_>| Asked {
            messages: recorded.messages.into_iter().cloned().collect(),
            tools: recorded.tools.clone(),
            wishes: recorded.wishes.clone(),
        };
        let later: Vec<Asked> =
            (place..self.len()).filter_map(|index| self.asked(index).map(owned)).collect();
        let outcomes = self.exchanges.split_off(place.min(self.len())).into_iter().map(|later| later.outcome);
        self.push(asked, outcome);
        for (asked, outcome) in later.into_iter().zip(outcomes) {
            self.push(asked, outcome);
        }
    }

    fn push(&mut self, mut asked: Asked, outcome: Outcome) {
        let goes_on = self.best(&asked.messages);
        let len = asked.messages.len();
        let own = asked.messages.split_off(goes_on.map_or(0, |link| link.kept).min(len));
        let tools = match self.exchanges.last() {
            Some(last) if *last.tools == asked.tools => Arc::clone(&last.tools),
            _ => Arc::new(asked.tools),
        };
        let (answer, wishes) = (outcome.answer(), asked.wishes);
        self.exchanges.push(Exchange { goes_on, own, len, answer, tools, wishes, outcome });
    }

    /// The last of those conversations that begin with the most of these messages. Each message that is held is looked
    /// at once: what an exchange repeats was compared where it was said.
    fn best(&self, messages: &[Value]) -> Option<Link> {
        let mut same: Vec<usize> = Vec::with_capacity(self.len());
        let mut best: Option<Link> = None;
        for (to, exchange) in self.exchanges.iter().enumerate() {
            let (before, common) = match exchange.goes_on {
                Some(link) => (link.kept, same.get(link.to).copied().unwrap_or(0)),
                None => (0, 0),
            };
            let kept = if common < before {
                common
            } else {
                let rest = messages.get(before..).unwrap_or_default();
                before.saturating_add(exchange.said().zip(rest).take_while(|(a, b)| a == b).count())
            };
            same.push(kept);
            if kept > 0 && best.is_none_or(|best| kept >= best.kept) {
                best = Some(Link { to, kept });
            }
        }
        best
    }

    /// Takes an exchange of a file; nothing if it goes on with one that is not there.
    fn take(&mut self, written: Written<'_>) -> Option<()> {
        let goes_on = match written.continues {
            Some(number) => {
                let to = number.checked_sub(1)?;
                let all = self.exchanges.get(to)?.conversation();
                Some(Link { to, kept: written.keeps.map_or(all, |keeps| keeps.min(all)) })
            }
            None => None,
        };
        let tools = match (written.tools, self.exchanges.last()) {
            (Some(tools), _) => Arc::new(tools.into_owned()),
            (None, Some(before)) => Arc::clone(&before.tools),
            (None, None) => Arc::new(json!([])),
        };
        let (own, outcome) = (written.messages.into_owned(), written.outcome.into_owned());
        let len = goes_on.map_or(0, |link| link.kept).saturating_add(own.len());
        let wishes = written.wishes.map_or_else(|| json!({}), Cow::into_owned);
        self.exchanges.push(Exchange { goes_on, own, len, answer: outcome.answer(), tools, wishes, outcome });
        Some(())
    }

    /// An exchange as it stands in the file.
    fn written(&self, index: usize) -> Option<Written<'_>> {
        let exchange = self.exchanges.get(index)?;
        let before = index.checked_sub(1).and_then(|before| self.exchanges.get(before));
        let all = |link: &Link| self.exchanges.get(link.to).map_or(0, Exchange::conversation);
        Some(Written {
            continues: exchange.goes_on.map(|link| link.to.saturating_add(1)),
            keeps: exchange.goes_on.filter(|link| link.kept < all(link)).map(|link| link.kept),
            messages: Cow::Borrowed(&exchange.own),
            tools: before
                .is_none_or(|before| before.tools != exchange.tools)
                .then(|| Cow::Borrowed(&*exchange.tools)),
            wishes: exchange
                .wishes
                .as_object()
                .is_some_and(|wishes| !wishes.is_empty())
                .then(|| Cow::Borrowed(&exchange.wishes)),
            outcome: Cow::Borrowed(&exchange.outcome),
        })
    }
}

impl Exchange {
    /// What it adds to the conversation that it goes on with: the question's own messages, and the answer.
    fn said(&self) -> impl Iterator<Item = &Value> {
        self.own.iter().chain(&self.answer)
    }

    /// How many messages the conversation has, the answer counted.
    fn conversation(&self) -> usize {
        self.len.saturating_add(usize::from(self.answer.is_some()))
    }
}

impl Outcome {
    fn answer(&self) -> Option<Value> {
        match self {
            Self::Answered(reply) => Some(visible(&Message::Assistant(reply.message.clone()))),
            Self::Failed(_) => None,
        }
    }
}

pub(super) fn unusable(why: String) -> ModelError {
    ModelError::Unsupported(why.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_question_repeats_is_not_searched_again() {
        let mut searched = Searched::default();
        let (mut searches, mut all) = (0, Vec::new());
        for round in 0..30 {
            all.push(json!({"round": round, "password": "hunter2"}));
            for message in &all {
                let clean = searched.once(message.clone(), |value| {
                    searches += 1;
                    Scrub::default().value(value)
                });
                assert_eq!(clean["password"], "[secret]");
            }
            let plain = json!({"round": round});
            assert_eq!(searched.once(plain.clone(), |value| value), plain);
            assert_eq!(searched.once(plain.clone(), |_| panic!("searched again")), plain);
        }
        assert_eq!(searches, 30);
    }
}
