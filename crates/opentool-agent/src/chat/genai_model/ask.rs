//! A question in `genai`'s words.
//!
//! Conversations are first written as Chat Completions (`turns.rs`), in which ids, names and arguments are what every
//! service takes, and then as `genai` has them. A turn that the same adapter gave before goes back as it came.

use std::collections::HashMap;

use genai::ServiceTarget;
use genai::adapter::AdapterKind;
use genai::chat::{
    Binary, ChatMessage, ChatOptions, ChatRequest as GenaiRequest, ContentPart, MessageContent,
    Tool as GenaiTool, ToolCall as GenaiCall, ToolChoice as GenaiChoice, ToolResponse,
};
use opentool_core::{AssistantMessage, ChatRequest, Content, Message, ModelError, Strict, ToolResult};
use opentool_schema::{Dialect, MessageFormat, write_results};
use serde_json::Value;

use super::{GenaiModel, adapter, failure, format_of};
use crate::chat::codec::as_object;
use crate::chat::shown::{Shown, described, shown};
use crate::chat::tools::{Choice, WireTools};
use crate::chat::turns::{Turn, pictures, turns};

/// What conversations are written in on their way.
const BETWEEN: MessageFormat = MessageFormat::OpenAiChat;

/// A question on its way.
pub(super) struct Question {
    pub(super) target: ServiceTarget,
    pub(super) request: GenaiRequest,
    pub(super) options: ChatOptions,
    pub(super) tools: WireTools,
    /// The format under which the answer's turn is kept.
    pub(super) format: String,
}

impl GenaiModel {
    pub(super) async fn question(&self, request: ChatRequest<'_>) -> Result<Question, ModelError> {
        let unsupported = |why: String| Err(ModelError::Unsupported(why.into()));
        if request.strict == Strict::Always {
            return unsupported(
                "genai changes strict schemas by itself, and not for every service".to_owned(),
            );
        }
        let target = self.client.resolve_service_target(&*self.name).await.map_err(failure::of)?;
        let kind = target.model.adapter_kind;
        let tools = WireTools::of(&request.strict(Strict::Never), Dialect::OpenAi, &self.lowered)?;
        let (definitions, choice) = tools.limited();
        let service = kind.as_str();
        if definitions.is_some() && !adapter::takes_tools(kind) {
            return unsupported(format!("genai sends no tools to {service}"));
        }
        let mut definitions: Vec<GenaiTool> = definitions.iter().flat_map(definition).collect();
        let mut options = self.options.clone();
        options.tool_choice = match choice {
            Choice::Auto | Choice::Among(_) => None,
            Choice::None if definitions.is_empty() => None,
            Choice::None if adapter::takes_choices(kind) => Some(GenaiChoice::None),
            // What it is not told of, it cannot call.
            Choice::None => {
                definitions.clear();
                None
            }
            Choice::Required | Choice::OneOf(_) | Choice::Tool(_) if !adapter::takes_choices(kind) => {
                return unsupported(format!("genai has no way to require a call of {service}"));
            }
            Choice::Required | Choice::OneOf(_) => Some(GenaiChoice::Required),
            Choice::Tool(name) => Some(GenaiChoice::tool(name)),
        };
        options.capture_usage = Some(true);
        options.capture_content = Some(true);
        options.capture_reasoning_content = Some(true);
        options.capture_tool_calls = Some(true);
        let format = format_of(kind);
        let mut asked = GenaiRequest::from_messages(messages(kind, &format, request.messages, &tools));
        if !definitions.is_empty() {
            asked = asked.with_tools(definitions);
        }
        Ok(Question { target, request: asked, options, tools, format })
    }
}

/// The tools of a list of definitions.
fn definition(list: &Value) -> Vec<GenaiTool> {
    let functions = list.as_array().into_iter().flatten().filter_map(|tool| tool.get("function"));
    functions
        .map(|function| {
            let text = |key: &str| function.get(key).and_then(Value::as_str).unwrap_or_default();
            let tool = GenaiTool::new(text("name")).with_description(text("description"));
            match function.get("parameters") {
                Some(schema) => tool.with_schema(schema.clone()),
                None => tool,
            }
        })
        .collect()
}

fn messages(kind: AdapterKind, format: &str, messages: &[Message], tools: &WireTools) -> Vec<ChatMessage> {
    let mut written = Written { kind, messages: Vec::new(), names: HashMap::new() };
    let mut rest = messages;
    while let Some((first, after)) = rest.split_first() {
        if let Message::Assistant(answer) = first
            && let Some(content) = kept(format, answer)
        {
            let count = after.iter().take_while(|next| matches!(next, Message::Tool(_))).count();
            let (results, after) = after.split_at_checked(count).unwrap_or((after, &[]));
            let results: Vec<&ToolResult> = results
                .iter()
                .filter_map(|message| match message {
                    Message::Tool(result) => Some(result),
                    _ => None,
                })
                .collect();
            written.as_it_came(answer, content, &results);
            rest = after;
            continue;
        }
        // Up to the next answer that goes back as it came.
        let is_kept = |message: &Message| matches!(message, Message::Assistant(answer) if kept(format, answer).is_some());
        let count = after.iter().position(is_kept).unwrap_or(after.len());
        let (group, after) = rest.split_at_checked(count.saturating_add(1)).unwrap_or((rest, &[]));
        turns(BETWEEN, group, tools).into_iter().for_each(|turn| written.turn(turn));
        rest = after;
    }
    written.messages
}

