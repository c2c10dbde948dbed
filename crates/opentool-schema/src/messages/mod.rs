//! The way back: a provider's messages that ask for calls become [`ToolCall`](opentool_core::ToolCall)s, and outputs
//! of tools become that provider's result messages.
//!
//! One file a format, always the same parts: `read` (an answer), `calls` (the assistant's turn, for a replay),
//! `results`. What all formats share is decided once: ids ([`CallIds`]), names, arguments, what an output says.
//!
//! Reading is lenient, because many servers speak each format and each a little differently. Writing is strict,
//! because the same servers refuse a whole conversation for one detail: a name or an id with a wrong character, an
//! empty content, arguments that are no object, a call without a result. Nothing here checks arguments against a
//! schema or decodes them by a dialect; that comes after. Streams of pieces are not put together here: the message
//! that they add up to is read like any other.

mod anthropic;
mod bedrock;
mod chat;
mod cohere;
mod deep;
mod error;
mod event;
mod format;
mod gemini;
mod ids;
mod lost;
mod mcp;
mod mistral;
mod ollama;
mod openai;
mod output;
mod parsed;
mod reading;
mod responses;
mod text;
mod wire;

use opentool_core::{AssistantMessage, ToolResult};
use serde_json::Value;

pub use deep::deep;
pub use error::MessageError;
pub use event::exact_event;
pub use format::MessageFormat;
pub use ids::CallIds;
pub use parsed::{ParsedCalls, Reply};

use crate::halves::with_whole_characters;
use crate::text_calls::{TextCalls, parse_text_calls, parse_text_calls_of};
use crate::validator::within;
use lost::Lost;
use reading::Reading;
use wire::{WireResult, WireTurn};

/// Levels of arrays and objects that an answer may have: those of arguments, and of what is around them.
const LEVELS: usize = crate::repair::LEVELS + 32;

/// Whether a value can be written as JSON: one that a program built may nest deeper than any stack.
fn is_shallow(value: &Value) -> bool {
    within(value, crate::repair::LEVELS)
}

/// Reads the calls that a model asks for from a provider's answer: the whole body of the response, the assistant's
/// message in it, the bare list of calls, or one call. As a value, or as the text that came over the wire: from a
/// text, arguments also keep the numbers that a value would round, and both values of a key that stands twice (they stay
/// text then, see [`ToolCall::arguments`](opentool_core::ToolCall)).
///
/// Arguments come as the provider has them, an object or the text that the model wrote, and are not checked yet.
/// Names are as they were written. A call that the provider gave no id gets `call_1`, `call_2`, … by its place.
/// Calls of tools that run at the provider (searches, code execution) are none of ours and passed over.
///
/// A call that cannot be read does not hide the others: it is in [`ParsedCalls::problems`] with its pointer. So are the
/// calls of an answer that did not end in a way that the provider documents as whole: at a length limit the last one,
/// with any other word (a refusal, a filter, a failure, a word that is not known) all of them. They cannot be run.
///
/// ```
/// # use opentool_schema::{MessageFormat, parse_calls};
/// # use serde_json::json;
/// let answer = json!({"content": [
///     {"type": "text", "text": "I will look it up."},
///     {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Paris"}},
/// ]});
/// let parsed = parse_calls(MessageFormat::Anthropic, &answer)?;
/// assert_eq!(parsed.calls[0].name, "weather");
/// assert_eq!(parsed.text, "I will look it up.");
/// # Ok::<(), opentool_schema::MessageError>(())
/// ```
///
/// # Errors
/// [`MessageError`] where it is no answer in this format at all, or the provider's report of a failure.
pub fn parse_calls<'a>(
    format: MessageFormat,
    reply: impl Into<Reply<'a>>,
) -> Result<ParsedCalls, MessageError> {
    match reply.into() {
        Reply::Text(text) if format == MessageFormat::Text => Ok(in_text(text, parse_text_calls(text))),
        Reply::Text(text) => {
            // Half of a character does not hide an answer.
            let text = &*with_whole_characters(text);
            let (value, lost) = match error::json(text) {
                Ok(value) => {
                    let lost = Lost::of(text, &value);
                    (value, lost)
                }
                // One number that is too large, or arguments that nest too deep, do not hide the calls beside them.
                Err(error) => Lost::beside_no_numbers(text).or_else(|| deep::read(text)).ok_or(error)?,
            };
            parse_value(format, &value, Reading::new(lost))
        }
        Reply::Value(Value::String(text)) if format == MessageFormat::Text => {
            Ok(in_text(text, parse_text_calls(text)))
        }
        Reply::Value(value) => parse_value(format, value, Reading::default()),
    }
}

/// [`parse_calls`] in [`MessageFormat::Text`], for a host that knows the names of its tools: it finds the calls that
/// [`parse_text_calls_of`] finds.
///
/// ```
/// # use opentool_schema::parse_calls_of;
/// let parsed = parse_calls_of("One moment.\n`now()`", ["now"]);
/// assert_eq!((parsed.calls[0].id.as_str(), parsed.calls[0].name.as_str()), ("call_1", "now"));
/// ```
pub fn parse_calls_of<'n>(text: &str, names: impl IntoIterator<Item = &'n str>) -> ParsedCalls {
    in_text(text, parse_text_calls_of(text, names))
}

