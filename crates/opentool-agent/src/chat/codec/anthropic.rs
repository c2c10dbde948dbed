//! Anthropic Messages.
//!
//! Thoughts have signatures and go back unchanged, with all other blocks of their turn. Instructions stand beside the
//! messages. Results of a turn are one message of the user; what a person says next joins it.

use opentool_core::{Content, ModelError, ParallelCalls, ReplyEvent, StopReason, Usage};
use opentool_schema::MessageFormat;
use serde_json::{Map, Value, json};

use super::{
    Ask, Assembly, Codec, Delivery, Said, as_object, protocol, tell_reasoning, tell_text, text, tokens,
};
use crate::chat::failure::{self, Unclean};
use crate::chat::measure::Kept;
use crate::chat::shown::{Shown, described, shown};
use crate::chat::tools::Choice;
use crate::chat::turns::{Turn, turns};

/// The most blocks of an answer.
const BLOCKS: usize = 4_096;

pub(super) struct Anthropic;

impl Codec for Anthropic {
    fn format(&self) -> MessageFormat {
        MessageFormat::Anthropic
    }

    fn path(&self, _ask: &Ask<'_>) -> Vec<String> {
        ["v1", "messages"].map(str::to_owned).into()
    }

    fn body(&self, ask: &Ask<'_>) -> Result<Map<String, Value>, ModelError> {
        let mut body = Map::new();
        body.insert("model".to_owned(), ask.model.into());
        // The API asks for it; a host's parameter replaces it.
        body.insert("max_tokens".to_owned(), output_limit(ask.model).into());
        let mut system: Vec<&str> = Vec::new();
        let mut messages: Vec<Value> = Vec::new();
        for turn in turns(self.format(), ask.request.messages, ask.tools) {
            match turn {
                Turn::System(text) => system.push(text),
                Turn::User(blocks) => {
                    add(&mut messages, json!({"role": "user", "content": user(&blocks)}));
                }
                Turn::Written(written) => written.into_iter().for_each(|message| add(&mut messages, message)),
            }
        }
        if !system.is_empty() {
            body.insert("system".to_owned(), system.join("\n\n").into());
        }
        body.insert("messages".to_owned(), messages.into());
        let (definitions, choice) = ask.tools.limited();
        if let Some(definitions) = definitions {
            body.insert("tools".to_owned(), definitions);
            let one = ask.request.parallel_calls == ParallelCalls::One;
            let choice = match choice {
                Choice::Auto | Choice::Among(_) if one => Some(json!({"type": "auto"})),
                Choice::Auto | Choice::Among(_) => None,
                Choice::Required | Choice::OneOf(_) => Some(json!({"type": "any"})),
                Choice::None => Some(json!({"type": "none"})),
                Choice::Tool(name) => Some(json!({"type": "tool", "name": name})),
            };
            if let Some(mut choice) = choice {
                if let Some(members) =
                    choice.as_object_mut().filter(|kind| one && kind.get("type") != Some(&json!("none")))
                {
                    members.insert("disable_parallel_tool_use".to_owned(), true.into());
                }
                body.insert("tool_choice".to_owned(), choice);
            }
        }
        if ask.delivery == Delivery::Streamed {
            body.insert("stream".to_owned(), true.into());
        }
        Ok(body)
    }

