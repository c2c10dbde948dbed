//! A run as a value: it says what it needs next and takes what came.
//!
//! There is no I/O, no clock and no task in here. [`crate::Agent`] drives a run; so can a test, a person with a
//! debugger, or another process that read the run from a file. That is why suspending, resuming and testing are
//! one mechanism, and why a result that came in is never lost: it is in the run before anything else happens.

use std::collections::BTreeMap;
use std::fmt;

use opentool_core::{
    ChatReply, Message, StopReason, ToolCall, ToolError, ToolOutput, ToolResult, ToolSet, Usage,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::history::{self, Ids, Mended};
use crate::{Finish, Prompt, Reply};

/// How many answers of the model one turn may take if nobody says otherwise.
pub(crate) const ROUNDS: u32 = 25;

/// A conversation in progress: its messages, the results that are there, and what it needs next.
///
/// It serialises at every point. What it takes is checked against what it asked for.
///
/// ```
/// use opentool_agent::{Run, Step};
/// use opentool_core::{AssistantMessage, ChatReply, ToolCall, ToolOutput, ToolResult, ToolSet};
///
/// # fn main() -> Result<(), opentool_agent::AgentError> {
/// let tools = ToolSet::new();
/// let mut run = Run::new("What is the time?");
/// assert!(matches!(run.step(), Step::Ask(_)));
///
/// let call = ToolCall::new("call_1", "clock", serde_json::Value::Null);
/// run.answer(ChatReply::new(AssistantMessage::calls([call.clone()])), &tools)?;
/// assert!(matches!(run.step(), Step::Call(calls) if calls == [&call]));
///
/// run.result(ToolResult::new(&call, ToolOutput::text("12:00")))?;
/// assert!(matches!(run.step(), Step::Ask(messages) if messages.len() == 3));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    messages: Vec<Message>,
    /// Results of the last answer's calls, until all are there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    results: BTreeMap<String, ToolResult>,
    /// All calls of the last answer are of tools whose result goes to the caller.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    direct: bool,
    #[serde(default)]
    rounds: u32,
    #[serde(default = "rounds")]
    max_rounds: u32,
    /// Rounds beyond the limit, for this turn only.
    #[serde(default)]
    granted: u32,
    #[serde(default)]
    usage: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    finish: Option<Finish>,
}

fn rounds() -> u32 {
    ROUNDS
}

