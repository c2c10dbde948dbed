//! OpenAI Chat Completions: writing. Reading is in `chat.rs`.
//!
//! A result is text; there is no mark for errors and no place for files.

use serde_json::{Value, json};

use super::output::marked_text;
use super::wire::{WireCall, WireResult, WireTurn};

pub(super) fn calls(turn: &WireTurn<'_>) -> Vec<Value> {
    if turn.calls.is_empty() {
        return vec![json!({"role": "assistant", "content": turn.text})];
    }
    let content = if turn.text.is_empty() { Value::Null } else { turn.text.as_str().into() };
    vec![json!({"role": "assistant", "content": content, "tool_calls": list(turn)})]
}

/// The calls as Chat Completions has them.
pub(super) fn list(turn: &WireTurn<'_>) -> Vec<Value> {
    let call = |call: &WireCall<'_>| {
        json!({
            "id": call.id.as_str(),
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments_text()},
        })
    };
    turn.calls.iter().map(call).collect()
}

pub(super) fn result(result: &WireResult<'_>) -> Value {
    json!({"role": "tool", "tool_call_id": result.id.as_str(), "content": marked_text(result.output)})
}