/// A turn as this adapter gave it.
fn kept(format: &str, answer: &AssistantMessage) -> Option<MessageContent> {
    let [turn] = answer.replay(format)? else { return None };
    let content: MessageContent = serde_json::from_value(turn.clone()).ok()?;
    (content.tool_calls().len() == answer.tool_calls.len()).then_some(content)
}

/// A conversation that is being written.
struct Written {
    kind: AdapterKind,
    messages: Vec<ChatMessage>,
    /// The names of the tools that were called, by the ids of the calls.
    names: HashMap<String, String>,
}

impl Written {
    fn as_it_came(&mut self, answer: &AssistantMessage, content: MessageContent, results: &[&ToolResult]) {
        let calls: Vec<GenaiCall> = content.tool_calls().into_iter().cloned().collect();
        self.messages.push(ChatMessage::assistant(content));
        let mut responses = Vec::new();
        for (call, own) in calls.iter().zip(&answer.tool_calls) {
            // A call without a result was not run; services want to hear something of every call.
            let said = results.iter().find(|result| result.call_id == own.id).map_or_else(
                || "Error: there is no result: the call was not run".to_owned(),
                |result| text_of(result),
            );
            responses.push(ToolResponse::new(call.call_id.clone(), said).with_fn_name(call.fn_name.clone()));
        }
        self.results(responses);
        if let Some(turn) = pictures(BETWEEN, results) {
            self.turn(turn);
        }
    }

    fn turn(&mut self, turn: Turn<'_>) {
        match turn {
            Turn::System(text) => self.messages.push(ChatMessage::system(text)),
            Turn::User(blocks) => {
                let parts: Vec<ContentPart> = blocks.iter().map(|block| part(self.kind, block)).collect();
                self.messages.push(ChatMessage::user(MessageContent::from_parts(parts)));
            }
            Turn::Written(messages) => {
                let mut responses = Vec::new();
                for message in &messages {
                    let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
                    if text("role") == "tool" {
                        let id = text("tool_call_id");
                        let name = self.names.get(id).cloned().unwrap_or_default();
                        responses.push(ToolResponse::new(id, text("content")).with_fn_name(name));
                    } else {
                        self.answer(message);
                    }
                }
                self.results(responses);
            }
        }
    }

    /// A turn of the model in Chat Completions.
    fn answer(&mut self, message: &Value) {
        let text =
            |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut parts = Vec::new();
        let said = text(message, "content");
        if !said.is_empty() {
            parts.push(ContentPart::Text(said));
        }
        for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let function = call.get("function").unwrap_or(&Value::Null);
            let mut fn_arguments = function.get("arguments").cloned().unwrap_or_default();
            as_object(&mut fn_arguments);
            let (call_id, fn_name) = (text(call, "id"), text(function, "name"));
            self.names.insert(call_id.clone(), fn_name.clone());
            parts.push(ContentPart::ToolCall(GenaiCall {
                call_id,
                fn_name,
                fn_arguments,
                thought_signatures: None,
            }));
        }
        self.messages.push(ChatMessage::assistant(MessageContent::from_parts(parts)));
    }

    fn results(&mut self, responses: Vec<ToolResponse>) {
        if responses.is_empty() {
            return;
        }
        if adapter::takes_one_result(self.kind) {
            self.messages.extend(responses.into_iter().map(ChatMessage::from));
        } else {
            self.messages.push(ChatMessage::tool(MessageContent::from_tool_responses(responses)));
        }
    }
}

/// What a result says; images are not part of it.
fn text_of(result: &ToolResult) -> String {
    let written = write_results(BETWEEN, std::slice::from_ref(result));
    let said = written.first().and_then(|message| message.get("content")?.as_str());
    said.unwrap_or_default().to_owned()
}

/// What a person shows; what the adapter would drop is described in words.
fn part(kind: AdapterKind, block: &Content) -> ContentPart {
    let file = |mime: &str, base64: String, name: Option<&str>| {
        ContentPart::Binary(Binary::from_base64(mime, base64, name.map(str::to_owned)))
    };
    match shown(block, MessageFormat::OpenAiChat) {
        Shown::Text(text) => ContentPart::Text(text.into_owned()),
        Shown::Image { mime, base64 } => file(mime, base64, None),
        Shown::Audio { mime, base64 } if adapter::takes_audio(kind, mime) => file(mime, base64, None),
        Shown::Pdf { base64 } if adapter::takes_pdf(kind) => {
            file("application/pdf", base64, Some("document.pdf"))
        }
        Shown::Audio { .. } | Shown::Pdf { .. } => ContentPart::Text(described(block)),
    }
}
