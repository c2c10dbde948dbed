//! Models without a provider: the default stream, turns that go back as they came, what is stored.

use futures_util::{FutureExt as _, TryStreamExt as _};

use opentool_core::{
    AssistantMessage, BoxFuture, ChatModel, ChatReply, ChatRequest, Message, ModelError, ParallelCalls,
    ReplyEvent, Strict, ToolCall, ToolChoice, ToolSet, Usage,
};
use serde_json::{Value, json};

struct Whole(Result<ChatReply, &'static str>);

impl ChatModel for Whole {
    fn name(&self) -> &str {
        "whole"
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        assert_eq!(request.messages.len(), 1);
        Box::pin(async { self.0.clone().map_err(|text| ModelError::Protocol(text.into())) })
    }
}

fn streamed(model: &Whole) -> Result<Vec<ReplyEvent>, ModelError> {
    let messages = [Message::user("?")];
    model.stream(ChatRequest::new(&messages, &ToolSet::new())).try_collect().now_or_never().unwrap()
}

#[test]
fn a_model_that_answers_whole_can_be_streamed() {
    let message = AssistantMessage::calls([
        ToolCall::new("1", "find", json!({"q": "x"})),
        ToolCall::new("2", "list", Value::Null),
        ToolCall::new("3", "find", "{broken"),
    ]);
    let message = message.say("One moment.").reasoning("Hm.");
    let reply = ChatReply::new(message).usage(Usage::new(3, 2).cached(1));
    let events: Vec<Value> = streamed(&Whole(Ok(reply.clone())))
        .unwrap()
        .iter()
        .map(|event| serde_json::to_value(event).unwrap())
        .collect();
    assert_eq!(
        events,
        [
            json!({"event": "reasoning", "text": "Hm."}),
            json!({"event": "text", "text": "One moment."}),
            json!({"event": "call_started", "index": 0, "name": "find"}),
            json!({"event": "arguments", "index": 0, "text": "{\"q\":\"x\"}"}),
            json!({"event": "call_started", "index": 1, "name": "list"}),
            json!({"event": "call_started", "index": 2, "name": "find"}),
            json!({"event": "arguments", "index": 2, "text": "{broken"}),
            json!({"event": "usage", "usage": {"input_tokens": 3, "output_tokens": 2, "cached_tokens": 1}}),
            json!({"event": "done", "reply": reply}),
        ]
    );
    let error = streamed(&Whole(Err("no"))).unwrap_err();
    assert!(error.to_string().ends_with("no"), "{error}");
}

#[test]
fn a_turn_goes_back_as_it_came_unless_it_was_changed() {
    let items = vec![json!({"role": "model", "parts": [{"text": "Hi.", "thoughtSignature": "c2ln"}]})];
    let call = ToolCall::new("call_1", "find", json!({"q": "x"}));
    let message = AssistantMessage::calls([call]).say("Hi.").reasoning("Hm.").keep("gemini", items.clone());
    assert_eq!(message.replay("gemini"), Some(&*items));
    assert_eq!(message.replay("anthropic"), None, "it is of another provider");

    // Through a store.
    let stored = serde_json::to_string(&message).unwrap();
    let mut message: AssistantMessage = serde_json::from_str(&stored).unwrap();
    assert_eq!(message.replay("gemini"), Some(&*items));
    message.tool_calls[0].id = "other".into();
    assert_eq!(message.replay("gemini"), Some(&*items), "an id that was mended is no change");

    let mut redacted = message.clone();
    redacted.content[0] = "***".into();
    assert_eq!(redacted.replay("gemini"), None, "what was taken out does not come back");
    let mut refused = message.clone();
    refused.tool_calls.clear();
    assert_eq!(refused.replay("gemini"), None);
    let forgotten = message.without_reasoning();
    assert_eq!((forgotten.reasoning.as_str(), forgotten.replay("gemini")), ("", None));
}

#[test]
fn what_is_not_there_is_not_stored() {
    let stored = serde_json::to_value(ChatReply::new(AssistantMessage::text("Hi."))).unwrap();
    assert_eq!(
        stored,
        json!({
            "message": {"content": [{"type": "text", "value": "Hi."}]},
            "stop": "end", "usage": {"input_tokens": 0, "output_tokens": 0},
        })
    );
    let read: ChatReply = serde_json::from_value(stored).unwrap();
    assert_eq!(read.message.to_text(), "Hi.");
}

#[test]
fn wishes_of_a_request_are_values() {
    let (messages, tools) = ([Message::user("?")], ToolSet::new());
    let request = ChatRequest::new(&messages, &tools);
    assert_eq!(*request.tool_choice, ToolChoice::Auto);
    assert_eq!((request.parallel_calls, request.strict), (ParallelCalls::Any, Strict::Never));
    let choice = ToolChoice::among(["a", "b"]);
    let request = request.tool_choice(&choice).parallel_calls(ParallelCalls::One).strict(Strict::Auto);
    assert_eq!(request.tool_choice.names(), Some(&["a".to_owned(), "b".to_owned()][..]));
    assert_eq!(serde_json::to_value(ToolChoice::tool("a")).unwrap(), json!({"tool": "a"}));
    assert_eq!(serde_json::to_value(ToolChoice::Required).unwrap(), json!("required"));
}

#[test]
fn errors_say_whether_waiting_helps() {
    let limited = ModelError::RateLimited { message: "slow".into(), retry_after: None };
    let rejected = |status| ModelError::Rejected { status, message: "no".into() };
    let broken = ModelError::Unreachable { message: "broke".into(), source: Some("reset by peer".into()) };
    for error in [limited, rejected(500), rejected(503), rejected(529), broken] {
        assert!(error.is_transient(), "{error}");
    }
    let address = ModelError::Unreachable { message: "no address".into(), source: None };
    for error in
        [rejected(400), rejected(404), rejected(501), ModelError::Unauthorized("key".into()), address]
    {
        assert!(!error.is_transient(), "{error}");
    }
    assert!(size_of::<ModelError>() <= 64);
}
