//! What a turn came to: the text, why it ended, and everything that was said on the way.

use std::fmt;

use opentool_core::{Message, ToolResult, Usage};
use serde::{Deserialize, Serialize};

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finish {
    /// The model answered and asked for nothing more.
    Answered,
    /// The model's answer was cut off at its output limit.
    CutOff,
    /// The model or its provider refused; the text says what it said about it.
    Refused,
    /// The model said nothing: neither words nor a call.
    Empty,
    /// The model, or its service, ended the answer for another reason than that all was said: a call that was written
    /// wrongly, a pause, a failure, a reason of which nothing is known. Calls of such an answer are not run. The text is what was said until then, `Reply::reason` the provider's word for it.
    Broken,
    /// The tools' results are the answer: all tools that were called return directly, and none failed.
    ReturnDirect,
    /// The model still wanted to go on after the last round it was allowed.
    RoundLimit,
    /// The model made more calls than one turn may: [`crate::Run::exceeded`] says which limit it was. The calls within
    /// the limits have their results.
    CallLimit,
    /// The host ended the turn: [`crate::Agent::stop_when`], [`crate::Run::stop`]. The calls have their results; the
    /// text is what the model said last, if anything.
    Stopped,
}

/// What a turn came to. `Display` prints the text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reply {
    /// What the model said last; with [`Finish::ReturnDirect`] what the tools returned, one after the other.
    pub text: String,
    /// Why the turn ended.
    pub finish: Finish,
    /// The provider's word for why the answer ended, with [`Finish::Broken`]: `MALFORMED_FUNCTION_CALL`, `pause_turn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Box<str>>,
    /// The whole conversation, this turn included: store it, or go on with it.
    pub messages: Vec<Message>,
    /// How many answers of the model the turn took.
    pub rounds: u32,
    /// Tokens of the whole turn, without those of agents that it called as tools.
    pub usage: Usage,
    /// Tokens of the agents that it called as tools: [`crate::Run::inner_usage`].
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub inner_usage: Usage,
}

impl Reply {
    pub(crate) fn new(finish: Finish, messages: Vec<Message>, rounds: u32, usage: Usage) -> Self {
        let text = match finish {
            Finish::ReturnDirect => {
                let outputs: Vec<String> =
                    last_results(&messages).map(|result| result.output.to_text()).collect();
                outputs.join("\n")
            }
            _ => last_answer(&messages),
        };
        Self { text, finish, reason: None, messages, rounds, usage, inner_usage: Usage::default() }
    }

    /// Sets the tokens of agents that were called as tools.
    pub(crate) fn inner_usage(mut self, usage: Usage) -> Self {
        self.inner_usage = usage;
        self
    }

    /// Sets the provider's word for why the answer ended.
    pub(crate) fn reason(mut self, reason: Option<Box<str>>) -> Self {
        self.reason = reason;
        self
    }

    /// The results behind the last answer that asked for calls and got nothing after them: with
    /// [`Finish::ReturnDirect`] they are the reply, structured values included. Otherwise usually none.
    pub fn results(&self) -> impl Iterator<Item = &ToolResult> {
        last_results(&self.messages)
    }
}

fn is_nothing(usage: &Usage) -> bool {
    *usage == Usage::default()
}

fn last_results(messages: &[Message]) -> impl Iterator<Item = &ToolResult> {
    let results = messages.iter().rev().take_while(|message| matches!(message, Message::Tool(_))).count();
    messages.iter().skip(messages.len().saturating_sub(results)).filter_map(|message| match message {
        Message::Tool(result) => Some(result),
        _ => None,
    })
}

fn last_answer(messages: &[Message]) -> String {
    messages
        .iter()
        .rev()
        .find_map(|message| match message {
            Message::Assistant(answer) => Some(answer.to_text()),
            _ => None,
        })
        .unwrap_or_default()
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}
