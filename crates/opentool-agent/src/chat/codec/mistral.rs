//! Mistral chat: the format of Chat Completions with ids of nine characters and thoughts among the content.
//!
//! A result may hold images. Fields that Mistral does not know are refused, so nothing of OpenAI's newer ones is sent. So is
//! a question straight behind results, as a conversation has it after a limit or an interrupt: on the wire, and there only, a
//! blank answer stands between.

use opentool_core::{Content, ModelError, ParallelCalls};
use opentool_schema::MessageFormat;
use serde_json::{Map, Value, json};

use super::{Ask, Assembly, Codec, Delivery, Said, chat, text};
use crate::chat::failure::Unclean;
use crate::chat::shown::{Shown, data_url, described, shown};
use crate::chat::tools::Choice;
use crate::chat::turns::{Turn, turns};

pub(super) struct Mistral;

impl Codec for Mistral {
    fn format(&self) -> MessageFormat {
        MessageFormat::Mistral
    }

    fn path(&self, _ask: &Ask<'_>) -> Vec<String> {
        ["v1", "chat", "completions"].map(str::to_owned).into()
    }

    fn body(&self, ask: &Ask<'_>) -> Result<Map<String, Value>, ModelError> {
        let mut body = Map::new();
        body.insert("model".to_owned(), ask.model.into());
        let written = turns(self.format(), ask.request.messages, ask.tools);
        let mut messages: Vec<Value> = Vec::with_capacity(written.len());
        for turn in written {
            match turn {
                Turn::System(text) => messages.push(json!({"role": "system", "content": text})),
                Turn::User(blocks) => {
                    // Behind results it takes an answer only, and refuses one that says nothing.
                    if messages.last().is_some_and(|last| text(last, "role") == "tool") {
                        messages.push(json!({"role": "assistant", "content": " "}));
                    }
                    messages.push(json!({"role": "user", "content": user(&blocks)}));
                }
                Turn::Written(written) => messages.extend(written),
            }
        }
        body.insert("messages".to_owned(), messages.into());
        let (definitions, choice) = ask.tools.limited();
        if let Some(definitions) = definitions {
            body.insert("tools".to_owned(), definitions);
            let choice: Option<Value> = match choice {
                Choice::Required | Choice::OneOf(_) => Some("any".into()),
                Choice::None => Some("none".into()),
                Choice::Tool(name) => Some(json!({"type": "function", "function": {"name": name}})),
                Choice::Auto | Choice::Among(_) => None,
            };
            if let Some(choice) = choice {
                body.insert("tool_choice".to_owned(), choice);
            }
            if ask.request.parallel_calls == ParallelCalls::One {
                body.insert("parallel_tool_calls".to_owned(), false.into());
            }
        }
        if ask.delivery == Delivery::Streamed {
            body.insert("stream".to_owned(), true.into());
        }
        Ok(body)
    }

    fn own(&self) -> &'static [&'static str] {
        &["model", "messages", "tools", "stream", "n"]
    }

    fn read(&self, answer: &Value) -> Result<Said, Unclean> {
        chat::read(answer)
    }

    fn keep(&self, turn: Vec<Value>) -> Option<Vec<Value>> {
        let [Value::Object(message)] = <[Value; 1]>::try_from(turn).ok()? else { return None };
        // Thoughts stand among the content.
        if !message.get("content").is_some_and(Value::is_array) {
            return None;
        }
        const BACK: [&str; 3] = ["role", "content", "tool_calls"];
        Some(vec![message.into_iter().filter(|(key, _)| BACK.contains(&key.as_str())).collect()])
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        Box::<chat::Chunks>::default()
    }
}

fn user(blocks: &[Content]) -> Value {
    match blocks {
        [Content::Text(text)] => json!(text),
        blocks => blocks.iter().map(part).collect(),
    }
}

fn part(block: &Content) -> Value {
    match shown(block, MessageFormat::Mistral) {
        Shown::Text(text) => json!({"type": "text", "text": text}),
        Shown::Image { mime, base64 } => json!({"type": "image_url", "image_url": data_url(mime, &base64)}),
        Shown::Audio { base64, .. } => json!({"type": "input_audio", "input_audio": base64}),
        Shown::Pdf { .. } => json!({"type": "text", "text": described(block)}),
    }
}
