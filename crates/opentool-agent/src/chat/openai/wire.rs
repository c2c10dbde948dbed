//! The JSON of OpenAI Chat Completions, to and from our messages. Pure.
//!
//! Reading is lenient, because a hundred servers speak this format and each a little differently: what is missing
//! or unknown is passed over where the answer makes sense without it. Writing is strict, because the same servers
//! refuse a conversation for details: names, arguments and contents leave in the form that all of them take.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool_core::{
    AssistantMessage, ChatReply, ChatRequest, Content, Message, ModelError, StopReason, ToolCall, ToolOutput,
    ToolResult, Usage,
};
use opentool_schema::{Dialect, export};
use serde_json::{Map, Value, json};

/// The longest name of a function that the format allows.
const NAME: usize = 64;
/// Members of a request that the codec alone can answer for.
const OWN: [&str; 5] = ["model", "messages", "tools", "stream", "n"];

/// The body of a request. `parameters` are the host's; what is of the codec is not among them.
pub(super) fn encode(model: &str, parameters: &Map<String, Value>, request: &ChatRequest<'_>) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("messages".to_owned(), request.messages.iter().filter_map(message).collect());
    // Some servers refuse an empty list.
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), export(request.tools, Dialect::OpenAi));
    }
    for (name, value) in parameters {
        if !OWN.contains(&name.as_str()) {
            body.insert(name.clone(), value.clone());
        }
    }
    Value::Object(body)
}

fn message(message: &Message) -> Option<Value> {
    Some(match message {
        Message::System(text) => json!({"role": "system", "content": text}),
        Message::User(blocks) => json!({"role": "user", "content": user(blocks)}),
        Message::Assistant(answer) => assistant(answer),
        Message::Tool(result) => tool(result),
        _ => return None,
    })
}

/// A text alone is a string, which every server takes; anything else is a list of parts.
fn user(blocks: &[Content]) -> Value {
    match blocks {
        [Content::Text(text)] => json!(text),
        blocks => Value::Array(blocks.iter().map(part).collect()),
    }
}

fn part(block: &Content) -> Value {
    let text = |text: &str| json!({"type": "text", "text": text});
    match block {
        Content::Text(said) => text(said),
        Content::Image { data, mime } => picture(data, mime),
        Content::BlobResource { data, mime: Some(mime), .. } if mime.starts_with("image/") => {
            picture(data, mime)
        }
        Content::Audio { data, mime } => match mime.as_str() {
            "audio/wav" | "audio/x-wav" | "audio/wave" => sound(data, "wav"),
            "audio/mpeg" | "audio/mp3" => sound(data, "mp3"),
            _ => text(&described(block)),
        },
        Content::TextResource { uri, text: inside, .. } => text(&format!("{uri}:\n{inside}")),
        _ => text(&described(block)),
    }
}

fn picture(data: &[u8], mime: &str) -> Value {
    let url = format!("data:{mime};base64,{}", STANDARD.encode(data));
    json!({"type": "image_url", "image_url": {"url": url}})
}

fn sound(data: &[u8], format: &str) -> Value {
    json!({"type": "input_audio", "input_audio": {"data": STANDARD.encode(data), "format": format}})
}

/// A block that the format has no part for, in words.
fn described(block: &Content) -> String {
    ToolOutput::from(block.clone()).to_text()
}

fn assistant(answer: &AssistantMessage) -> Value {
    let text = answer.to_text();
    if answer.tool_calls.is_empty() {
        return json!({"role": "assistant", "content": text});
    }
    let calls: Vec<Value> = answer
        .tool_calls
        .iter()
        .map(|call| {
            json!({
                "id": call.id,
                "type": "function",
                "function": {"name": name(&call.name), "arguments": arguments(&call.arguments)},
            })
        })
        .collect();
    let content = if text.is_empty() { Value::Null } else { Value::String(text) };
    json!({"role": "assistant", "content": content, "tool_calls": calls})
}

