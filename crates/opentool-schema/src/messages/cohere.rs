//! Cohere v2 chat: writing. Reading is in `chat.rs`.
//!
//! What the model says beside calls is its `tool_plan`. A result that is an object goes as a document, which the
//! model can cite; any other as text.

use serde_json::{Value, json};

use super::openai::list;
use super::output::{marked_text, text};
use super::wire::{WireResult, WireTurn};

pub(super) fn calls(turn: &WireTurn<'_>) -> Vec<Value> {
    if turn.calls.is_empty() {
        return vec![json!({"role": "assistant", "content": turn.text})];
    }
    let mut message = json!({"role": "assistant"});
    if let Some(members) = message.as_object_mut() {
        if !turn.text.is_empty() {
            members.insert("tool_plan".to_owned(), turn.text.as_str().into());
        }
        members.insert("tool_calls".to_owned(), list(turn).into());
    }
    vec![message]
}

pub(super) fn result(result: &WireResult<'_>) -> Value {
    let output = result.output;
    let is_object = output.structured.as_ref().is_some_and(Value::is_object);
    let content = if is_object && output.content.is_empty() && !output.is_error {
        json!([{"type": "document", "document": {"data": text(output)}}])
    } else {
        marked_text(output).into()
    };
    json!({"role": "tool", "tool_call_id": result.id.as_str(), "content": content})
}
