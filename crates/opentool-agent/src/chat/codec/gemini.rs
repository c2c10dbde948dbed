//! Gemini `generateContent`.
//!
//! Thoughts have signatures on the parts that follow them, and go back unchanged. A turn that Gemini did not write has
//! none; where its models demand one, it bears the value that Google documents for such turns.

use opentool_core::{Content, ModelError, ReplyEvent, StopReason, Usage};
use opentool_schema::MessageFormat;
use serde_json::{Map, Value, json};

use super::{
    Ask, Assembly, Codec, Delivery, Said, as_object, protocol, tell_reasoning, tell_text, text, tokens,
    written,
};
use crate::chat::failure::{self, Unclean};
use crate::chat::measure::Kept;
use crate::chat::shown::{Shown, shown};
use crate::chat::tools::Choice;
use crate::chat::turns::{Turn, turns};

/// The signature of calls that no Gemini model wrote.
const FOREIGN: &str = "skip_thought_signature_validator";
/// The most parts of an answer.
const PARTS: usize = 65_536;

pub(super) struct Gemini;

impl Codec for Gemini {
    fn format(&self) -> MessageFormat {
        MessageFormat::Gemini
    }

    fn path(&self, ask: &Ask<'_>) -> Vec<String> {
        let method = match ask.delivery {
            Delivery::Whole => "generateContent",
            Delivery::Streamed => "streamGenerateContent",
        };
        let model = ask.model.strip_prefix("models/").unwrap_or(ask.model);
        vec!["v1beta".to_owned(), "models".to_owned(), format!("{model}:{method}")]
    }

    fn query(&self, delivery: Delivery) -> Option<&'static str> {
        (delivery == Delivery::Streamed).then_some("alt=sse")
    }

    fn body(&self, ask: &Ask<'_>) -> Result<Map<String, Value>, ModelError> {
        let mut body = Map::new();
        let mut system: Vec<Value> = Vec::new();
        let mut contents: Vec<Value> = Vec::new();
        for turn in turns(self.format(), ask.request.messages, ask.tools) {
            match turn {
                Turn::System(text) => system.push(json!({"text": text})),
                Turn::User(blocks) => {
                    let parts: Value = blocks.iter().map(part).collect();
                    contents.push(json!({"role": "user", "parts": parts}));
                }
                Turn::Written(written) => contents.extend(written),
            }
        }
        // Models before the third take calls without a signature.
        if !ask.model.contains("gemini-1") && !ask.model.contains("gemini-2") {
            contents.iter_mut().for_each(sign);
        }
        body.insert("contents".to_owned(), contents.into());
        if !system.is_empty() {
            body.insert("systemInstruction".to_owned(), json!({"parts": system}));
        }
        // Names can be limited where a call is required, and only there.
        let (definitions, choice) = match ask.tools.choice() {
            choice @ Choice::OneOf(_) => (ask.tools.definitions(), choice.clone()),
            _ => ask.tools.limited(),
        };
        if let Some(definitions) = definitions {
            body.insert("tools".to_owned(), definitions);
            let config = match choice {
                Choice::Auto | Choice::Among(_) => None,
                Choice::Required => Some(json!({"mode": "ANY"})),
                Choice::None => Some(json!({"mode": "NONE"})),
                Choice::Tool(name) => Some(json!({"mode": "ANY", "allowedFunctionNames": [name]})),
                Choice::OneOf(names) => Some(json!({"mode": "ANY", "allowedFunctionNames": names})),
            };
            if let Some(config) = config {
                body.insert("toolConfig".to_owned(), json!({"functionCallingConfig": config}));
            }
        }
        Ok(body)
    }

    fn own(&self) -> &'static [&'static str] {
        &["model", "contents", "tools"]
    }

    fn read(&self, answer: &Value) -> Result<Said, Unclean> {
        let blocked = answer.pointer("/promptFeedback/blockReason").is_some_and(Value::is_string);
        let Some(candidate) = answer.pointer("/candidates/0") else {
            if blocked {
                return Ok(Said {
                    stop: StopReason::Refusal,
                    usage: usage(answer),
                    reasoning: String::new(),
                });
            }
            return Err(protocol("there is no list `candidates` with an answer; is this a Gemini server?"));
        };
        let stop = match text(candidate, "finishReason") {
            "STOP" | "" => StopReason::End,
            "MAX_TOKENS" => StopReason::Length,
            "SAFETY"
            | "RECITATION"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "MODEL_ARMOR"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION" => StopReason::Refusal,
            reason => super::other(reason),
        };
        let parts = candidate.pointer("/content/parts").and_then(Value::as_array).into_iter().flatten();
        let reasoning = parts.filter(|part| is_thought(part)).map(|part| text(part, "text")).collect();
        Ok(Said { stop, usage: usage(answer), reasoning })
    }

    fn keep(&self, mut turn: Vec<Value>) -> Option<Vec<Value>> {
        let is_plain = |part: &Value| {
            let members = part.as_object();
            members.is_some_and(|members| {
                members.len() == 1 && (members.contains_key("text") || members.contains_key("functionCall"))
            })
        };
        let mut parts = turn.iter().filter_map(|content| content.get("parts")?.as_array()).flatten();
        if parts.all(is_plain) {
            return None;
        }
        for content in &mut turn {
            let parts = content.get_mut("parts").and_then(Value::as_array_mut);
            calls(parts).for_each(as_object);
        }
        Some(turn)
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        Box::<Responses>::default()
    }
}

