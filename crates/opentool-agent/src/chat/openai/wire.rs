//! The JSON of OpenAI Chat Completions, to and from our messages. Pure.
//!
//! Calls and results are written and read by `opentool-schema` ([`parse_calls`], [`write_calls`],
//! [`write_results`]); here is what stands around them: the request, what people say and show, why a model stopped.
//! Reading is lenient, because a hundred servers speak this format and each a little differently: what is missing
//! or unknown is passed over where the answer makes sense without it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentool_core::{ChatReply, ChatRequest, Content, Message, ModelError, StopReason, ToolOutput, Usage};
use opentool_schema::{MessageFormat, parse_calls, write_calls, write_results};
use serde_json::{Map, Value, json};

use super::tools::WireTools;

/// The most characters of an unknown reason that are kept.
const REASON: usize = 64;
/// Members of a request that the codec alone can answer for.
const OWN: [&str; 5] = ["model", "messages", "tools", "stream", "n"];

/// The body of a request. `parameters` are the host's; what is of the codec is not among them.
pub(super) fn encode(
    model: &str,
    parameters: &Map<String, Value>,
    request: &ChatRequest<'_>,
    tools: &WireTools,
) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert(
        "messages".to_owned(),
        request.messages.iter().flat_map(|said| message(said, tools)).collect(),
    );
    if let Some(definitions) = tools.definitions() {
        body.insert("tools".to_owned(), definitions);
    }
    for (name, value) in parameters {
        if !OWN.contains(&name.as_str()) {
            body.insert(name.clone(), value.clone());
        }
    }
    Value::Object(body)
}

fn message(message: &Message, tools: &WireTools) -> Vec<Value> {
    match message {
        Message::System(text) => vec![json!({"role": "system", "content": text})],
        Message::User(blocks) => vec![json!({"role": "user", "content": user(blocks)})],
        Message::Assistant(answer) => write_calls(MessageFormat::OpenAiChat, &tools.there(answer)),
        Message::Tool(result) => write_results(MessageFormat::OpenAiChat, std::slice::from_ref(result)),
        _ => Vec::new(),
    }
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

/// An answer.
pub(super) fn decode(answer: &Value, tools: &WireTools) -> Result<ChatReply, ModelError> {
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
    // A call that cannot be read whole stays, with an empty name: its result says that there is no such tool.
    let said = parse_calls(MessageFormat::OpenAiChat, answer)
        .map_err(|error| ModelError::Protocol(error.to_string().into()))?
        .into_message();
    let stop = match choice.get("finish_reason").and_then(Value::as_str) {
        _ if refusal.is_some() => StopReason::Refusal,
        Some("length") => StopReason::Length,
        Some("content_filter") => StopReason::Refusal,
        // Several servers say `stop` beside calls, or nothing.
        _ if !said.tool_calls.is_empty() => StopReason::ToolCalls,
        Some("stop" | "tool_calls" | "function_call") | None => StopReason::End,
        Some(other) => StopReason::Other(other.chars().take(REASON).collect()),
    };
    Ok(ChatReply::new(tools.back(said)).stop(stop).usage(usage(answer)))
}

fn usage(answer: &Value) -> Usage {
    let tokens = |key| answer.get("usage").and_then(|usage| usage.get(key)?.as_u64()).unwrap_or(0);
    Usage::new(tokens("prompt_tokens"), tokens("completion_tokens"))
}

#[cfg(test)]
mod tests {
    use opentool_core::{AssistantMessage, ToolCall, ToolResult, ToolSet};

    use super::*;

    fn none() -> WireTools {
        WireTools::of(&ToolSet::new())
    }

    fn decode(answer: &Value) -> Result<ChatReply, ModelError> {
        super::decode(answer, &none())
    }

    fn encoded(messages: &[Message]) -> Value {
        encode("m", &Map::new(), &ChatRequest::new(messages, &ToolSet::new()), &none())
    }

    #[test]
    fn parameters_of_the_host_stand_beside_what_is_of_the_codec() {
        let parameters = json!({"temperature": 0, "model": "other", "stream": true, "n": 3, "messages": []});
        let parameters = parameters.as_object().unwrap();
        let body =
            encode("m", parameters, &ChatRequest::new(&[Message::user("?")], &ToolSet::new()), &none());
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
    fn a_conversation_keeps_to_the_format_whatever_models_and_tools_wrote() {
        let call = ToolCall::new("a", "find pets", json!("{broken"));
        let body = encoded(&[
            Message::Assistant(AssistantMessage::calls([call.clone()])),
            Message::Tool(ToolResult::new(
                &call,
                ToolOutput::error("no such tool").metadata("http", "secret"),
            )),
        ]);
        assert_eq!(
            body["messages"][0]["tool_calls"][0]["function"],
            json!({"name": "find_pets", "arguments": r#"{"invalid_arguments":"{broken"}"#})
        );
        assert_eq!(
            body["messages"][1],
            json!({"role": "tool", "tool_call_id": "a", "content": "Error: no such tool"})
        );
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
        assert_eq!(answer.message.tool_calls, [ToolCall::new("call_1", "f", Value::Null)]);
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
