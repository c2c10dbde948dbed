//! OpenAI Responses.
//!
//! Nothing is stored at the provider (`store` is false unless the host says otherwise): reasoning comes encrypted and
//! goes back with its turn. Reasoning that came without its content cannot go back, and its items lose their ids then,
//! because the provider asks for the one with the other.

use opentool_core::{Content, ModelError, ParallelCalls, ReplyEvent, StopReason, Usage};
use opentool_schema::MessageFormat;
use serde_json::{Map, Value, json};

use super::{
    Ask, Assembly, Codec, Delivery, Said, Server, protocol, tell_reasoning, tell_text, text, tokens,
};
use crate::chat::failure::{self, Unclean};
use crate::chat::measure::Kept;
use crate::chat::shown::{Shown, data_url, described, shown};
use crate::chat::tools::Choice;
use crate::chat::turns::{Turn, turns};

/// The most items of an answer.
const ITEMS: usize = 4_096;

pub(super) struct Responses;

impl Codec for Responses {
    fn format(&self) -> MessageFormat {
        MessageFormat::OpenAiResponses
    }

    fn path(&self, _ask: &Ask<'_>) -> Vec<String> {
        vec!["responses".to_owned()]
    }

    fn body(&self, ask: &Ask<'_>) -> Result<Map<String, Value>, ModelError> {
        let mut body = Map::new();
        body.insert("model".to_owned(), ask.model.into());
        let written = turns(self.format(), ask.request.messages, ask.tools);
        let input: Vec<Value> = written
            .into_iter()
            .flat_map(|turn| match turn {
                Turn::System(text) => vec![json!({"role": "system", "content": text})],
                Turn::User(blocks) => {
                    let parts: Value = blocks.iter().map(part).collect();
                    vec![json!({"role": "user", "content": parts})]
                }
                Turn::Written(written) => written,
            })
            .collect();
        body.insert("input".to_owned(), input.into());
        let (definitions, choice) = match ask.server {
            Server::Provider => (ask.tools.definitions(), ask.tools.choice().clone()),
            Server::Other => ask.tools.limited(),
        };
        if let Some(definitions) = definitions {
            body.insert("tools".to_owned(), definitions);
            let function = |name: String| json!({"type": "function", "name": name});
            let allowed = |mode: &str, names: Vec<String>| {
                let tools: Value = names.into_iter().map(function).collect();
                json!({"type": "allowed_tools", "mode": mode, "tools": tools})
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
        body.insert("store".to_owned(), false.into());
        if thinks(ask.model) {
            // Other models refuse the question for it.
            body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
        }
        if ask.delivery == Delivery::Streamed {
            body.insert("stream".to_owned(), true.into());
        }
        Ok(body)
    }

    fn own(&self) -> &'static [&'static str] {
        &["model", "input", "tools", "stream", "background"]
    }

    fn read(&self, answer: &Value) -> Result<Said, Unclean> {
        let output = answer
            .get("output")
            .and_then(Value::as_array)
            .ok_or_else(|| protocol("there is no list `output`; is this a Responses server?"))?;
        let parts = |item: &Value, key: &str| -> Vec<Value> {
            item.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
        };
        let refused = output
            .iter()
            .flat_map(|item| parts(item, "content"))
            .any(|part| part.get("refusal").is_some_and(Value::is_string));
        let stop = match answer.pointer("/incomplete_details/reason").and_then(Value::as_str) {
            _ if refused => StopReason::Refusal,
            Some("max_output_tokens") => StopReason::Length,
            Some("content_filter") => StopReason::Refusal,
            Some(reason) => super::other(reason),
            None => match text(answer, "status") {
                // `incomplete` without a reason is what some servers say at the output limit.
                "incomplete" => StopReason::Length,
                "completed" | "" => StopReason::End,
                status => super::other(status),
            },
        };
        let thoughts: Vec<String> = output
            .iter()
            .filter(|item| text(item, "type") == "reasoning")
            .flat_map(|item| {
                let summary = parts(item, "summary");
                if summary.is_empty() { parts(item, "content") } else { summary }
            })
            .map(|part| text(&part, "text").to_owned())
            .filter(|thought| !thought.is_empty())
            .collect();
        Ok(Said { stop, usage: usage(answer), reasoning: thoughts.join("\n\n") })
    }

    fn keep(&self, mut turn: Vec<Value>) -> Option<Vec<Value>> {
        let is_lost = |item: &Value| {
            text(item, "type") == "reasoning" && !item.get("encrypted_content").is_some_and(Value::is_string)
        };
        if turn.iter().any(is_lost) {
            turn.retain(|item| !is_lost(item));
            for members in turn.iter_mut().filter_map(Value::as_object_mut) {
                members.remove("id");
            }
        }
        // Of a turn that was cut off while the model thought: the API refuses reasoning with nothing behind it.
        while turn.last().is_some_and(|item| text(item, "type") == "reasoning") {
            turn.pop();
        }
        let is_plain = |item: &Value| match text(item, "type") {
            "function_call" => item.get("caller").is_none() && item.get("namespace").is_none(),
            kind => kind == "message",
        };
        (!turn.iter().all(is_plain)).then_some(turn)
    }

    fn assembly(&self) -> Box<dyn Assembly> {
        Box::<Events>::default()
    }
}

/// Whether a model has reasoning that can be kept.
fn thinks(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    let is_o = name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_o || name.starts_with("codex") || (name.starts_with("gpt-5") && !name.contains("chat"))
}

fn part(block: &Content) -> Value {
    match shown(block, MessageFormat::OpenAiResponses) {
        Shown::Text(text) => json!({"type": "input_text", "text": text}),
        Shown::Image { mime, base64 } => {
            // The detail is said although it is the default: OpenAI's types, which other servers use, ask for it.
            json!({"type": "input_image", "image_url": data_url(mime, &base64), "detail": "auto"})
        }
        Shown::Pdf { base64 } => {
            let data = data_url("application/pdf", &base64);
            json!({"type": "input_file", "filename": "document.pdf", "file_data": data})
        }
        Shown::Audio { .. } => json!({"type": "input_text", "text": described(block)}),
    }
}

fn usage(answer: &Value) -> Usage {
    let of = |pointer: &str| tokens(answer, &format!("/usage/{pointer}"));
    Usage::new(of("input_tokens"), of("output_tokens"))
        .cached(of("input_tokens_details/cached_tokens"))
        .cache_writes(of("input_tokens_details/cache_write_tokens"))
        .reasoning(of("output_tokens_details/reasoning_tokens"))
}

/// A stream of events.
#[derive(Debug, Default)]
struct Events {
    /// The numbers of the items that are calls, in their order.
    calls: Vec<u64>,
    /// Arguments of those calls that were told.
    grown: Vec<u64>,
    /// The items that are done.
    items: Vec<Value>,
    /// Whether words were told as they came.
    has_told: bool,
    response: Value,
}

impl Events {
    fn place(&self, number: u64) -> Option<usize> {
        self.calls.iter().position(|call| *call == number)
    }