/// A name that may stand in a conversation. A model can invent any; its name is in the error result as well, and
/// servers refuse a whole conversation for one that breaks the rule.
fn name(name: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let name: String = name.chars().take(NAME).map(legal).collect();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

/// The text of a JSON object, whatever the model wrote: many servers parse what they are sent back, and refuse the
/// conversation if it is not one.
fn arguments(arguments: &Value) -> String {
    match arguments {
        Value::Null => "{}".to_owned(),
        Value::Object(_) => arguments.to_string(),
        Value::String(text) if text.trim().is_empty() => "{}".to_owned(),
        Value::String(text) if matches!(serde_json::from_str(text), Ok(Value::Object(_))) => text.clone(),
        other => json!({"invalid_arguments": other}).to_string(),
    }
}

/// The result of a call. The format has text only, and no mark for errors.
fn tool(result: &ToolResult) -> Value {
    let text = result.output.to_text();
    let content = match (result.output.is_error, text.is_empty()) {
        (true, _) => format!("Error: {text}"),
        (false, true) => "(no output)".to_owned(),
        (false, false) => text,
    };
    json!({"role": "tool", "tool_call_id": result.call_id, "content": content})
}

/// An answer.
pub(super) fn decode(answer: &Value) -> Result<ChatReply, ModelError> {
    let protocol = |what: &str| ModelError::Protocol(what.into());
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        // Gateways report the failure of the server behind them with status 200.
        return Err(ModelError::Protocol(super::failure::text_of(error).into()));
    }
    let choice = answer
        .get("choices")
        .and_then(Value::as_array)
        .ok_or_else(|| protocol("there is no list `choices`; is this a Chat Completions server?"))?
        .first()
        .ok_or_else(|| protocol("the list `choices` is empty"))?;
    let message = choice
        .get("message")
        .and_then(Value::as_object)
        .ok_or_else(|| protocol("there is no object `choices[0].message`"))?;

    let refusal = message.get("refusal").and_then(Value::as_str).filter(|text| !text.is_empty());
    let mut said = AssistantMessage::default();
    for text in message.get("content").map(texts).unwrap_or_default().into_iter().chain(refusal) {
        if !text.is_empty() {
            said = said.say(text);
        }
    }
    said.tool_calls = calls(message);
    let stop = match choice.get("finish_reason").and_then(Value::as_str) {
        _ if refusal.is_some() => StopReason::Refusal,
        Some("length") => StopReason::Length,
        Some("content_filter") => StopReason::Refusal,
        // Several servers say `stop` beside calls, or nothing.
        _ if !said.tool_calls.is_empty() => StopReason::ToolCalls,
        Some("stop" | "tool_calls" | "function_call") | None => StopReason::End,
        Some(other) => StopReason::Other(other.chars().take(NAME).collect()),
    };
    Ok(ChatReply::new(said).stop(stop).usage(usage(answer)))
}

/// The texts of a content: a string, a list of parts, or nothing.
fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part.get("text").or_else(|| part.get("refusal"))?.as_str())
            .collect(),
        _ => Vec::new(),
    }
}

/// The calls. One without a name or id stays: it gets a result that says so, and an id from the run.
fn calls(message: &Map<String, Value>) -> Vec<ToolCall> {
    let calls = message.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    calls
        .iter()
        .filter_map(|call| {
            let function = call.get("function").or_else(|| call.get("custom"))?;
            let arguments = function.get("arguments").or_else(|| function.get("input"));
            Some(ToolCall {
                id: text(call.get("id")),
                name: text(function.get("name")),
                arguments: arguments.cloned().unwrap_or_default(),
            })
        })
        .collect()
}

fn usage(answer: &Value) -> Usage {
    let tokens = |key| answer.get("usage").and_then(|usage| usage.get(key)?.as_u64()).unwrap_or(0);
    Usage::new(tokens("prompt_tokens"), tokens("completion_tokens"))
}

#[cfg(test)]
mod tests {
    use opentool_core::ToolSet;

    use super::*;

    fn encoded(messages: &[Message]) -> Value {
        encode("m", &Map::new(), &ChatRequest::new(messages, &ToolSet::new()))
    }

    #[test]
    fn parameters_of_the_host_stand_beside_what_is_of_the_codec() {
        let parameters = json!({"temperature": 0, "model": "other", "stream": true, "n": 3, "messages": []});
        let parameters = parameters.as_object().unwrap();
        let body = encode("m", parameters, &ChatRequest::new(&[Message::user("?")], &ToolSet::new()));
        assert_eq!(
            body,
            json!({"model": "m", "messages": [{"role": "user", "content": "?"}], "temperature": 0})
        );
    }

    fn reply(message: Value, finish: Value) -> ChatReply {
        decode(&json!({"choices": [{"index": 0, "message": message, "finish_reason": finish}]})).unwrap()
    }

