//! An answer of `genai` as ours.
//!
//! What a service wants back and we have no place for (signatures, thoughts, blocks of its own) stays in the turn as
//! `genai` gave it, which goes back with the next question.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use genai::chat::{
    BinarySource, ChatResponse, ContentPart, MessageContent, StopReason as GenaiStop, Usage as GenaiUsage,
};
use opentool_core::{AssistantMessage, ChatReply, Content, ModelError, StopReason, ToolCall, Usage};

use crate::chat::codec::other;
use crate::chat::tools::WireTools;

/// What an answer says beside its content.
pub(super) struct Beside {
    pub(super) reasoning: Option<String>,
    pub(super) stop: Option<GenaiStop>,
    pub(super) usage: Option<GenaiUsage>,
    /// The name that the service gives the model.
    pub(super) model: Option<String>,
}

/// An answer that came at once.
pub(super) fn whole(tools: &WireTools, format: &str, answer: ChatResponse) -> Result<ChatReply, ModelError> {
    let beside = Beside {
        reasoning: answer.reasoning_content,
        stop: answer.stop_reason,
        usage: Some(answer.usage),
        model: Some(answer.provider_model_iden.model_name.to_string()),
    };
    if answer.content.is_empty() && beside.reasoning.is_none() && beside.stop.is_none() {
        // `genai` reads nothing out of a body that is in no format that it knows.
        return Err(ModelError::Protocol("the answer holds nothing that genai understands".into()));
    }
    Ok(reply(tools, format, answer.content, beside))
}

pub(super) fn reply(
    tools: &WireTools,
    format: &str,
    mut content: MessageContent,
    beside: Beside,
) -> ChatReply {
    let thoughts = content.joined_reasoning_content();
    if let (None, Some(thought)) = (&thoughts, &beside.reasoning) {
        // Some adapters give it beside the content, and take it back among the content.
        content.push(ContentPart::ReasoningContent(thought.clone()));
    }
    let mut message = AssistantMessage::default();
    for part in content.parts() {
        match part {
            ContentPart::Text(text) if !text.is_empty() => message.content.push(Content::Text(text.clone())),
            ContentPart::Binary(file) if file.is_image() => {
                if let BinarySource::Base64(data) = &file.source
                    && let Ok(data) = STANDARD.decode(data.as_bytes())
                {
                    message.content.push(Content::image(data, file.content_type.clone()));
                }
            }
            ContentPart::ToolCall(call) => {
                // Ids that `genai` makes up are the same for calls of one tool that come in pieces of their own.
                let is_known = message.tool_calls.iter().any(|known| known.id == call.call_id);
                let id = if is_known || call.call_id.is_empty() {
                    format!("{}#{}", call.call_id, message.tool_calls.len().saturating_add(1))
                } else {
                    call.call_id.clone()
                };
                message.tool_calls.push(ToolCall::new(id, call.fn_name.clone(), call.fn_arguments.clone()));
            }
            _ => {}
        }
    }
    let is_plain = |part: &ContentPart| match part {
        ContentPart::Text(_) => true,
        ContentPart::ToolCall(call) => call.thought_signatures.is_none(),
        _ => false,
    };
    let kept = (!content.iter().all(is_plain)).then(|| serde_json::to_value(&content).ok()).flatten();
    let mut message = tools.back(message).reasoning(thoughts.or(beside.reasoning).unwrap_or_default());
    if let Some(turn) = kept {
        message = message.keep(format, vec![turn]);
    }
    let stop = match beside.stop {
        None | Some(GenaiStop::Completed(_) | GenaiStop::ToolCall(_)) if !message.tool_calls.is_empty() => {
            StopReason::ToolCalls
        }
        // The host's sequence can stand inside of arguments.
        Some(GenaiStop::StopSequence(reason)) if !message.tool_calls.is_empty() => other(&reason),
        None | Some(GenaiStop::Completed(_) | GenaiStop::StopSequence(_) | GenaiStop::ToolCall(_)) => {
            StopReason::End
        }
        Some(GenaiStop::MaxTokens(_)) => StopReason::Length,
        Some(GenaiStop::ContentFilter(_)) => StopReason::Refusal,
        Some(GenaiStop::Other(reason)) => other(&reason),
    };
    let mut reply = ChatReply::new(message).stop(stop).usage(beside.usage.map(usage).unwrap_or_default());
    reply.model = beside.model.filter(|name| !name.is_empty()).map(Into::into);
    reply
}

fn usage(usage: GenaiUsage) -> Usage {
    let count = |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(0);
    let (input, output) = (usage.prompt_tokens_details, usage.completion_tokens_details);
    Usage::new(count(usage.prompt_tokens), count(usage.completion_tokens))
        .cached(count(input.as_ref().and_then(|details| details.cached_tokens)))
        .cache_writes(count(input.as_ref().and_then(|details| details.cache_creation_tokens)))
        .reasoning(count(output.as_ref().and_then(|details| details.reasoning_tokens)))
}