fn part(block: &Content) -> Value {
    let file = |mime: &str, base64: &str| json!({"inlineData": {"mimeType": mime, "data": base64}});
    match shown(block, MessageFormat::Gemini) {
        Shown::Text(text) => json!({"text": text}),
        Shown::Image { mime, base64 } | Shown::Audio { mime, base64 } => file(mime, &base64),
        Shown::Pdf { base64 } => file("application/pdf", &base64),
    }
}

/// Puts a signature on the first call of a turn of the model that has none.
fn sign(content: &mut Value) {
    if text(content, "role") != "model" {
        return;
    }
    let Some(parts) = content.get_mut("parts").and_then(Value::as_array_mut) else { return };
    if parts.iter().any(|part| part.get("thoughtSignature").is_some()) {
        return;
    }
    let call = parts.iter_mut().find(|part| part.get("functionCall").is_some());
    if let Some(members) = call.and_then(Value::as_object_mut) {
        members.insert("thoughtSignature".to_owned(), FOREIGN.into());
    }
}

/// The arguments of the calls among parts.
fn calls(parts: Option<&mut Vec<Value>>) -> impl Iterator<Item = &mut Value> {
    parts.into_iter().flatten().filter_map(|part| part.pointer_mut("/functionCall/args"))
}

fn is_thought(part: &Value) -> bool {
    part.get("thought") == Some(&Value::Bool(true))
}

fn usage(answer: &Value) -> Usage {
    let of = |key: &str| tokens(answer, &format!("/usageMetadata/{key}"));
    let thoughts = of("thoughtsTokenCount");
    // Here, thoughts stand beside what is said.
    let input = of("promptTokenCount").saturating_add(of("toolUsePromptTokenCount"));
    Usage::new(input, of("candidatesTokenCount").saturating_add(thoughts))
        .cached(of("cachedContentTokenCount"))
        .reasoning(thoughts)
}

/// A stream of responses, each with more parts.
#[derive(Debug, Default)]
struct Responses {
    parts: Vec<Value>,
    calls: usize,
    finish: Value,
    message: Value,
    feedback: Value,
    usage: Value,
}

impl Responses {
    fn part(&mut self, part: Value, told: &mut Vec<ReplyEvent>, kept: &mut Kept) -> Result<(), Unclean> {
        if let Some(call) = part.get("functionCall") {
            let index = self.calls;
            self.calls = self.calls.saturating_add(1);
            told.push(ReplyEvent::CallStarted { index, name: text(call, "name").to_owned() });
            let arguments = call.get("args").map(written).unwrap_or_default();
            if !arguments.is_empty() {
                told.push(ReplyEvent::Arguments { index, text: arguments });
            }
        } else if is_thought(&part) {
            tell_reasoning(text(&part, "text"), told);
        } else {
            tell_text(text(&part, "text"), told);
        }
        // A text goes on; one with a signature is a part of its own.
        let goes_on = |part: &Value| {
            part.get("text").is_some_and(Value::is_string) && part.get("thoughtSignature").is_none()
        };
        if let Some(last) = self.parts.last_mut().filter(|last| goes_on(last) && goes_on(&part))
            && is_thought(last) == is_thought(&part)
            && let Some(Value::String(before)) = last.get_mut("text")
        {
            before.push_str(text(&part, "text"));
        } else if self.parts.len() < PARTS {
            kept.value(&part)?;
            self.parts.push(part);
        }
        Ok(())
    }
}

impl Assembly for Responses {
    fn take(&mut self, mut event: Value, told: &mut Vec<ReplyEvent>, kept: &mut Kept) -> Result<(), Unclean> {
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            return Err(failure::of_event(error));
        }
        for (key, place) in [("usageMetadata", &mut self.usage), ("promptFeedback", &mut self.feedback)] {
            if let Some(value) = event.get_mut(key).filter(|value| !value.is_null()) {
                *place = value.take();
            }
        }
        let Some(candidate) = event.pointer_mut("/candidates/0") else { return Ok(()) };
        for (key, place) in [("finishReason", &mut self.finish), ("finishMessage", &mut self.message)] {
            if let Some(value) = candidate.get_mut(key).filter(|value| value.is_string()) {
                *place = value.take();
            }
        }
        if let Some(Value::Array(parts)) = candidate.pointer_mut("/content/parts").map(Value::take) {
            for part in parts {
                self.part(part, told, kept)?;
            }
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        self.finish.is_string() || self.feedback.get("blockReason").is_some()
    }

    fn whole(self: Box<Self>) -> Value {
        if self.finish.is_null() {
            return json!({"promptFeedback": self.feedback, "usageMetadata": self.usage});
        }
        let mut candidate =
            json!({"content": {"role": "model", "parts": self.parts}, "finishReason": self.finish});
        if let (true, Some(members)) = (self.message.is_string(), candidate.as_object_mut()) {
            members.insert("finishMessage".to_owned(), self.message);
        }
        json!({"candidates": [candidate], "usageMetadata": self.usage})
    }
}