    #[test]
    fn a_conversation_is_written_as_documented() {
        let call = ToolCall::new("a", "find", json!({"q": "x"}));
        let body = encoded(&[
            Message::system("Be short."),
            Message::user("Find x."),
            Message::Assistant(AssistantMessage::calls([call.clone()])),
            Message::Tool(ToolResult::new(&call, ToolOutput::json(json!({"n": 1})))),
            Message::Assistant(AssistantMessage::text("One.")),
        ]);
        assert_eq!(
            body,
            json!({"model": "m", "messages": [
                {"role": "system", "content": "Be short."},
                {"role": "user", "content": "Find x."},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "find", "arguments": "{\"q\":\"x\"}"}},
                ]},
                {"role": "tool", "tool_call_id": "a", "content": "{\"n\":1}"},
                {"role": "assistant", "content": "One."},
            ]})
        );
    }

    #[test]
    fn pictures_and_sounds_of_a_person_are_parts() {
        let blocks = vec![
            Content::text("What is this?"),
            Content::image(&b"png"[..], "image/png"),
            Content::audio(&b"wav"[..], "audio/wav"),
            Content::audio(&b"ogg"[..], "audio/ogg"),
        ];
        assert_eq!(
            encoded(&[Message::User(blocks)])["messages"][0]["content"],
            json!([
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n"}},
                {"type": "input_audio", "input_audio": {"data": "d2F2", "format": "wav"}},
                {"type": "text", "text": "[audio audio/ogg, 3 bytes]"},
            ])
        );
    }

    #[test]
    fn results_are_text_with_errors_marked_and_without_what_is_for_the_host() {
        let content = |output: ToolOutput| {
            let call = ToolCall::new("a", "t", Value::Null);
            encoded(&[Message::Tool(ToolResult::new(&call, output))])["messages"][0]["content"].clone()
        };
        assert_eq!(content(ToolOutput::error("no such pet")), "Error: no such pet");
        assert_eq!(content(ToolOutput::new()), "(no output)");
        assert_eq!(content(Content::image(&b"png"[..], "image/png").into()), "[image image/png, 3 bytes]");
        assert_eq!(content(ToolOutput::text("ok").metadata("http.request", "GET secret")), "ok");
    }

    #[test]
    fn what_a_model_invented_is_sent_back_in_a_form_that_servers_take() {
        let sent = |name: &str, arguments: Value| {
            let answer = AssistantMessage::calls([ToolCall::new("a", name, arguments)]);
            encoded(&[Message::Assistant(answer)])["messages"][0]["tool_calls"][0]["function"].clone()
        };
        assert_eq!(
            sent("functions.find pets", Value::Null),
            json!({"name": "functions_find_pets", "arguments": "{}"})
        );
        assert_eq!(sent("", json!("")), json!({"name": "unnamed", "arguments": "{}"}));
        assert_eq!(sent(&"x".repeat(99), json!("{\"a\": 1}"))["name"], "x".repeat(64));
        // The model's own spacing stays.
        assert_eq!(sent("t", json!("{\"a\": 1}"))["arguments"], "{\"a\": 1}");
        assert_eq!(sent("t", json!("{\"a\": "))["arguments"], r#"{"invalid_arguments":"{\"a\": "}"#);
        assert_eq!(sent("t", json!("[1]"))["arguments"], r#"{"invalid_arguments":"[1]"}"#);
    }

    #[test]
    fn an_answer_in_words() {
        let answer = decode(&json!({
            "id": "x", "object": "chat.completion", "system_fingerprint": null, "new_field": [1],
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi.", "refusal": null, "annotations": []},
                         "logprobs": null, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
        }))
        .unwrap();
        assert_eq!(answer.message.to_text(), "Hi.");
        assert_eq!(answer.stop, StopReason::End);
        assert_eq!(answer.usage, Usage::new(5, 2));
    }

    #[test]
    fn calls_keep_the_text_that_the_model_wrote() {
        let call = |arguments: Value| json!([{"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}}]);
        for arguments in [json!("{\"a\" : 1}"), json!("{broken"), json!({"a": 1}), Value::Null] {
            let answer =
                reply(json!({"content": null, "tool_calls": call(arguments.clone())}), json!("tool_calls"));
            assert_eq!(answer.message.tool_calls, [ToolCall::new("a", "f", arguments)]);
            assert_eq!(answer.stop, StopReason::ToolCalls);
            assert_eq!(answer.message.content, []);
        }
    }

    #[test]
    fn odd_servers_are_understood() {
        let call = json!({"function": {"name": "f"}, "index": 0});
        let answer = reply(json!({"content": "", "tool_calls": [call, {"type": "unknown"}]}), json!("stop"));
        assert_eq!(answer.message.tool_calls, [ToolCall::new("", "f", Value::Null)]);
        assert_eq!(answer.stop, StopReason::ToolCalls, "some servers say `stop` beside calls");

        let answer = reply(
            json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
            Value::Null,
        );
        assert_eq!(answer.message.to_text(), "ab");
        assert_eq!(answer.stop, StopReason::End);

        let answer = reply(json!({"content": null, "tool_calls": null}), json!("eos"));
        assert_eq!(answer.message, AssistantMessage::default());
        assert_eq!(answer.stop, StopReason::Other("eos".into()));
    }

    #[test]
    fn refusals_and_cut_off_answers_are_told_apart() {
        let refused = reply(json!({"content": null, "refusal": "I cannot."}), json!("stop"));
        assert_eq!((refused.message.to_text().as_str(), refused.stop), ("I cannot.", StopReason::Refusal));
        assert_eq!(reply(json!({"content": "x"}), json!("content_filter")).stop, StopReason::Refusal);
        assert_eq!(reply(json!({"content": "x"}), json!("length")).stop, StopReason::Length);
    }

    #[test]
    fn what_is_not_the_format_is_an_error_that_says_what_is_missing() {
        let error = |answer: Value| decode(&answer).unwrap_err().to_string();
        assert!(error(json!({})).contains("no list `choices`"));
        assert!(error(json!([])).contains("no list `choices`"));
        assert!(error(json!({"choices": []})).contains("`choices` is empty"));
        assert!(error(json!({"choices": [{"message": "hi"}]})).contains("no object `choices[0].message`"));
        assert!(error(json!({"error": {"message": "upstream is down"}})).contains("upstream is down"));
    }
}
