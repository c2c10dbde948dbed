//! A run as a value: it says what it needs next and takes what came.
//!
//! There is no I/O, no clock and no task in here. [`crate::Agent`] drives a run; so can a test, a person with a
//! debugger, or another process that read the run from a file. That is why suspending, resuming and testing are
//! one mechanism, and why a result that came in is never lost: it is in the run before anything else happens.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use opentool_core::{
    AssistantMessage, ChatReply, Content, Message, StopReason, ToolCall, ToolError, ToolOutput, ToolResult,
    ToolSet, Usage,
};
use serde::{Deserialize, Serialize};

use crate::agent_tool::usage_behind;
use crate::approval::PendingCall;
use crate::cut;
use crate::history::{self, Ids, Mended};
use crate::limits::{Breach, Tally};
use crate::meant::meant;
use crate::{Exceeded, Finish, Limits, Prompt, Reply};

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
    pub(crate) messages: Vec<Message>,
    /// What was said up to the last summary of this turn, if there was one, as it was said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) transcript: Vec<Message>,
    /// How many of the messages, from the first one, the transcript covers.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) compacted: usize,
    /// Something was decided, and nothing was done about it so far.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) decided: bool,
    /// Results of the last answer's calls, until all are there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    results: BTreeMap<String, ToolResult>,
    /// Calls of the last answer that wait for a person.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) pending: BTreeMap<String, PendingCall>,
    /// Calls of the last answer that a person allowed and that have no result yet.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) allowed: BTreeMap<String, PendingCall>,
    /// Calls of the last answer that wait behind one that waits for a person.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) behind: BTreeSet<String>,
    /// Calls of the last answer that have begun and have no result yet.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) begun: BTreeSet<String>,
    /// Tools that a person allowed for the rest of the conversation.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) allowed_tools: BTreeSet<String>,
    /// Calls whose result the run made itself, as long as nobody who watches was told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) untold: Vec<String>,
    /// All calls of the last answer are of tools whose result goes to the caller.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    direct: bool,
    #[serde(default)]
    rounds: u32,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    tally: Tally,
    /// The limit that ends the turn once the last answer's calls have their results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exceeded: Option<Exceeded>,
    /// Rounds beyond the limit, for this turn only.
    #[serde(default)]
    granted: u32,
    #[serde(default)]
    usage: Usage,
    /// Tokens of agents that were called as tools.
    #[serde(default)]
    inner: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    finish: Option<Finish>,
    /// The provider's word for why the answer ended, if it is none of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<Box<str>>,
}

