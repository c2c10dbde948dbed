//! A conversation in a provider's turns: what was said stays ours, answers and results are the provider's already.
//!
//! An answer that came from the same kind of provider goes back as it came; any other is written anew, with names and
//! arguments as the provider knows the tools. The results of an answer follow it in the order of its calls.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool_core::{AssistantMessage, Content, Message, ToolOutput, ToolResult};
use opentool_schema::{MessageFormat, ParsedCalls, parse_calls, write_calls, write_results};
use serde_json::{Value, json};

use super::shown::image;
use super::tools::WireTools;

/// One or more messages of a conversation.
pub(super) enum Turn<'a> {
    /// Instructions of the host.
    System(&'a str),
    /// What a person said or showed.
    User(Cow<'a, [Content]>),
    /// Messages (or items) in the provider's format.
    Written(Vec<Value>),
}

/// The turns of a conversation.
pub(super) fn turns<'a>(format: MessageFormat, messages: &'a [Message], tools: &WireTools) -> Vec<Turn<'a>> {
    let mut turns = Vec::with_capacity(messages.len());
    let mut rest = messages;
    while let Some((message, after)) = rest.split_first() {
        rest = after;
        match message {
            Message::System(text) => turns.push(Turn::System(text)),
            Message::User(blocks) => turns.push(Turn::User(blocks.into())),
            Message::Assistant(answer) => {
                let count = after.iter().take_while(|next| matches!(next, Message::Tool(_))).count();
                let (results, after) = after.split_at_checked(count).unwrap_or((after, &[]));
                rest = after;
                let results: Vec<&ToolResult> = results.iter().filter_map(result).collect();
                turns.push(Turn::Written(exchange(format, answer, &results, tools)));
                turns.extend(pictures(format, &results));
            }
            // Results that no answer stands before; a loop mends such conversations, and nothing better can be sent.
            Message::Tool(result) => {
                turns.push(Turn::Written(write_results(format, std::slice::from_ref(result))));
            }
            _ => {}
        }
    }
    turns
}

fn result(message: &Message) -> Option<&ToolResult> {
    match message {
        Message::Tool(result) => Some(result),
        _ => None,
    }
}

/// An answer and the results of its calls.
fn exchange(
    format: MessageFormat,
    answer: &AssistantMessage,
    results: &[&ToolResult],
    tools: &WireTools,
) -> Vec<Value> {
    if let Some((items, parsed)) = as_it_came(format, answer) {
        let mut written = items.to_vec();
        if !results.is_empty() {
            let outputs: Vec<ToolOutput> = answer
                .tool_calls
                .iter()
                .map(|call| {
                    let result = results.iter().find(|result| result.call_id == call.id);
                    result.map_or_else(
                        || ToolOutput::error("there is no result: the call was not run"),
                        |result| result.output.clone(),
                    )
                })
                .collect();
            written.extend(show(format, parsed.results(&outputs), &outputs));
        }
        return written;
    }
    let mut written = write_calls(format, &tools.there(answer));
    let results: Vec<ToolResult> = results
        .iter()
        .map(|result| {
            let mut result = (*result).clone();
            result.name = tools.provider_name(&result.name).to_owned();
            result
        })
        .collect();
    let outputs: Vec<ToolOutput> = results.iter().map(|result| result.output.clone()).collect();
    written.extend(show(format, write_results(format, &results), &outputs));
    written
}

/// The turn as the provider wrote it, if it can go back.
fn as_it_came(format: MessageFormat, answer: &AssistantMessage) -> Option<(&[Value], ParsedCalls)> {
    let items = answer.replay(format.name())?;
    let whole;
    let turn = match items {
        [one] if format != MessageFormat::OpenAiResponses => one,
        items => {
            whole = Value::Array(items.to_vec());
            &whole
        }
    };
    let parsed = parse_calls(format, turn).ok()?;
    (parsed.calls.len() == answer.tool_calls.len()).then_some((items, parsed))
}

/// Puts images into results where the format has a place for them that `opentool-schema` does not use.
fn show(format: MessageFormat, mut written: Vec<Value>, outputs: &[ToolOutput]) -> Vec<Value> {
    if !matches!(format, MessageFormat::Mistral | MessageFormat::Ollama) || written.len() != outputs.len() {
        return written;
    }
    for (message, output) in written.iter_mut().zip(outputs) {
        let images: Vec<(&str, String)> = images(output, format).collect();
        let Some(members) = message.as_object_mut().filter(|_| !images.is_empty()) else { continue };
        if format == MessageFormat::Ollama {
            let images: Value = images.into_iter().map(|(_, base64)| base64).collect();
            members.insert("images".to_owned(), images);
        } else {
            let text = members.get("content").cloned().unwrap_or_default();
            let first = json!({"type": "text", "text": text});
            let images = images.into_iter().map(|(mime, base64)| {
                json!({"type": "image_url", "image_url": format!("data:{mime};base64,{base64}")})
            });
            let parts: Value = std::iter::once(first).chain(images).collect();
            members.insert("content".to_owned(), parts);
        }
    }
    written
}

/// Chat Completions takes no images in results: they follow as if a person showed them.
pub(super) fn pictures<'a>(format: MessageFormat, results: &[&'a ToolResult]) -> Option<Turn<'a>> {
    if format != MessageFormat::OpenAiChat {
        return None;
    }
    let mut blocks = vec![Content::text("The images in the results above, in their order:")];
    for result in results.iter().filter(|result| !result.output.is_error) {
        blocks.extend(result.output.content.iter().filter(|block| image(block, format).is_some()).cloned());
    }
    (blocks.len() > 1).then(|| Turn::User(blocks.into()))
}

fn images(output: &ToolOutput, format: MessageFormat) -> impl Iterator<Item = (&str, String)> {
    let blocks = if output.is_error { &[] } else { output.content.as_slice() };
    blocks
        .iter()
        .filter_map(move |block| image(block, format))
        .map(|(mime, data)| (mime, STANDARD.encode(data)))
}
