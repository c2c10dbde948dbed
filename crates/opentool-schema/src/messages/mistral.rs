//! Mistral chat: writing. Reading is in `chat.rs`.
//!
//! As OpenAI's, but: ids have exactly nine letters and digits ([`CallIds`](super::CallIds) sees to it), a result
//! names its tool, and a content is never `null`.

use serde_json::{Value, json};

use super::openai::list;
use super::output::marked_text;
use super::wire::{WireResult, WireTurn};

pub(super) fn calls(turn: &WireTurn<'_>) -> Vec<Value> {
    let mut message = json!({"role": "assistant", "content": turn.text});
    if let (false, Some(members)) = (turn.calls.is_empty(), message.as_object_mut()) {
        members.insert("tool_calls".to_owned(), list(turn).into());
    }
    vec![message]
}

pub(super) fn result(result: &WireResult<'_>) -> Value {
    json!({
        "role": "tool",
        "tool_call_id": result.id.as_str(),
        "name": result.name,
        "content": marked_text(result.output),
    })
}
