//! OpenAI Chat Completions.
//!
//! A result is text here; images of results follow as if a person showed them. Thoughts are not part of OpenAI's own
//! format; servers that send them (`reasoning_content`, `reasoning_details`) get them back.

use opentool_core::{Content, ModelError, ParallelCalls};
use opentool_schema::MessageFormat;
use serde_json::{Map, Value, json};

use super::{Ask, Assembly, Codec, Delivery, Said, Server, chat};
use crate::chat::failure::Unclean;
use crate::chat::shown::{Shown, data_url, described, shown};
use crate::chat::tools::Choice;
use crate::chat::turns::{Turn, turns};

pub(super) struct OpenAi;

impl Codec for OpenAi {
    fn format(&self) -> MessageFormat {
        MessageFormat::OpenAiChat
    }

    fn path(&self, _ask: &Ask<'_>) -> Vec<String> {
        ["chat", "completions"].map(str::to_owned).into()
    }

    fn body(&self, ask: &Ask<'_>) -> Result<Map<String, Value>, ModelError> {
        let mut body = Map::new();
        body.insert("model".to_owned(), ask.model.into());
        let written = turns(self.format(), ask.request.messages, ask.tools);
        let messages: Vec<Value> = written
            .into_iter()
            .flat_map(|turn| match turn {
                Turn::System(text) => vec![json!({"role": "system", "content": text})],
                Turn::User(blocks) => vec![json!({"role": "user", "content": user(&blocks)})],
                Turn::Written(written) => written,
            })
            .collect();
        body.insert("messages".to_owned(), messages.into());
        // Only OpenAI knows how to limit calls to some of the tools.
        let (definitions, choice) = match ask.server {
            Server::Provider => (ask.tools.definitions(), ask.tools.choice().clone()),
            Server::Other => ask.tools.limited(),
        };
        if let Some(definitions) = definitions {
            body.insert("tools".to_owned(), definitions);
            let function = |name: String| json!({"type": "function", "function": {"name": name}});
            let allowed = |mode: &str, names: Vec<String>| {
                let tools: Value = names.into_iter().map(function).collect();
                json!({"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}})
            };
            let choice = match choice {
                Choice::Auto => None,
                Choice::Required => Some("required".into()),
                Choice::None => Some("none".into()),
                Choice::Tool(name) => Some(function(name)),
                Choice::Among(names) => Some(allowed("auto", names)),
                Choice::OneOf(names) => Some(allowed("required", names)),
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
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
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
        if !["reasoning_content", "reasoning_details"].iter().any(|key| message.contains_key(*key)) {
            return None;
        }
        // Other members (`annotations`, `audio`, …) are refused in requests by some servers.
        const BACK: [&str; 5] = ["role", "content", "tool_calls", "reasoning_content", "reasoning_details"];
        Some(vec![message.into_iter().filter(|(key, _)| BACK.contains(&key.as_str())).collect()])
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        Box::<chat::Chunks>::default()
    }
}

/// A text alone is a string, which every server takes; anything else is a list of parts.
fn user(blocks: &[Content]) -> Value {
    match blocks {
        [Content::Text(text)] => json!(text),
        blocks => blocks.iter().map(part).collect(),
    }
}

fn part(block: &Content) -> Value {
    let text = |text: &str| json!({"type": "text", "text": text});
    let sound = |base64: &str, format: &str| json!({"type": "input_audio", "input_audio": {"data": base64, "format": format}});
    match shown(block, MessageFormat::OpenAiChat) {
        Shown::Text(said) => text(&said),
        Shown::Image { mime, base64 } => {
            json!({"type": "image_url", "image_url": {"url": data_url(mime, &base64)}})
        }
        Shown::Audio { mime: "audio/wav" | "audio/x-wav" | "audio/wave", base64 } => sound(&base64, "wav"),
        Shown::Audio { mime: "audio/mpeg" | "audio/mp3", base64 } => sound(&base64, "mp3"),
        Shown::Audio { .. } => text(&described(block)),
        Shown::Pdf { base64 } => {
            let data = data_url("application/pdf", &base64);
            json!({"type": "file", "file": {"filename": "document.pdf", "file_data": data}})
        }
    }
}