/// What a run needs next.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Step<'a> {
    /// The model's answer to these messages; give it to [`Run::answer`].
    Ask(&'a [Message]),
    /// The results of these calls, in any order and one by one; give each to [`Run::result`].
    Call(Vec<&'a ToolCall>),
    /// A person's decision about these calls; give each to [`Run::decide`]. All other calls of the answer have their
    /// results, or wait behind one of these, so nothing is going on: the run can be stored, and another process can go on
    /// with it.
    Approve(Vec<&'a PendingCall>),
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
        let mended = history::mend(prompt.into().into_messages());
        Self::of(mended, Limits::new(), BTreeSet::new())
    }

    /// The beginning of a turn.
    fn of(mended: Mended, limits: Limits, allowed_tools: BTreeSet<String>) -> Self {
        let Mended { messages, results } = mended;
        let mut run = Self {
            messages,
            transcript: Vec::new(),
            compacted: 0,
            decided: false,
            results,
            pending: BTreeMap::new(),
            allowed: BTreeMap::new(),
            behind: BTreeSet::new(),
            begun: BTreeSet::new(),
            allowed_tools,
            untold: Vec::new(),
            direct: false,
            rounds: 0,
            limits,
            tally: Tally::default(),
            exceeded: None,
            granted: 0,
            usage: Usage::default(),
            inner: Usage::default(),
            finish: None,
            reason: None,
        };
        run.settle();
        run
    }

    /// Sets how much one turn may take.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how many answers of the model one turn may take: [`Limits::rounds`].
    pub fn max_rounds(mut self, rounds: u32) -> Self {
        self.limits = self.limits.rounds(rounds);
        self
    }

    /// Puts instructions before everything else, unless the conversation has some there already.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        if !matches!(self.messages.first(), Some(Message::System(_))) {
            self.messages.insert(0, Message::system(text));
            if self.compacted > 0 {
                self.compacted = self.compacted.saturating_add(1);
            }
        }
        self
    }

    /// What the run needs next.
    pub fn step(&self) -> Step<'_> {
        if let Some(finish) = self.finish {
            return Step::Done(finish);
        }
        let open: Vec<&ToolCall> = self.open().filter(|call| self.asks_for(call)).collect();
        if !open.is_empty() {
            Step::Call(open)
        } else if !self.pending.is_empty() {
            Step::Approve(self.pending_calls().collect())
        } else if self.rounds >= self.limits.rounds.saturating_add(self.granted) {
            Step::Done(Finish::RoundLimit)
        } else {
            Step::Ask(&self.messages)
        }
    }

    /// Takes the model's answer. `tools` are those that the model was told of.
    ///
    /// Calls without an id, or with one that was there before, get a new one. Where the answer was cut off at the
    /// model's output limit, none of its calls is asked for: each gets an error result, as does a call that is over one
    /// of the [`Limits`]. Calls of an answer that was refused, or that ended for a reason of which nothing is known, are
    /// dropped, and the turn is over.
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
        let cut = cut::refusal(&stop);
        if cut.is_some() && stop != StopReason::Length {
            message.tool_calls.clear();
        }
        if !message.tool_calls.is_empty() {
            Ids::of(self.transcript.iter().chain(&self.messages)).give(&mut message);
        }
        self.direct = !message.tool_calls.is_empty()
            && message
                .tool_calls
                .iter()
                .all(|call| meant(tools, &call.name).is_some_and(|tool| tool.return_direct));
        if message.tool_calls.is_empty() {
            self.finish = Some(match &stop {
                StopReason::Length => Finish::CutOff,
                StopReason::Refusal => Finish::Refused,
                StopReason::Other(reason) => {
                    self.reason = Some(reason.as_str().into());
                    Finish::Broken
                }
                _ if cut.is_some() => Finish::Broken,
                _ if says_nothing(&message) => Finish::Empty,
                _ => Finish::Answered,
            });
        }
        self.refuse(&message, cut, tools);
        self.messages.push(Message::Assistant(message));
        self.complete();
        Ok(())
    }

    /// Gives those calls their results that are not to be run at all.
    fn refuse(&mut self, message: &AssistantMessage, cut: Option<ToolError>, tools: &ToolSet) {
        let again = if cut.is_some() { Ok(()) } else { self.count_answer(&message.tool_calls, tools) };
        for call in &message.tool_calls {
            let counted = match &again {
                _ if cut.is_some() => Ok(()),
                Ok(()) => self.count(call, tools),
                Err(again) => Err(again.clone()),
            };
            let over = counted.err().map(|(exceeded, breach)| {
                let error = ToolError::from(&exceeded);
                if breach == Breach::Stop {
                    self.exceeded.get_or_insert(exceeded);
                }
                error
            });
            let Some(error) = cut.as_ref().or(over.as_ref()) else { continue };
            let output = ToolOutput::from(error).metadata("error.code", error.code());
            self.results.insert(call.id.clone(), ToolResult::new(call, output));
            self.untold.push(call.id.clone());
        }
    }

    /// Counts a call, for the tool that it means.
    fn count(&mut self, call: &ToolCall, tools: &ToolSet) -> Result<(), (Exceeded, Breach)> {
        let name = meant(tools, &call.name).map_or(&call.name, |tool| &tool.name);
        self.tally.count(name, &call.arguments, &self.limits)
    }

    /// Counts the calls of an answer together.
    fn count_answer(&mut self, calls: &[ToolCall], tools: &ToolSet) -> Result<(), (Exceeded, Breach)> {
        let named = calls.iter().map(|call| {
            let name = meant(tools, &call.name).map_or(&call.name, |tool| &tool.name);
            (name.as_str(), &call.arguments)
        });
        self.tally.count_answer(named, &self.limits)
    }

    /// Takes the result of one call. When all are there, they are appended in the order of the calls.
    ///
    /// # Errors
    /// [`OutOfTurn`] if no call of this id waits for a result.
    pub fn result(&mut self, result: ToolResult) -> Result<(), OutOfTurn> {
        if !self.open().any(|call| call.id == result.call_id) {
            return Err(self.out_of_turn(format!("a result of the call `{}`", result.call_id)));
        }
        if self.pending.remove(&result.call_id).is_some() {
            self.behind.clear();
        }
        self.behind.remove(&result.call_id);
        self.allowed.remove(&result.call_id);
        self.begun.remove(&result.call_id);
        self.inner += usage_behind(&result.output);
        self.results.insert(result.call_id.clone(), result);
        self.complete();
        Ok(())
    }

    /// Appends the results of the last answer's calls once all are there.
    fn complete(&mut self) {
        if history::last_calls(&self.messages).is_empty() || self.open().next().is_some() {
            return;
        }
        let failed = self.results.values().any(|result| result.output.is_error);
        history::close(&mut self.messages, &mut self.results);
        if self.exceeded.is_some() {
            self.finish = Some(Finish::CallLimit);
        } else if self.direct && !failed {
            // What failed goes to the model: it can try another way, a person who reads it cannot.
            self.finish = Some(Finish::ReturnDirect);
        }
    }

    /// Begins the next turn with what a person says. Rounds and usage are counted anew.
    ///
    /// Calls that still wait for a result get one that says that there is none.
    pub fn say(&mut self, prompt: impl Into<Prompt>) {
        history::close(&mut self.messages, &mut self.results);
        let mut messages = std::mem::take(&mut self.messages);
        messages.extend(prompt.into().into_messages());
        let (limits, allowed) = (std::mem::take(&mut self.limits), std::mem::take(&mut self.allowed_tools));
        *self = Self::of(history::mend(messages), limits, allowed);
    }

    /// Lets this turn take `rounds` more answers from here on, at least 1, whatever the limit, and counts its calls
    /// anew. A turn that a limit or [`Run::stop`] ended goes on.
    pub fn allow(&mut self, rounds: u32) {
        let wanted = self.rounds.saturating_add(rounds.max(1));
        self.granted = wanted.saturating_sub(self.limits.rounds);
        self.tally = Tally::default();
        self.exceeded = None;
        if matches!(self.finish, Some(Finish::CallLimit | Finish::Stopped)) {
            self.finish = None;
        }
    }

    /// Ends the turn here, before the model is asked again: [`Finish::Stopped`].
    ///
    /// # Errors
    /// [`OutOfTurn`] if the run did not ask for an answer.
    pub fn stop(&mut self) -> Result<(), OutOfTurn> {
        if !matches!(self.step(), Step::Ask(_)) {
            return Err(self.out_of_turn("a stop".to_owned()));
        }
        self.finish = Some(Finish::Stopped);
        Ok(())
    }

    /// Takes what the model had said when its answer was given up, and ends the turn: [`Finish::Stopped`]. It stays in the
    /// conversation, marked as interrupted, so that the model knows what was read of it. Where nothing was said nothing is
    /// added.
    ///
    /// # Errors
    /// [`OutOfTurn`] if the run did not ask for an answer.
    pub fn break_off(&mut self, said: impl Into<String>) -> Result<(), OutOfTurn> {
        if !matches!(self.step(), Step::Ask(_)) {
            return Err(self.out_of_turn("a part of an answer".to_owned()));
        }
        let said = said.into();
        let said = said.trim_end();
        if !said.is_empty() {
            self.messages.push(Message::Assistant(AssistantMessage::text(format!("{said}… [interrupted]"))));
        }
        self.finish = Some(Finish::Stopped);
        Ok(())
    }

    /// The conversation so far, to be kept: the messages, and behind them the results that are there while others of the
    /// same answer are missing. A run that begins with it does no finished call again.
    pub fn to_messages(&self) -> Vec<Message> {
        self.messages.iter().cloned().chain(self.results().cloned().map(Message::Tool)).collect()
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

    /// How many calls of tools this turn has asked for that no limit refused.
    pub fn calls(&self) -> u32 {
        self.tally.calls()
    }

    /// The limit of calls that ended this turn, or will once the last answer's calls have their results.
    pub fn exceeded(&self) -> Option<&Exceeded> {
        self.exceeded.as_ref()
    }

    /// Tokens of this turn, without those of agents that it called as tools.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Tokens of the agents that this turn called as tools, and of those that they called. What a call took that was given
    /// up (a timeout, a cancellation) is not known.
    pub fn inner_usage(&self) -> Usage {
        self.inner
    }

    /// What the turn came to, once it is over.
    pub fn reply(&self) -> Option<Reply> {
        match self.step() {
            Step::Done(finish) => {
                let reply = Reply::new(finish, self.messages.clone(), self.rounds, self.usage);
                Some(reply.inner_usage(self.inner).reason(self.reason.clone()))
            }
            _ => None,
        }
    }

    /// [`Run::reply`] without copying the messages.
    ///
    /// # Errors
    /// The run itself if the turn is not over.
    pub fn into_reply(self) -> Result<Reply, Box<Self>> {
        match self.step() {
            Step::Done(finish) => {
                let reply = Reply::new(finish, self.messages, self.rounds, self.usage);
                Ok(reply.inner_usage(self.inner).reason(self.reason))
            }
            _ => Err(Box::new(self)),
        }
    }

    /// Whether the result of an open call is what the run asks for now.
    pub(crate) fn asks_for(&self, call: &ToolCall) -> bool {
        let waits = || self.pending.contains_key(&call.id) || self.behind.contains(&call.id);
        self.pending.is_empty() || !waits()
    }

    /// The calls of the last answer that have no result.
    pub(crate) fn open(&self) -> impl Iterator<Item = &ToolCall> {
        history::last_calls(&self.messages).iter().filter(|call| !self.results.contains_key(&call.id))
    }

    /// The result of a call of the last answer that has calls, and the call.
    pub(crate) fn result_of(&self, call_id: &str) -> Option<(ToolCall, ToolOutput)> {
        let in_messages = self.messages.iter().rev().find_map(|message| match message {
            Message::Tool(result) if result.call_id == call_id => Some(result),
            _ => None,
        });
        let result = self.results.get(call_id).or(in_messages)?;
        let mut calls =
            self.messages.iter().rev().flat_map(|message| history::last_calls(std::slice::from_ref(message)));
        Some((calls.find(|call| call.id == call_id)?.clone(), result.output.clone()))
    }

    /// Puts another output in the place of that of a call of the last answer that has calls.
    pub(crate) fn reword(&mut self, call_id: &str, output: ToolOutput) {
        let in_messages = self.messages.iter_mut().rev().find_map(|message| match message {
            Message::Tool(result) if result.call_id == call_id => Some(result),
            _ => None,
        });
        if let Some(result) = self.results.get_mut(call_id).or(in_messages) {
            result.output = output;
        }
    }

    /// A conversation that ends with an answer needs nothing.
    fn settle(&mut self) {
        if let Some(Message::Assistant(answer)) = self.messages.last()
            && answer.tool_calls.is_empty()
        {
            self.finish = Some(Finish::Answered);
        }
    }

    pub(crate) fn out_of_turn(&self, given: String) -> OutOfTurn {
        let needed = match self.step() {
            Step::Ask(_) => "an answer of the model",
            Step::Call(_) => "results of calls",
            Step::Approve(_) => "decisions about calls",
            Step::Done(_) => "nothing more in this turn",
        };
        OutOfTurn { given, needed }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Whether an answer holds nothing that a person could be shown.
fn says_nothing(message: &AssistantMessage) -> bool {
    message.content.iter().all(|block| matches!(block, Content::Text(text) if text.trim().is_empty()))
}

/// Counts only: what was said and the arguments of calls may be secrets.
impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("messages", &self.messages.len())
            .field("results", &self.results.len())
            .field("rounds", &self.rounds)
            .field("pending", &self.pending.len())
            .field("limits", &self.limits)
            .field("usage", &self.usage)
            .field("finish", &self.finish)
            .finish_non_exhaustive()
    }
}