    /// Tells the words of an answer that came without pieces.
    fn tell_at_once(&self, told: &mut Vec<ReplyEvent>) {
        let list = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned();
        let output = list(&self.response, "output").filter(|output| !output.is_empty());
        for part in
            output.as_ref().unwrap_or(&self.items).iter().filter_map(|item| list(item, "content")).flatten()
        {
            match text(&part, "type") {
                "output_text" => tell_text(text(&part, "text"), told),
                "refusal" => tell_text(text(&part, "refusal"), told),
                _ => {}
            }
        }
    }
}

impl Assembly for Events {
    fn take(&mut self, mut event: Value, told: &mut Vec<ReplyEvent>, kept: &mut Kept) -> Result<(), Unclean> {
        let number = event.get("output_index").and_then(Value::as_u64).unwrap_or(0);
        match text(&event, "type") {
            "response.output_text.delta" | "response.refusal.delta" => {
                self.has_told |= !text(&event, "delta").is_empty();
                tell_text(text(&event, "delta"), told);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                tell_reasoning(text(&event, "delta"), told);
            }
            "response.output_item.added" => {
                let item = event.get("item").unwrap_or(&Value::Null);
                if text(item, "type") == "function_call"
                    && self.place(number).is_none()
                    && self.calls.len() < ITEMS
                {
                    let index = self.calls.len();
                    self.calls.push(number);
                    told.push(ReplyEvent::CallStarted { index, name: text(item, "name").to_owned() });
                }
            }
            "response.function_call_arguments.delta" => {
                let more = text(&event, "delta");
                if let Some(index) = self.place(number).filter(|_| !more.is_empty()) {
                    if !self.grown.contains(&number) {
                        self.grown.push(number);
                    }
                    told.push(ReplyEvent::Arguments { index, text: more.to_owned() });
                }
            }
            "response.function_call_arguments.done" => {
                // Some servers send them at once.
                let all = text(&event, "arguments");
                if let Some(index) =
                    self.place(number).filter(|_| !all.is_empty() && !self.grown.contains(&number))
                {
                    told.push(ReplyEvent::Arguments { index, text: all.to_owned() });
                }
            }
            "response.output_item.done" => {
                if let Some(item) = event.get_mut("item").filter(|_| self.items.len() < ITEMS) {
                    kept.value(item)?;
                    self.items.push(item.take());
                }
            }
            "response.completed" | "response.incomplete" => {
                self.response = event.get_mut("response").map(Value::take).unwrap_or_default();
                if !std::mem::replace(&mut self.has_told, true) {
                    self.tell_at_once(told);
                }
            }
            "response.failed" => {
                let error = event.pointer("/response/error").filter(|error| !error.is_null());
                return Err(failure::of_event(
                    error.unwrap_or(&Value::String("the answer failed".to_owned())),
                ));
            }
            "error" => return Err(failure::of_event(event.get("error").unwrap_or(&event))),
            _ => {}
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        self.response.is_object()
    }

    fn is_over(&self) -> bool {
        self.is_complete()
    }

    fn whole(self: Box<Self>) -> Value {
        let Self { items, mut response, .. } = *self;
        let has_output =
            response.get("output").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
        // Some servers end with a response without its items.
        if let (false, Some(members)) = (has_output, response.as_object_mut()) {
            members.insert("output".to_owned(), items.into());
        }
        response
    }
}
