//! What Chat Completions and Mistral's chat share: reading answers, putting streams together.
//!
//! Reading is lenient, because a hundred servers speak this format and each a little differently: what is missing or
//! unknown is passed over where the answer makes sense without it.

use opentool_core::{ReplyEvent, StopReason, Usage};
use serde_json::{Map, Value, json};

use super::{Assembly, Said, protocol, tell_reasoning, tell_text, text, tokens};
use crate::chat::failure::{self, Unclean};
use crate::chat::measure::Kept;
use crate::chat::pieces::{Calls, Fragment};

/// Members in which servers say what a model thought, the first that is there counts.
const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

/// What an answer says beside its text and calls.
pub(super) fn read(answer: &Value) -> Result<Said, Unclean> {
    let choice = answer
        .get("choices")
        .and_then(Value::as_array)
        .ok_or_else(|| protocol("there is no list `choices`; is this a Chat Completions server?"))?
        .first()
        .ok_or_else(|| protocol("the list `choices` is empty"))?;
    let message = choice
        .get("message")
        .filter(|message| message.is_object())
        .ok_or_else(|| protocol("there is no object `choices[0].message`"))?;
    let reason = choice.get("finish_reason").and_then(Value::as_str);
    let stop = match reason.map(str::to_ascii_lowercase).as_deref() {
        _ if !text(message, "refusal").is_empty() => StopReason::Refusal,
        Some("length" | "model_length" | "max_tokens") => StopReason::Length,
        Some("content_filter") => StopReason::Refusal,
        Some("tool_calls" | "function_call" | "tool_call" | "tool_use") => StopReason::ToolCalls,
        // Words of OpenAI, and of servers that say it in their own.
        Some(
            "stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence" | "end" | "complete" | "completed",
        )
        | None => StopReason::End,
        Some(_) => super::other(reason.unwrap_or_default()),
    };
    Ok(Said { stop, usage: usage(answer), reasoning: reasoning(message) })
}

fn usage(answer: &Value) -> Usage {
    let of = |pointer: &str| tokens(answer, &format!("/usage/{pointer}"));
    Usage::new(of("prompt_tokens"), of("completion_tokens"))
        .cached(of("prompt_tokens_details/cached_tokens").max(of("prompt_cache_hit_tokens")))
        .cache_writes(of("prompt_tokens_details/cache_write_tokens"))
        .reasoning(of("completion_tokens_details/reasoning_tokens"))
}

/// What a message says of the model's thoughts: in a member of its own, or in parts of the content.
fn reasoning(message: &Value) -> String {
    if let Some(thought) = REASONING.iter().map(|key| text(message, key)).find(|thought| !thought.is_empty())
    {
        return thought.to_owned();
    }
    let parts = message.get("content").and_then(Value::as_array).into_iter().flatten();
    parts.map(thought).collect()
}

/// The text of a part that is a thought.
fn thought(part: &Value) -> String {
    match part.get("thinking") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().map(|part| text(part, "text")).collect(),
        _ => String::new(),
    }
}

/// A stream of chunks.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    content: Vec<Part>,
    refusal: String,
    /// The member that thoughts came in, and what came.
    reasoning: Option<(&'static str, String)>,
    details: Vec<Value>,
    calls: Calls,
    finish: Option<String>,
    usage: Option<Value>,
}

/// A part of the content.
#[derive(Debug)]
enum Part {
    Text(String),
    Thought {
        text: String,
        /// What stands beside the text: a signature, a mark that the thought is closed. The provider wants it back.
        beside: Map<String, Value>,
    },
}

impl Part {
    /// Whether more of a thought belongs to this part.
    fn thinks_on(&self, more: &str) -> bool {
        match self {
            Self::Thought { beside, .. } => more.is_empty() || !beside.contains_key("signature"),
            Self::Text(_) => false,
        }
    }
}

impl Chunks {
    fn say(&mut self, more: &str, told: &mut Vec<ReplyEvent>) {
        tell_text(more, told);
        match self.content.last_mut() {
            Some(Part::Text(text)) => text.push_str(more),
            _ if more.is_empty() => {}
            _ => self.content.push(Part::Text(more.to_owned())),
        }
    }

    fn think(&mut self, part: &Value, told: &mut Vec<ReplyEvent>, kept: &mut Kept) -> Result<(), Unclean> {
        let more = thought(part);
        tell_reasoning(&more, told);
        if !self.content.last().is_some_and(|last| last.thinks_on(&more)) {
            self.content.push(Part::Thought { text: String::new(), beside: Map::new() });
        }
        if let Some(Part::Thought { text, beside }) = self.content.last_mut() {
            text.push_str(&more);
            let members = part.as_object().into_iter().flatten();
            let said = members
                .filter(|(key, value)| !["type", "thinking"].contains(&key.as_str()) && !value.is_null());
            for (key, value) in said {
                kept.text(key)?;
                kept.value(value)?;
                beside.insert(key.clone(), value.clone());
            }
        }
        Ok(())
    }

