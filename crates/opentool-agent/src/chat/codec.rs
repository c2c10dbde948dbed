//! What a provider's wire is: requests written, answers read, streams put together. Pure.
//!
//! One file a provider, always the same parts: `path`, `body`, `read`, `keep`, `assembly`. Calls, results and their
//! ids are written and read by `opentool-schema`; definitions are lowered by it. A stream is put together to the body
//! that the provider would have sent at once, and read by the same `read`: both ways give one answer.

mod anthropic;
mod chat;
mod gemini;
mod mistral;
mod ollama;
mod openai;
mod responses;

use opentool_core::{ChatReply, ChatRequest, ModelError, ReplyEvent, StopReason, Usage};
use opentool_schema::__private::{deep, exact_event, with_whole_characters, with_zeros};
use opentool_schema::{MessageFormat, Reply, parse_calls};
use serde_json::{Map, Value, json};

use super::Provider;
use super::failure::{self, Unclean};
use super::measure::Kept;
use super::tools::WireTools;

/// The most characters of an unknown reason that are kept.
const REASON: usize = 64;

/// The codec of a provider.
pub(super) fn of(provider: Provider) -> &'static dyn Codec {
    match provider {
        Provider::OpenAi => &openai::OpenAi,
        Provider::OpenAiResponses => &responses::Responses,
        Provider::Anthropic => &anthropic::Anthropic,
        Provider::Gemini => &gemini::Gemini,
        Provider::Mistral => &mistral::Mistral,
        Provider::Ollama => &ollama::Ollama,
    }
}

/// A question on its way.
pub(super) struct Ask<'a> {
    pub(super) model: &'a str,
    pub(super) request: ChatRequest<'a>,
    pub(super) tools: &'a WireTools,
    pub(super) delivery: Delivery,
    pub(super) server: Server,
}

/// How the answer is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    Whole,
    Streamed,
}

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Server {
    /// The provider itself, which knows all that it documents.
    Provider,
    /// One that speaks its format.
    Other,
}

/// How the pieces of a stream are framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-Sent Events.
    Events,
    /// A JSON text a line.
    Lines,
}

/// What an answer says beside its text and calls.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) stop: StopReason,
    pub(super) usage: Usage,
    pub(super) reasoning: String,
}

/// One provider's wire.
pub(super) trait Codec: Sync {
    fn format(&self) -> MessageFormat;

    fn framing(&self) -> Framing {
        Framing::Events
    }

    /// What is appended to the base address.
    fn path(&self, ask: &Ask<'_>) -> Vec<String>;

    /// The query of the address.
    fn query(&self, _delivery: Delivery) -> Option<&'static str> {
        None
    }

    /// The body of a request, but for the host's parameters.
    fn body(&self, ask: &Ask<'_>) -> Result<Map<String, Value>, ModelError>;

    /// Members of the body that a host's parameter does not replace.
    fn own(&self) -> &'static [&'static str];

    /// What an answer says beside its text and calls; an error for a body that is no answer.
    fn read(&self, answer: &Value) -> Result<Said, Unclean>;

    /// What of a turn, as it came, goes back to the provider; `None` where our own message holds all of it.
    fn keep(&self, turn: Vec<Value>) -> Option<Vec<Value>>;

    /// A stream that has not begun.
    fn assembly(&self) -> Box<dyn Assembly>;
}

/// A stream that is being put together.
pub(super) trait Assembly: Send {
    /// Takes the next event; adds what it tells. Names of tools are the provider's. What stays of the event, but for
    /// words and thoughts that are told, is weighed.
    fn take(&mut self, event: Value, told: &mut Vec<ReplyEvent>, kept: &mut Kept) -> Result<(), Unclean>;

    /// Whether the answer is complete. A stream that ends before broke off.
    fn is_complete(&self) -> bool;

    /// Whether nothing more can come, even if the server does not close the stream.
    fn is_over(&self) -> bool {
        false
    }

    /// The body that the provider would have sent at once.
    fn whole(self: Box<Self>) -> Value;
}