fn in_text(text: &str, found: TextCalls) -> ParsedCalls {
    text::read(text, found).finish(MessageFormat::Text).mended()
}

fn parse_value(
    format: MessageFormat,
    value: &Value,
    mut reading: Reading,
) -> Result<ParsedCalls, MessageError> {
    if !within(value, LEVELS) {
        return Err(MessageError::TooDeep { levels: LEVELS });
    }
    error::failure(value)?;
    let read = match format {
        MessageFormat::OpenAiChat
        | MessageFormat::Mistral
        | MessageFormat::Ollama
        | MessageFormat::Cohere => chat::read(value, &mut reading),
        MessageFormat::OpenAiResponses => responses::read(value, &mut reading),
        MessageFormat::Anthropic => anthropic::read(value, &mut reading),
        MessageFormat::Gemini => gemini::read(value, &mut reading),
        MessageFormat::Bedrock => bedrock::read(value, &mut reading),
        MessageFormat::Mcp
        | MessageFormat::Mcp20251125
        | MessageFormat::Mcp20250618
        | MessageFormat::Mcp20250326
        | MessageFormat::Mcp20241105 => mcp::read(value, &mut reading),
        MessageFormat::Text => Err("expected the model's text"),
    };
    read.map_err(|expected| MessageError::unexpected(format, expected, value))?;
    Ok(reading.finish(format).mended())
}

/// The assistant's turn that said this and asked for these calls, for a replay in another provider's conversation or
/// from a store: the messages (or items, or requests) to append, in order. None for a turn that says nothing.
///
/// Ids, names and arguments that the format cannot hold are mapped to ones that it can: ids by [`CallIds`], names
/// as their definitions' are, arguments that are no object as `{"invalid_arguments": …}`. What only the provider knows
/// (signatures, thoughts) is not in an [`AssistantMessage`]: where the turn came from the same provider, send back
/// [`ParsedCalls::replay`] instead. Gemini 3 insists on it.
///
/// [`parse_calls`] reads the same calls from it. Where a format does without ids (Gemini, Ollama), those of the form
/// `call_N` are not sent, and come back by place.
pub fn write_calls(format: MessageFormat, turn: &AssistantMessage) -> Vec<Value> {
    let turn = WireTurn::new(format, turn);
    if turn.says_nothing() {
        return Vec::new();
    }
    match format {
        MessageFormat::OpenAiChat => openai::calls(&turn),
        MessageFormat::Mistral => mistral::calls(&turn),
        MessageFormat::Ollama => ollama::calls(&turn),
        MessageFormat::Cohere => cohere::calls(&turn),
        MessageFormat::OpenAiResponses => responses::calls(&turn),
        MessageFormat::Anthropic => anthropic::calls(&turn),
        MessageFormat::Gemini => gemini::calls(&turn),
        MessageFormat::Bedrock => bedrock::calls(&turn),
        MessageFormat::Mcp
        | MessageFormat::Mcp20251125
        | MessageFormat::Mcp20250618
        | MessageFormat::Mcp20250326
        | MessageFormat::Mcp20241105 => mcp::calls(&turn),
        MessageFormat::Text => text::calls(&turn),
    }
}

/// The results of one turn's calls as messages to append behind it, in the order of `results`, which must be that of
/// the calls: one message with all of them where the provider wants that (Anthropic, Gemini, Bedrock), else one each.
///
/// Each call id has one result: of two, the first counts. None is empty. Failed calls bear the format's mark, or
/// begin with `Error: ` where it has none. Images and PDF files go along where the format has a place for them in a
/// result (Responses, Anthropic, Gemini 3, Bedrock), in the types and sizes that it takes; elsewhere, and in errors,
/// the text names them. What is for the host only ([`ToolOutput::metadata`](opentool_core::ToolOutput)) stays here.
///
/// Ids and names are mapped as [`write_calls`] maps them. Behind a turn that is sent back as it came, use
/// [`ParsedCalls::results`].
pub fn write_results(format: MessageFormat, results: &[ToolResult]) -> Vec<Value> {
    wire_results(format, &WireResult::mapped(format, results))
}

fn wire_results(format: MessageFormat, results: &[WireResult<'_>]) -> Vec<Value> {
    if results.is_empty() {
        return Vec::new();
    }
    match format {
        MessageFormat::OpenAiChat => results.iter().map(openai::result).collect(),
        MessageFormat::Mistral => results.iter().map(mistral::result).collect(),
        MessageFormat::Ollama => results.iter().map(ollama::result).collect(),
        MessageFormat::Cohere => results.iter().map(cohere::result).collect(),
        MessageFormat::OpenAiResponses => results.iter().map(responses::result).collect(),
        MessageFormat::Mcp
        | MessageFormat::Mcp20251125
        | MessageFormat::Mcp20250618
        | MessageFormat::Mcp20250326
        | MessageFormat::Mcp20241105 => results.iter().map(|one| mcp::result(format, one)).collect(),
        MessageFormat::Anthropic => vec![anthropic::results(results)],
        MessageFormat::Gemini => vec![gemini::results(results)],
        MessageFormat::Bedrock => vec![bedrock::results(results)],
        MessageFormat::Text => vec![text::results(results)],
    }
}