/// What a run needs next.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Step<'a> {
    /// The model's answer to these messages; give it to [`Run::answer`].
    Ask(&'a [Message]),
    /// The results of these calls, in any order and one by one; give each to [`Run::result`].
    Call(Vec<&'a ToolCall>),
    /// Nothing: the turn is over. [`Run::say`] begins the next one.
    Done(Finish),
}

/// Something was given to a run that it had not asked for. The run is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the run did not ask for {given}; it needs {needed}")]
#[non_exhaustive]
pub struct OutOfTurn {
    /// What was given.
    pub given: String,
    /// What [`Run::step`] asks for.
    pub needed: &'static str,
}

impl Run {
    /// A run that begins with what a person says, or with a conversation so far.
    ///
    /// A conversation may end anywhere: after an answer (the run is done), after calls (the run asks for the
    /// results that are missing). Calls in the middle that have no result get one that says so, and results
    /// without a call are left out, because providers refuse such conversations.
    pub fn new(prompt: impl Into<Prompt>) -> Self {
        let Mended { messages, results } = history::mend(prompt.into().into_messages());
        let mut run = Self {
            messages,
            results,
            direct: false,
            rounds: 0,
            max_rounds: ROUNDS,
            granted: 0,
            usage: Usage::default(),
            finish: None,
        };
        run.settle();
        run
    }

    /// Sets how many answers of the model one turn may take, at least 1. Default: 25.
    ///
    /// The calls of the last answer are still run, so that their results are there when the run goes on.
    pub fn max_rounds(mut self, rounds: u32) -> Self {
        self.max_rounds = rounds.max(1);
        self
    }

    /// Puts instructions before everything else, unless the conversation has some there already.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        if !matches!(self.messages.first(), Some(Message::System(_))) {
            self.messages.insert(0, Message::system(text));
        }
        self
    }

    /// What the run needs next.
    pub fn step(&self) -> Step<'_> {
        if let Some(finish) = self.finish {
            return Step::Done(finish);
        }
        let open: Vec<&ToolCall> = self.open().collect();
        if !open.is_empty() {
            Step::Call(open)
        } else if self.rounds >= self.max_rounds.saturating_add(self.granted) {
            Step::Done(Finish::RoundLimit)
        } else {
            Step::Ask(&self.messages)
        }
    }

    /// Takes the model's answer. `tools` are those that the model was told of.
    ///
    /// Calls without an id, or with one that was there before, get a new one. Where the answer was cut off at the
    /// model's output limit, a call whose arguments are not whole is not asked for: it gets an error result.
    /// Calls beside a refusal are dropped.
    ///
    /// # Errors
    /// [`OutOfTurn`] if the run did not ask for an answer.
    pub fn answer(&mut self, reply: ChatReply, tools: &ToolSet) -> Result<(), OutOfTurn> {
        if !matches!(self.step(), Step::Ask(_)) {
            return Err(self.out_of_turn("an answer of the model".to_owned()));
        }
        let ChatReply { mut message, stop, usage, .. } = reply;
        self.rounds = self.rounds.saturating_add(1);
        self.usage += usage;
        if stop == StopReason::Refusal {
            message.tool_calls.clear();
        }
        if !message.tool_calls.is_empty() {
            Ids::of(&self.messages).give(&mut message);
        }
        self.direct = !message.tool_calls.is_empty()
            && message
                .tool_calls
                .iter()
                .all(|call| tools.get(&call.name).is_some_and(|tool| tool.definition().return_direct));
        if message.tool_calls.is_empty() {
            self.finish = Some(match stop {
                StopReason::Length => Finish::CutOff,
                StopReason::Refusal => Finish::Refused,
                _ => Finish::Answered,
            });
        }
        let cut_off = message.tool_calls.last().filter(|call| stop == StopReason::Length && !is_whole(call));
        let refused = cut_off.map(|call| {
            let why =
                "your answer reached its length limit inside this call; call again, with less in one answer";
            ToolResult::new(call, ToolOutput::from(&ToolError::Refused(why.into())))
        });
        self.messages.push(Message::Assistant(message));
        refused.map_or(Ok(()), |result| self.result(result))
    }

    /// Takes the result of one call. When all are there, they are appended in the order of the calls.
    ///
    /// # Errors
    /// [`OutOfTurn`] if no call of this id waits for a result.
    pub fn result(&mut self, result: ToolResult) -> Result<(), OutOfTurn> {
        if !self.open().any(|call| call.id == result.call_id) {
            return Err(self.out_of_turn(format!("a result of the call `{}`", result.call_id)));
        }
        self.results.insert(result.call_id.clone(), result);
        if self.open().next().is_none() {
            let failed = self.results.values().any(|result| result.output.is_error);
            history::close(&mut self.messages, &mut self.results);
            // What failed goes to the model: it can try another way, a person who reads it cannot.
            if self.direct && !failed {
                self.finish = Some(Finish::ReturnDirect);
            }
        }
        Ok(())
    }

    /// Begins the next turn with what a person says. Rounds and usage are counted anew.
    ///
    /// Calls that still wait for a result get one that says that there is none.
    pub fn say(&mut self, prompt: impl Into<Prompt>) {
        history::close(&mut self.messages, &mut self.results);
        let mut messages = std::mem::take(&mut self.messages);
        messages.extend(prompt.into().into_messages());
        let Mended { messages, results } = history::mend(messages);
        *self = Self {
            messages,
            results,
            direct: false,
            rounds: 0,
            max_rounds: self.max_rounds,
            granted: 0,
            usage: Usage::default(),
            finish: None,
        };
        self.settle();
    }

    /// Lets this turn take `rounds` more answers from here on, at least 1, whatever the limit.
    pub fn allow(&mut self, rounds: u32) {
        let wanted = self.rounds.saturating_add(rounds.max(1));
        self.granted = wanted.saturating_sub(self.max_rounds);
    }

    /// The conversation so far. Results of calls stand in it once all calls of an answer have theirs.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The results that are there while others of the same answer are missing.
    pub fn results(&self) -> impl ExactSizeIterator<Item = &ToolResult> {
        self.results.values()
    }

    /// How many answers of the model this turn has taken.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// What this turn has cost.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// What the turn came to, once it is over.
    pub fn reply(&self) -> Option<Reply> {
        match self.step() {
            Step::Done(finish) => Some(Reply::new(finish, self.messages.clone(), self.rounds, self.usage)),
            _ => None,
        }
    }

    /// [`Run::reply`] without copying the messages.
    ///
    /// # Errors
    /// The run itself if the turn is not over.
    pub fn into_reply(self) -> Result<Reply, Box<Self>> {
        match self.step() {
            Step::Done(finish) => Ok(Reply::new(finish, self.messages, self.rounds, self.usage)),
            _ => Err(Box::new(self)),
        }
    }

    /// The calls of the last answer that have no result.
    fn open(&self) -> impl Iterator<Item = &ToolCall> {
        history::last_calls(&self.messages).iter().filter(|call| !self.results.contains_key(&call.id))
    }

    /// A conversation that ends with an answer needs nothing.
    fn settle(&mut self) {
        if let Some(Message::Assistant(answer)) = self.messages.last()
            && answer.tool_calls.is_empty()
        {
            self.finish = Some(Finish::Answered);
        }
    }

    fn out_of_turn(&self, given: String) -> OutOfTurn {
        let needed = match self.step() {
            Step::Ask(_) => "an answer of the model",
            Step::Call(_) => "results of calls",
            Step::Done(_) => "nothing more in this turn",
        };
        OutOfTurn { given, needed }
    }
}

/// Whether nothing of the call can be missing: a text that is a JSON object has its end.
fn is_whole(call: &ToolCall) -> bool {
    match &call.arguments {
        Value::String(text) => matches!(serde_json::from_str(text), Ok(Value::Object(_))),
        Value::Object(_) => true,
        _ => false,
    }
}

/// Counts only: what was said and the arguments of calls may be secrets.
impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("messages", &self.messages.len())
            .field("results", &self.results.len())
            .field("rounds", &self.rounds)
            .field("max_rounds", &self.max_rounds)
            .field("usage", &self.usage)
            .field("finish", &self.finish)
            .finish_non_exhaustive()
    }
}
