//! Ollama's own `/api/chat`: writing. Reading is in `chat.rs`.
//!
//! Arguments are objects, and a result names its tool. Ids are new here: servers before them know results by name and
//! order, so an id that we made is not sent.

use serde_json::{Value, json};

use super::output::marked_text;
use super::wire::{WireCall, WireResult, WireTurn};

pub(super) fn calls(turn: &WireTurn<'_>) -> Vec<Value> {
    let mut message = json!({"role": "assistant", "content": turn.text});
    let call = |call: &WireCall<'_>| {
        let function = json!({"name": call.name, "arguments": call.arguments_object()});
        match call.id.given() {
            Some(id) => json!({"id": id, "function": function}),
            None => json!({"function": function}),
        }
    };
    if let (false, Some(members)) = (turn.calls.is_empty(), message.as_object_mut()) {
        members.insert("tool_calls".to_owned(), turn.calls.iter().map(call).collect());
    }
    vec![message]
}

pub(super) fn result(result: &WireResult<'_>) -> Value {
    let mut message =
        json!({"role": "tool", "tool_name": result.name, "content": marked_text(result.output)});
    if let (Some(id), Some(members)) = (result.id.given(), message.as_object_mut()) {
        members.insert("tool_call_id".to_owned(), id.into());
    }
    message
}
