//! What an answer held.

use opentool_core::{AssistantMessage, Problem, ToolCall, ToolOutput, ToolResult};
use serde_json::{Map, Value, json};

use super::wire::WireResult;
use super::{MessageFormat, responses, wire_results, write_calls, write_results};
use crate::text_calls::object;

/// An answer of a provider, as a value or as the text that came over the wire.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Reply<'a> {
    /// A value.
    Value(&'a Value),
    /// JSON text; for [`MessageFormat::Text`] the model's words.
    Text(&'a str),
}

impl<'a> From<&'a Value> for Reply<'a> {
    fn from(value: &'a Value) -> Self {
        Self::Value(value)
    }
}

impl<'a> From<&'a str> for Reply<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a String> for Reply<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

/// What an answer asks for and says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ParsedCalls {
    /// The calls, in order. Their ids are not empty, and differ within the answer. One that cannot run is here as well, so
    /// that its id gets a result: without a name, which no tool has, or with the text of arguments without an end, which
    /// every check refuses. [`to_list`](Self::to_list) leaves these out.
    pub calls: Vec<ToolCall>,
    /// What the model said beside them, its thoughts left out.
    pub text: String,
    /// What is wrong with the answer, with JSON Pointers into what was read. Calls that are not among
    /// [`calls`](Self::calls) because nothing can be made of them; calls that are, with what is odd about them.
    pub problems: Vec<Problem>,
    /// The turn exactly as it came, to be appended to the conversation with this provider: with the signatures and
    /// thoughts that providers demand back unchanged (Gemini's `thoughtSignature`, Anthropic's `thinking` blocks and
    /// `caller`, reasoning items of Responses, `reasoning_content`) and the calls that ran at the provider.
    ///
    /// Only a turn that no provider takes back, because a call in it has no usable id or name, is written anew.
    pub replay: Vec<Value>,
    pub(super) format: MessageFormat,
    /// Whether `replay` is what came.
    pub(super) as_it_came: bool,
    /// Of each call, whether it cannot run.
    pub(super) broken: Vec<bool>,
}

impl ParsedCalls {
    /// The turn in no provider's format. What only the provider knows is left behind.
    pub fn into_message(self) -> AssistantMessage {
        message(self.calls, self.text)
    }

    /// The calls as `[{"id", "name", "arguments"}]`, for programs: arguments that came as the text of an object are
    /// that object, and missing ones an empty one. Text that is none stays text. Calls that cannot run, because they were
    /// cut off or have no name, are not among them: [`problems`](Self::problems) has them.
    pub fn to_list(&self) -> Value {
        let call = |call: &ToolCall| {
            let arguments = match &call.arguments {
                Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
                other => object(other.clone()),
            };
            json!({"id": call.id, "name": call.name, "arguments": arguments})
        };
        let is_broken = |place: usize| self.broken.get(place).copied().unwrap_or(false);
        self.calls
            .iter()
            .enumerate()
            .filter(|(place, _)| !is_broken(*place))
            .map(|(_, one)| call(one))
            .collect()
    }

    /// Writes the turn anew where it cannot be sent back.
    pub(super) fn mended(mut self) -> Self {
        if !self.as_it_came {
            self.replay = write_calls(self.format, &message(self.calls.clone(), self.text.clone()));
        }
        self
    }

    /// The results of the calls as messages to append behind [`replay`](Self::replay): as
    /// [`write_results`] writes them, but with the ids and names exactly as they came, and with
    /// what the provider wants echoed (Responses: the `caller`, and the other kind of result for custom tools).
    ///
    /// `outputs` stand in the order of [`calls`](Self::calls). A call without one gets an error that says that it was
    /// not run, because providers refuse a conversation that leaves a call open.
    pub fn results(&self, outputs: &[ToolOutput]) -> Vec<Value> {
        let missing = || ToolOutput::error("there is no result: the call was not run");
        let results: Vec<ToolResult> = self
            .calls
            .iter()
            .enumerate()
            .map(|(i, call)| {
                let output = outputs.get(i).cloned().unwrap_or_else(missing);
                ToolResult::new(call, output)
            })
            .collect();
        if !self.as_it_came {
            return write_results(self.format, &results);
        }
        let mut written = wire_results(self.format, &WireResult::as_they_are(&results));
        if self.format == MessageFormat::OpenAiResponses {
            responses::echo(&self.replay, &mut written);
        }
        written
    }
}

fn message(calls: Vec<ToolCall>, text: String) -> AssistantMessage {
    let message = AssistantMessage::calls(calls);
    if text.is_empty() { message } else { message.say(text) }
}