    fn own(&self) -> &'static [&'static str] {
        &["model", "messages", "tools", "stream"]
    }

    fn read(&self, answer: &Value) -> Result<Said, Unclean> {
        let blocks = answer
            .get("content")
            .and_then(Value::as_array)
            .ok_or_else(|| protocol("there is no list `content`; is this an Anthropic server?"))?;
        let has_calls = blocks.iter().any(|block| text(block, "type") == "tool_use");
        let stop = match text(answer, "stop_reason") {
            // The host's sequence can stand inside of arguments; behind whole calls the word is another one.
            reason @ "stop_sequence" if has_calls => super::other(reason),
            "end_turn" | "stop_sequence" | "" => StopReason::End,
            "tool_use" => StopReason::ToolCalls,
            "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
            "refusal" => StopReason::Refusal,
            reason => super::other(reason),
        };
        let reasoning: String = blocks.iter().map(|block| text(block, "thinking")).collect();
        Ok(Said { stop, usage: usage(answer), reasoning })
    }

    fn keep(&self, mut turn: Vec<Value>) -> Option<Vec<Value>> {
        let blocks = turn.first_mut()?.get_mut("content")?.as_array_mut()?;
        // Of a turn that was cut off while the model thought. The API refuses thoughts without their signature.
        blocks.retain(|block| text(block, "type") != "thinking" || !text(block, "signature").is_empty());
        let is_plain = |block: &Value| match text(block, "type") {
            "text" => block.get("citations").is_none_or(Value::is_null),
            "tool_use" => block.get("caller").is_none(),
            _ => false,
        };
        if blocks.iter().all(is_plain) {
            return None;
        }
        for block in blocks.iter_mut() {
            // Of a stream, the arguments are text still; the API takes objects.
            if let Some(input) = block.get_mut("input") {
                as_object(input);
            }
        }
        // The API refuses texts of nothing but white space, which models write.
        blocks.retain(|block| text(block, "type") != "text" || !text(block, "text").trim().is_empty());
        Some(turn)
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        Box::<Message>::default()
    }
}

/// How much a model may write if the host does not say: no model refuses its number.
fn output_limit(model: &str) -> u32 {
    let is = |names: &[&str]| names.iter().any(|name| model.starts_with(name));
    if is(&["claude-3-haiku", "claude-3-opus", "claude-3-sonnet", "claude-2", "claude-instant"]) {
        4_096
    } else if is(&["claude-3"]) {
        8_192
    } else {
        32_000
    }
}

/// Appends a message; one of the same role becomes part of the one before, and one that says nothing is left out, as the
/// API wants it.
fn add(messages: &mut Vec<Value>, mut message: Value) {
    if message.get("content").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        return;
    }
    let blocks = |content: Option<&mut Value>| match content.map(Value::take) {
        Some(Value::String(text)) => vec![json!({"type": "text", "text": text})],
        Some(Value::Array(blocks)) => blocks,
        _ => Vec::new(),
    };
    match messages.last_mut() {
        Some(last) if last.get("role") == Some(&json!("user")) && message.get("role") == last.get("role") => {
            let mut all = blocks(last.get_mut("content"));
            all.extend(blocks(message.get_mut("content")));
            if let Some(members) = last.as_object_mut() {
                members.insert("content".to_owned(), all.into());
            }
        }
        _ => messages.push(message),
    }
}

fn user(blocks: &[Content]) -> Value {
    match blocks {
        [Content::Text(text)] => json!(text),
        blocks => blocks.iter().map(part).collect(),
    }
}

fn part(block: &Content) -> Value {
    let file = |kind: &str, mime: &str, base64: &str| json!({"type": kind, "source": {"type": "base64", "media_type": mime, "data": base64}});
    match shown(block, MessageFormat::Anthropic) {
        Shown::Text(text) => json!({"type": "text", "text": text}),
        Shown::Image { mime, base64 } => file("image", mime, &base64),
        Shown::Pdf { base64 } => file("document", "application/pdf", &base64),
        Shown::Audio { .. } => json!({"type": "text", "text": described(block)}),
    }
}

fn usage(answer: &Value) -> Usage {
    let of = |pointer: &str| tokens(answer, &format!("/usage/{pointer}"));
    let (cached, writes) = (of("cache_read_input_tokens"), of("cache_creation_input_tokens"));
    // Here, those from a cache stand beside the others.
    let input = of("input_tokens").saturating_add(cached).saturating_add(writes);
    Usage::new(input, of("output_tokens"))
        .cached(cached)
        .cache_writes(writes)
        .reasoning(of("output_tokens_details/thinking_tokens"))
}

/// A stream of events.
#[derive(Debug, Default)]
struct Message {
    blocks: Vec<Block>,
    /// How many blocks are calls.
    calls: usize,
    stop: Value,
    usage: Map<String, Value>,
    is_complete: bool,
}

#[derive(Debug)]
struct Block {
    number: u64,
    value: Map<String, Value>,
    /// The text of a call's arguments.
    input: String,
    /// The place among the calls.
    call: Option<usize>,
}

