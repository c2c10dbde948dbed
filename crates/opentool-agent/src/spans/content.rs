//! What is said, as attributes of spans: JSON text by the schemas of OpenTelemetry's conventions.
//!
//! Only where the host switched it on. Secrets are taken out by shape and by the environment's values, texts and lists of
//! messages are cut, and bytes are named and not held, so that one picture does not cost a trace. It is made for people who
//! read traces: nothing reads it back.

use std::sync::LazyLock;

use opentool_core::{AssistantMessage, Content, Message, ToolOutput, ToolSet};
use serde_json::{Value, json};
use tracing::Span;

use crate::scrub::Scrub;

/// The longest text, in bytes.
const TEXT: usize = 16 * 1024;
/// The most bytes of one attribute. Of a conversation the latest messages count.
const WHOLE: usize = 256 * 1024;

static SCRUB: LazyLock<Scrub> = LazyLock::new(Scrub::of_environment);

/// What a model is asked with.
pub(super) fn record_input(span: &Span, messages: &[Message], tools: &ToolSet) {
    let instructions: Vec<Value> = messages
        .iter()
        .filter_map(|message| match message {
            Message::System(words) => Some(text(words)),
            _ => None,
        })
        .collect();
    if !instructions.is_empty() {
        span.record("gen_ai.system_instructions", clean(Value::Array(instructions)));
    }
    if !tools.is_empty() {
        let definitions: Vec<Value> = tools
            .definitions()
            .map(|tool| json!({"type": "function", "name": tool.name, "description": tool.description}))
            .collect();
        span.record("gen_ai.tool.definitions", clean(Value::Array(latest(definitions))));
    }
    let said: Vec<Value> = messages.iter().filter_map(message).collect();
    span.record("gen_ai.input.messages", clean(Value::Array(latest(said))));
}

/// What a turn came to: its last message, if the model wrote it.
pub(super) fn record_output(span: &Span, messages: &[Message]) {
    if let Some(Message::Assistant(last)) = messages.last() {
        let reason = if last.tool_calls.is_empty() { "stop" } else { "tool_call" };
        record_reply(span, last, reason);
    }
}

/// What a model answered.
pub(super) fn record_reply(span: &Span, reply: &AssistantMessage, reason: &str) {
    let said = json!([{"role": "assistant", "parts": parts(reply), "finish_reason": reason}]);
    span.record("gen_ai.output.messages", clean(said));
}

/// What a tool is called with.
pub(super) fn record_arguments(span: &Span, arguments: &Value) {
    span.record("gen_ai.tool.call.arguments", clean(bounded(arguments)));
}

/// What a tool gave.
pub(super) fn record_result(span: &Span, output: &ToolOutput) {
    span.record("gen_ai.tool.call.result", clean(result(output)));
}

fn message(message: &Message) -> Option<Value> {
    Some(match message {
        Message::User(content) => {
            json!({"role": "user", "parts": content.iter().map(part).collect::<Value>()})
        }
        Message::Assistant(said) => json!({"role": "assistant", "parts": parts(said)}),
        Message::Tool(answer) => {
            let part = json!({"type": "tool_call_response", "id": answer.call_id, "response": result(&answer.output)});
            json!({"role": "tool", "parts": [part]})
        }
        // Instructions have an attribute of their own.
        _ => return None,
    })
}

fn parts(said: &AssistantMessage) -> Value {
    let mut parts = Vec::new();
    if !said.reasoning.is_empty() {
        parts.push(json!({"type": "reasoning", "content": cut(&said.reasoning)}));
    }
    parts.extend(said.content.iter().map(part));
    for call in &said.tool_calls {
        let arguments = bounded(&call.arguments);
        parts.push(
            json!({"type": "tool_call", "id": call.id, "name": cut(&call.name), "arguments": arguments}),
        );
    }
    Value::Array(parts)
}

fn part(block: &Content) -> Value {
    match block {
        Content::Text(words) => text(words),
        Content::Json(value) => text(&value.to_string()),
        other => {
            // Named as the model is told of it where it cannot see it.
            text(&ToolOutput::from(other.clone()).to_text())
        }
    }
}

fn result(output: &ToolOutput) -> Value {
    match &output.structured {
        Some(value) => bounded(value),
        None => cut(&output.to_text()).into(),
    }
}

fn text(words: &str) -> Value {
    json!({"type": "text", "content": cut(words)})
}

/// The value, or its text where it is too long for a value.
fn bounded(value: &Value) -> Value {
    match value {
        Value::String(words) => cut(words).into(),
        other => {
            let written = other.to_string();
            if written.len() > TEXT { cut(&written).into() } else { other.clone() }
        }
    }
}

fn cut(words: &str) -> String {
    if words.len() <= TEXT {
        return words.to_owned();
    }
    let end = words.floor_char_boundary(TEXT);
    let start = words.get(..end).unwrap_or_default();
    format!("{start}… ({} more bytes)", words.len().saturating_sub(end))
}

/// The last ones, as many as fit.
fn latest(items: Vec<Value>) -> Vec<Value> {
    let mut room = WHOLE;
    let kept = items
        .iter()
        .rev()
        .take_while(|item| match room.checked_sub(item.to_string().len()) {
            Some(rest) => {
                room = rest;
                true
            }
            None => false,
        })
        .count();
    let skipped = items.len().saturating_sub(kept);
    items.into_iter().skip(skipped).collect()
}

/// The text of an attribute.
fn clean(value: Value) -> String {
    SCRUB.value(value).to_string()
}

#[cfg(test)]
mod tests {
    use opentool_core::{Content, Message, ToolCall};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_conversation_has_the_shape_of_the_conventions() {
        let call = ToolCall::new("call_1", "weather", json!({"city": "Paris"}));
        let asks = AssistantMessage::calls([call.clone()]).say("One moment.").reasoning("Rain?");
        let messages = [
            Message::system("Be short."),
            Message::User(vec!["Umbrella?".into(), Content::image(vec![7; 90_000], "image/png")]),
            Message::Assistant(asks),
            Message::Tool(opentool_core::ToolResult::new(&call, ToolOutput::json(json!({"rain": true})))),
        ];
        let said: Vec<Value> = messages.iter().filter_map(message).collect();
        assert_eq!(
            Value::Array(said),
            json!([
                {"role": "user", "parts": [
                    {"type": "text", "content": "Umbrella?"},
                    {"type": "text", "content": "[image image/png, 90000 bytes]"},
                ]},
                {"role": "assistant", "parts": [
                    {"type": "reasoning", "content": "Rain?"},
                    {"type": "text", "content": "One moment."},
                    {"type": "tool_call", "id": "call_1", "name": "weather", "arguments": {"city": "Paris"}},
                ]},
                {"role": "tool", "parts": [
                    {"type": "tool_call_response", "id": "call_1", "response": {"rain": true}},
                ]},
            ])
        );
    }

    #[test]
    fn what_is_too_much_is_cut_and_secrets_are_taken_out() {
        let long = cut(&"ü".repeat(TEXT));
        assert!(long.len() < TEXT + 40 && long.ends_with("more bytes)"), "{}", long.len());
        let many = latest((0..100).map(|i| json!([i, "x".repeat(10_000)])).collect());
        assert_eq!((many.len(), &many[many.len() - 1][0]), (26, &json!(99)));
        let secret =
            clean(json!({"authorization": "Bearer abcdefghijkl", "q": "sk-abcdefghijklmnopqrstuvwx"}));
        assert_eq!(secret, r#"{"authorization":"[secret]","q":"[secret]"}"#);
    }
}