/// Reads a whole answer. `reply` is the same answer, as text where there is one: it keeps the digits of numbers.
pub(super) fn read(
    codec: &dyn Codec,
    tools: &WireTools,
    answer: &Value,
    reply: Reply<'_>,
) -> Result<ChatReply, Unclean> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        // Gateways report the failure of the server behind them with status 200.
        return Err(failure::of_event(error));
    }
    let said = codec.read(answer)?;
    // A call that cannot be read whole stays, with an empty name: its result says that there is no such tool.
    let parsed =
        parse_calls(codec.format(), reply).map_err(|error| ModelError::Protocol(error.to_string().into()))?;
    let turn = codec.keep(parsed.replay.clone());
    let mut message = tools.back(parsed.into_message()).reasoning(said.reasoning);
    if let Some(turn) = turn {
        message = message.keep(codec.format().name(), turn);
    }
    let stop = match said.stop {
        // Several servers say that all is said, beside calls; or say nothing. What nobody knows stays, and runs nothing.
        StopReason::End if !message.tool_calls.is_empty() => StopReason::ToolCalls,
        StopReason::ToolCalls if message.tool_calls.is_empty() => StopReason::End,
        stop => stop,
    };
    let mut reply = ChatReply::new(message).stop(stop).usage(said.usage);
    reply.model = model_of(answer).map(Into::into);
    Ok(reply)
}

/// What a provider sent. One number that is too large for any value does not hide the rest: it is 0 here, and as it was
/// written where the calls are read from the text; so do not arguments that nest too deep, which stay too deep. Half of a
/// character is U+FFFD.
pub(super) fn json(text: &str) -> serde_json::Result<Value> {
    let text = &*with_whole_characters(text);
    serde_json::from_str(text).or_else(|error| {
        let held = with_zeros(text).and_then(|text| serde_json::from_str(&text).ok());
        held.or_else(|| deep(text)).ok_or(error)
    })
}

/// The model that an answer, or an event of a stream, says it is from. All wires have it near the top.
pub(super) fn model_of(said: &Value) -> Option<&str> {
    /// A longer name is none.
    const LONGEST: usize = 256;
    let places = ["/model", "/modelVersion", "/message/model", "/response/model"];
    let name = places.iter().find_map(|place| said.pointer(place)?.as_str());
    name.filter(|name| !name.is_empty() && name.len() <= LONGEST)
}

/// A reason that has no word of ours.
pub(super) fn other(reason: &str) -> StopReason {
    StopReason::Other(reason.chars().take(REASON).collect())
}

/// An answer that is not in the format.
fn protocol(what: &str) -> Unclean {
    ModelError::Protocol(what.into()).into()
}

/// The number at a pointer; 0 without one.
fn tokens(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// The text at a key; empty without one.
fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Puts back what the value of an event does not hold, digits and keys that stand twice: such arguments become the text
/// that came. Where it is not known which call was meant there is no answer.
pub(super) fn exact(text: &str, event: &mut Value) -> Result<(), Unclean> {
    exact_event(text, event)
        .map_err(|key| protocol(&format!("an event says `{key}` twice, and which one counts is not known")))
}

/// Arguments as they were written.
pub(super) fn written(arguments: &Value) -> String {
    match arguments {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Arguments that are text, as the object that providers with objects take back.
pub(super) fn as_object(arguments: &mut Value) {
    if let Value::String(text) = arguments {
        *arguments = match serde_json::from_str::<Value>(text) {
            Ok(object @ Value::Object(_)) => object,
            _ => json!({"invalid_arguments": text}),
        };
    }
}

/// Adds a piece of text to what is told, unless it is empty.
fn tell_text(text: &str, told: &mut Vec<ReplyEvent>) {
    if !text.is_empty() {
        told.push(ReplyEvent::Text { text: text.to_owned() });
    }
}

/// Adds a piece of a thought to what is told, unless it is empty.
fn tell_reasoning(text: &str, told: &mut Vec<ReplyEvent>) {
    if !text.is_empty() {
        told.push(ReplyEvent::Reasoning { text: text.to_owned() });
    }
}