    fn delta(
        &mut self,
        delta: &mut Value,
        told: &mut Vec<ReplyEvent>,
        kept: &mut Kept,
    ) -> Result<(), Unclean> {
        if let Some((key, more)) =
            REASONING.iter().map(|key| (*key, text(delta, key))).find(|(_, more)| !more.is_empty())
        {
            tell_reasoning(more, told);
            self.reasoning.get_or_insert((key, String::new())).1.push_str(more);
        }
        if let Some(details @ Value::Array(_)) = delta.get_mut("reasoning_details").map(Value::take) {
            kept.value(&details)?;
            if let Value::Array(details) = details {
                self.details.extend(details);
            }
        }
        match delta.get("content") {
            Some(Value::String(more)) => self.say(more, told),
            Some(Value::Array(parts)) => {
                for part in parts {
                    match part.get("thinking") {
                        Some(_) => self.think(part, told, kept)?,
                        None => self.say(text(part, "text"), told),
                    }
                }
            }
            _ => {}
        }
        let refusal = text(delta, "refusal");
        tell_text(refusal, told);
        self.refusal.push_str(refusal);
        self.calls.begin();
        let calls = delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
        let calls = calls.map(|call| (call, call.get("function").unwrap_or(&Value::Null)));
        // The one call of old, without a number and an id.
        let old = delta.get("function_call").map(|function| (&Value::Null, function));
        for (call, function) in calls.chain(old) {
            let fragment = Fragment {
                number: call.get("index").and_then(Value::as_u64),
                // Mistral's SDK sends the word for a missing one.
                id: Some(text(call, "id")).filter(|id| *id != "null").unwrap_or_default(),
                name: text(function, "name"),
                arguments: function.get("arguments"),
            };
            for text in [fragment.id, fragment.name] {
                kept.text(text)?;
            }
            match fragment.arguments {
                Some(Value::String(text)) => kept.text(text)?,
                Some(whole) => kept.value(whole)?,
                None => {}
            }
            self.calls.take(fragment, told);
        }
        Ok(())
    }
}

impl Assembly for Chunks {
    fn take(&mut self, mut event: Value, told: &mut Vec<ReplyEvent>, kept: &mut Kept) -> Result<(), Unclean> {
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            return Err(failure::of_event(error));
        }
        if let Some(usage) = event.get_mut("usage").filter(|usage| usage.is_object()) {
            self.usage = Some(usage.take());
        }
        // Some servers have usage in a chunk without a choice, and some a choice of another number than 0.
        let Some(choice) = event.get_mut("choices").and_then(|choices| choices.get_mut(0)) else {
            return Ok(());
        };
        if choice.get("index").and_then(Value::as_u64).unwrap_or(0) > 0 {
            return Ok(());
        }
        // The last chunk of some servers repeats the whole message; a delta is what counts.
        if let Some(delta) = choice.get_mut("delta") {
            self.delta(delta, told, kept)?;
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish = Some(reason.to_owned());
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        self.finish.is_some()
    }

    fn whole(self: Box<Self>) -> Value {
        let mut message = Map::new();
        message.insert("role".to_owned(), "assistant".into());
        let has_thoughts = self.content.iter().any(|part| matches!(part, Part::Thought { .. }));
        let content: Value = if has_thoughts {
            let part = |part| match part {
                Part::Text(text) => json!({"type": "text", "text": text}),
                Part::Thought { text, beside } => {
                    let mut thought =
                        json!({"type": "thinking", "thinking": [{"type": "text", "text": text}]});
                    if let Some(members) = thought.as_object_mut() {
                        members.extend(beside);
                    }
                    thought
                }
            };
            self.content.into_iter().map(part).collect()
        } else {
            let said: String = self
                .content
                .into_iter()
                .map(|part| match part {
                    Part::Text(text) | Part::Thought { text, .. } => text,
                })
                .collect();
            if said.is_empty() && !self.calls.is_empty() { Value::Null } else { said.into() }
        };
        message.insert("content".to_owned(), content);
        if !self.refusal.is_empty() {
            message.insert("refusal".to_owned(), self.refusal.into());
        }
        if let Some((key, thought)) = self.reasoning {
            message.insert(key.to_owned(), thought.into());
        }
        if !self.details.is_empty() {
            message.insert("reasoning_details".to_owned(), self.details.into());
        }
        if !self.calls.is_empty() {
            let calls = self.calls.into_list().into_iter().map(|call| {
                let function = json!({"name": call.name, "arguments": call.arguments});
                let mut whole = json!({"type": "function", "function": function});
                if let (false, Some(members)) = (call.id.is_empty(), whole.as_object_mut()) {
                    members.insert("id".to_owned(), call.id.into());
                }
                whole
            });
            message.insert("tool_calls".to_owned(), calls.collect());
        }
        json!({"choices": [{"message": message, "finish_reason": self.finish}], "usage": self.usage})
    }
}