impl Message {
    fn count(&mut self, usage: Option<&Value>, kept: &mut Kept) -> Result<(), Unclean> {
        if let Some(usage) = usage {
            kept.value(usage)?;
        }
        let counts = usage.and_then(Value::as_object).into_iter().flatten();
        // Later counts are totals.
        self.usage.extend(counts.filter(|(_, n)| !n.is_null()).map(|(key, n)| (key.clone(), n.clone())));
        Ok(())
    }

    fn start(&mut self, number: u64, block: Value, told: &mut Vec<ReplyEvent>) {
        if self.blocks.len() >= BLOCKS {
            return;
        }
        tell_text(text(&block, "text"), told);
        tell_reasoning(text(&block, "thinking"), told);
        let mut call = None;
        if text(&block, "type") == "tool_use" {
            call = Some(self.calls);
            told.push(ReplyEvent::CallStarted { index: self.calls, name: text(&block, "name").to_owned() });
            self.calls = self.calls.saturating_add(1);
        }
        let value = match block {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        self.blocks.push(Block { number, value, input: String::new(), call });
    }

    fn delta(&mut self, number: u64, delta: &Value, told: &mut Vec<ReplyEvent>) {
        let Some(block) = self.blocks.iter_mut().rfind(|block| block.number == number) else { return };
        match text(delta, "type") {
            "text_delta" => {
                tell_text(text(delta, "text"), told);
                block.append("text", text(delta, "text"));
            }
            "thinking_delta" => {
                tell_reasoning(text(delta, "thinking"), told);
                block.append("thinking", text(delta, "thinking"));
            }
            "signature_delta" => block.append("signature", text(delta, "signature")),
            "input_json_delta" => {
                let more = text(delta, "partial_json");
                block.input.push_str(more);
                if let Some(index) = block.call.filter(|_| !more.is_empty()) {
                    told.push(ReplyEvent::Arguments { index, text: more.to_owned() });
                }
            }
            "citations_delta" => {
                let list = block.value.entry("citations").or_insert(Value::Null);
                if !list.is_array() {
                    *list = Value::Array(Vec::new());
                }
                if let (Some(list), Some(citation)) = (list.as_array_mut(), delta.get("citation")) {
                    list.push(citation.clone());
                }
            }
            _ => {}
        }
    }
}

impl Block {
    fn append(&mut self, key: &str, more: &str) {
        match self.value.get_mut(key) {
            Some(Value::String(text)) => text.push_str(more),
            _ => {
                self.value.insert(key.to_owned(), more.into());
            }
        }
    }
}

impl Assembly for Message {
    fn take(&mut self, mut event: Value, told: &mut Vec<ReplyEvent>, kept: &mut Kept) -> Result<(), Unclean> {
        let number = event.get("index").and_then(Value::as_u64).unwrap_or(0);
        match text(&event, "type") {
            "message_start" => self.count(event.pointer("/message/usage"), kept)?,
            "content_block_start" => {
                let block = event.get_mut("content_block").map(Value::take).unwrap_or_default();
                kept.value(&block)?;
                self.start(number, block, told);
            }
            "content_block_delta" => {
                let delta = event.get_mut("delta").map(Value::take).unwrap_or_default();
                // Words and thoughts are weighed where they are told.
                if !matches!(text(&delta, "type"), "text_delta" | "thinking_delta") {
                    kept.value(&delta)?;
                }
                self.delta(number, &delta, told);
            }
            "message_delta" => {
                if let Some(stop) = event.pointer("/delta/stop_reason").filter(|stop| stop.is_string()) {
                    self.stop = stop.clone();
                }
                self.count(event.get("usage"), kept)?;
            }
            "message_stop" => self.is_complete = true,
            "error" => return Err(failure::of_event(event.get("error").unwrap_or(&Value::Null))),
            // `ping`, `content_block_stop`, and what may come.
            _ => {}
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        // Some gateways leave the last event out.
        self.is_complete || self.stop.is_string()
    }

    fn is_over(&self) -> bool {
        self.is_complete
    }

    fn whole(self: Box<Self>) -> Value {
        let content = self.blocks.into_iter().map(|mut block| {
            if !block.input.is_empty() {
                block.value.insert("input".to_owned(), block.input.into());
            }
            Value::Object(block.value)
        });
        let content: Value = content.collect();
        json!({"type": "message", "role": "assistant", "content": content, "stop_reason": self.stop, "usage": self.usage})
    }
}
