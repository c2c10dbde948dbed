//! Ollama's own `/api/chat`.
//!
//! Answers come in lines, calls whole in one of them, and ids only from newer servers. There is no way to require a
//! call, which is told as an error; to forbid calls, no tool is sent.

use opentool_core::{Content, ModelError, ReplyEvent, StopReason, Usage};
use opentool_schema::MessageFormat;
use serde_json::{Map, Value, json};

use super::{
    Ask, Assembly, Codec, Delivery, Framing, Said, as_object, protocol, tell_reasoning, tell_text, text,
    tokens, written,
};
use crate::chat::failure::{self, Unclean};
use crate::chat::measure::Kept;
use crate::chat::shown::{Shown, described, shown};
use crate::chat::tools::Choice;
use crate::chat::turns::{Turn, turns};

/// The most calls of an answer.
const CALLS: usize = 512;

pub(super) struct Ollama;

impl Codec for Ollama {
    fn format(&self) -> MessageFormat {
        MessageFormat::Ollama
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn path(&self, _ask: &Ask<'_>) -> Vec<String> {
        ["api", "chat"].map(str::to_owned).into()
    }

    fn body(&self, ask: &Ask<'_>) -> Result<Map<String, Value>, ModelError> {
        let mut body = Map::new();
        body.insert("model".to_owned(), ask.model.into());
        let written = turns(self.format(), ask.request.messages, ask.tools);
        let messages: Vec<Value> = written
            .into_iter()
            .flat_map(|turn| match turn {
                Turn::System(text) => vec![json!({"role": "system", "content": text})],
                Turn::User(blocks) => vec![user(&blocks)],
                Turn::Written(written) => written,
            })
            .collect();
        body.insert("messages".to_owned(), messages.into());
        let (definitions, choice) = ask.tools.limited();
        match (definitions, choice) {
            (_, Choice::Required | Choice::Tool(_) | Choice::OneOf(_)) => {
                return Err(ModelError::Unsupported(
                    "Ollama has no way to require a call; let the model decide, or ask it through its Chat \
                     Completions server (`openai:` with OPENAI_BASE_URL=http://localhost:11434/v1)"
                        .into(),
                ));
            }
            (None, _) | (_, Choice::None) => {}
            (Some(definitions), _) => {
                body.insert("tools".to_owned(), definitions);
            }
        }
        // Ollama streams if it is not told otherwise.
        body.insert("stream".to_owned(), (ask.delivery == Delivery::Streamed).into());
        Ok(body)
    }

    fn own(&self) -> &'static [&'static str] {
        &["model", "messages", "tools", "stream"]
    }

    fn read(&self, answer: &Value) -> Result<Said, Unclean> {
        let message = answer
            .get("message")
            .filter(|message| message.is_object())
            .ok_or_else(|| protocol("there is no object `message`; is this Ollama?"))?;
        let stop = match text(answer, "done_reason") {
            "stop" | "" => StopReason::End,
            "length" => StopReason::Length,
            reason => super::other(reason),
        };
        let usage = Usage::new(tokens(answer, "/prompt_eval_count"), tokens(answer, "/eval_count"));
        Ok(Said { stop, usage, reasoning: text(message, "thinking").to_owned() })
    }

    fn keep(&self, mut turn: Vec<Value>) -> Option<Vec<Value>> {
        let message = turn.first_mut()?;
        if message.get("thinking")?.as_str()?.is_empty() {
            return None;
        }
        calls(message).for_each(as_object);
        Some(turn)
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        Box::<Lines>::default()
    }
}

/// The arguments of a message's calls.
fn calls(message: &mut Value) -> impl Iterator<Item = &mut Value> {
    let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten();
    calls.filter_map(|call| call.pointer_mut("/function/arguments"))
}

fn user(blocks: &[Content]) -> Value {
    let mut texts: Vec<String> = Vec::new();
    let mut images: Vec<Value> = Vec::new();
    for block in blocks {
        match shown(block, MessageFormat::Ollama) {
            Shown::Text(text) => texts.push(text.into_owned()),
            Shown::Image { base64, .. } => images.push(base64.into()),
            Shown::Audio { .. } | Shown::Pdf { .. } => texts.push(described(block)),
        }
    }
    let mut message = json!({"role": "user", "content": texts.join("\n")});
    if let (false, Some(members)) = (images.is_empty(), message.as_object_mut()) {
        members.insert("images".to_owned(), images.into());
    }
    message
}

/// A stream of lines.
#[derive(Debug, Default)]
struct Lines {
    content: String,
    thinking: String,
    calls: Vec<Value>,
    /// The last line.
    last: Map<String, Value>,
}

impl Assembly for Lines {
    fn take(&mut self, event: Value, told: &mut Vec<ReplyEvent>, kept: &mut Kept) -> Result<(), Unclean> {
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            return Err(failure::of_event(error));
        }
        if let Some(message) = event.get("message") {
            tell_reasoning(text(message, "thinking"), told);
            tell_text(text(message, "content"), told);
            self.thinking.push_str(text(message, "thinking"));
            self.content.push_str(text(message, "content"));
            for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
                if self.calls.len() >= CALLS {
                    break;
                }
                let index = self.calls.len();
                let function = call.get("function").unwrap_or(&Value::Null);
                told.push(ReplyEvent::CallStarted { index, name: text(function, "name").to_owned() });
                let arguments = function.get("arguments").map(written).unwrap_or_default();
                if !arguments.is_empty() {
                    told.push(ReplyEvent::Arguments { index, text: arguments });
                }
                kept.value(call)?;
                self.calls.push(call.clone());
            }
        }
        let is_last = event.get("done") == Some(&Value::Bool(true));
        if let (Value::Object(mut last), true) = (event, is_last) {
            last.remove("message");
            self.last = last;
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        !self.last.is_empty()
    }

    fn is_over(&self) -> bool {
        self.is_complete()
    }

    fn whole(self: Box<Self>) -> Value {
        let mut message = json!({"role": "assistant", "content": self.content});
        if let Some(members) = message.as_object_mut() {
            if !self.thinking.is_empty() {
                members.insert("thinking".to_owned(), self.thinking.into());
            }
            if !self.calls.is_empty() {
                members.insert("tool_calls".to_owned(), self.calls.into());
            }
        }
        let mut whole = self.last;
        whole.insert("message".to_owned(), message);
        Value::Object(whole)
    }
}
