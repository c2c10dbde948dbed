//! Every wire against a server on loopback that speaks the provider's documented format: whole, and streamed in
//! pieces of any size; calls, thoughts, results, wishes, failures.
//!
//! Every test goes through all six. In words: `an_answer_in_words`. One call: `one_call.rs`, whole and streamed, with each
//! reason to stop. Three calls beside thoughts: `calls_beside_words_and_thoughts`. In pieces, each byte on its own among them:
//! `streams_give_the_same_answers_however_they_are_cut`. A result that is an error, one that is a picture, and thoughts that
//! go back as they came: `results_errors_and_images_go_back_with_the_turn_as_it_came`. A refusal:
//! `refusals_and_cut_off_answers_are_told_apart`. Too many requests and then an answer:
//! `a_busy_service_is_asked_again_on_every_wire` (`hostile.rs`). A stream that breaks:
//! `a_stream_that_breaks_off_is_an_error_after_what_was_told`. A question straight behind results, as after a limit:
//! `a_question_behind_results_is_put_in_an_order_that_the_provider_takes`.

mod anthropic;
mod chat;
mod exact;
mod gemini;
mod hostile;
mod odd;
mod ollama;
mod one_call;
mod responses;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt as _, TryStreamExt as _};
use opentool_agent::chat::{Model, Provider};
use opentool_agent::{Agent, AgentError, Limits};
use opentool_core::{
    ChatModel, ChatReply, ChatRequest, Content, Message, ModelError, ParallelCalls, ReplyEvent, StopReason,
    ToolChoice, ToolOutput, ToolSet, Usage,
};
use serde_json::{Value, json};

use crate::fixtures::{add, raw, set};
use crate::loopback::{Server, json_answer, reading_server, server, streamed};

/// An answer as the provider sends it at once, and as a stream.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) whole: Value,
    pub(crate) stream: String,
}

/// What a provider documents.
#[derive(Clone)]
pub(crate) struct Wire {
    pub(crate) provider: Provider,
    pub(crate) kind: &'static str,
    /// "Hello." with 10 tokens read, 4 of them from a cache, and 5 written.
    pub(crate) plain: Answer,
    /// A thought, "I add.", then `add(1, 2)`, `shot()` and `add(1)`, asked for together.
    pub(crate) calls: Answer,
    /// It refuses.
    pub(crate) refusal: Answer,
    /// It ran into its limit.
    pub(crate) cut_off: Answer,
    /// An event that reports an overloaded service; none where a stream has no such event.
    pub(crate) failure: Option<String>,
    /// What of the request for the calls' results is looked at, and what stands there.
    second: fn(&Value) -> Value,
    expected: Value,
    /// What requests say for each wish.
    wishes: Vec<(ToolChoice, Value)>,
    wish: fn(&Value) -> Value,
}

/// All wires.
pub(crate) fn wires() -> Vec<Wire> {
    vec![
        chat::openai(),
        chat::mistral(),
        responses::responses(),
        anthropic::anthropic(),
        gemini::gemini(),
        ollama::ollama(),
    ]
}

/// Events as `data:` frames, each under its `type` where it has one.
fn events(events: &[Value], end: &str) -> String {
    let frame = |event: &Value| match event.get("type").and_then(Value::as_str) {
        Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
        None => format!("data: {event}\n\n"),
    };
    events.iter().map(frame).chain([end.to_owned()]).collect()
}

fn model(wire: &Wire, server: &Server) -> Model {
    Model::new(wire.provider, "some-model")
        .base_url(server.base.trim_end_matches("/v1"))
        .unwrap()
        .api_key("key-0123456789")
}

fn tools() -> ToolSet {
    let shot = raw("shot", async |_, _| {
        Ok(ToolOutput::text("the screen").block(Content::image(&b"png"[..], "image/png")))
    });
    set![add(), shot]
}

async fn whole(wire: &Wire, answer: &Answer) -> ChatReply {
    let body = answer.whole.clone();
    let server = server(move |_| json_answer(&body)).await;
    model(wire, &server).reply(ChatRequest::new(&[Message::user("?")], &tools())).await.unwrap()
}

async fn pieces(wire: &Wire, text: &str, size: usize) -> (Vec<ReplyEvent>, Option<ModelError>) {
    let (kind, text) = (wire.kind, text.to_owned());
    let server = server(move |_| streamed(kind, &text, size)).await;
    let (model, tools, messages) = (model(wire, &server), tools(), [Message::user("?")]);
    let mut stream = model.stream(ChatRequest::new(&messages, &tools));
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => return (events, Some(error)),
        }
    }
    let received = server.received.lock().unwrap();
    assert_ne!(received[0].body["stream"], false, "{:?}", wire.provider);
    (events, None)
}

/// A reply in which arguments are values, however they came.
pub(crate) fn plainly(mut reply: ChatReply) -> ChatReply {
    for call in &mut reply.message.tool_calls {
        if let Value::String(text) = &call.arguments {
            call.arguments = serde_json::from_str(text).unwrap_or_else(|_| json!({}));
        }
    }
    reply
}

/// What a person saw: the text, the thoughts, each call's name and arguments.
fn seen(events: &[ReplyEvent]) -> (String, String, Vec<(String, String)>) {
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    for event in events {
        match event {
            ReplyEvent::Text { text: more } => text.push_str(more),
            ReplyEvent::Reasoning { text: more } => reasoning.push_str(more),
            ReplyEvent::CallStarted { index, name } => {
                assert_eq!(*index, calls.len());
                calls.push((name.clone(), String::new()));
            }
            ReplyEvent::Arguments { index, text } => calls[*index].1.push_str(text),
            _ => {}
        }
    }
    (text, reasoning, calls)
}

#[tokio::test]
async fn an_answer_in_words() {
    for wire in wires() {
        let reply = whole(&wire, &wire.plain).await;
        assert_eq!(reply.message.to_text(), "Hello.", "{:?}", wire.provider);
        assert_eq!(reply.stop, StopReason::End, "{:?}", wire.provider);
        let expected = match wire.provider {
            Provider::OpenAi | Provider::OpenAiResponses => {
                Usage::new(10, 5).cached(4).cache_writes(2).reasoning(1)
            }
            Provider::Anthropic => Usage::new(10, 5).cached(4).reasoning(1),
            Provider::Gemini => Usage::new(10, 5).cached(4),
            _ => Usage::new(10, 5),
        };
        assert_eq!(reply.usage, expected, "{:?}", wire.provider);
        assert_eq!(reply.message.replay("any"), None);
    }
}

#[tokio::test]
async fn calls_beside_words_and_thoughts() {
    for wire in wires() {
        let reply = plainly(whole(&wire, &wire.calls).await);
        let calls: Vec<(&str, &Value)> =
            reply.message.tool_calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect();
        let expected = [("add", &json!({"a": 1, "b": 2})), ("shot", &json!({})), ("add", &json!({"a": 1}))];
        assert_eq!(calls, expected, "{:?}", wire.provider);
        assert_eq!(reply.message.to_text(), "I add.", "{:?}", wire.provider);
        assert_eq!(reply.message.reasoning, "Two numbers.", "{:?}", wire.provider);
        assert_eq!(reply.stop, StopReason::ToolCalls, "{:?}", wire.provider);
    }
}

#[tokio::test]
async fn streams_give_the_same_answers_however_they_are_cut() {
    for wire in wires() {
        for answer in [&wire.plain, &wire.calls, &wire.refusal, &wire.cut_off] {
            let expected = whole(&wire, answer).await;
            for size in [1, 2, 7, 1 << 20] {
                let (events, error) = pieces(&wire, &answer.stream, size).await;
                assert!(error.is_none(), "{:?}: {error:?}", wire.provider);
                let (text, reasoning, calls) = seen(&events);
                assert_eq!(text, expected.message.to_text(), "{:?}", wire.provider);
                assert_eq!(reasoning, expected.message.reasoning, "{:?}", wire.provider);
                for ((name, arguments), call) in
                    calls.iter().zip(&plainly(expected.clone()).message.tool_calls)
                {
                    assert_eq!(*name, call.name);
                    let written: Value = if arguments.is_empty() {
                        json!({})
                    } else {
                        serde_json::from_str(arguments).unwrap()
                    };
                    assert_eq!(written, call.arguments, "{:?}", wire.provider);
                }
                let Some(ReplyEvent::Done { reply }) = events.last() else { panic!("{events:?}") };
                let (mut reply, mut expected) = (plainly(reply.clone()), plainly(expected.clone()));
                assert_eq!(calls.len(), reply.message.tool_calls.len());
                // What goes back is judged by the next request, below.
                reply.message = reply.message.keep("", Vec::new());
                expected.message = expected.message.keep("", Vec::new());
                assert_eq!(reply, expected, "{:?}", wire.provider);
            }
        }
    }
}

#[tokio::test]
async fn refusals_and_cut_off_answers_are_told_apart() {
    for wire in wires() {
        let refused = whole(&wire, &wire.refusal).await;
        match wire.provider {
            // It has no word for a refusal: its models say so in the text of an ordinary answer.
            Provider::Ollama => {
                assert_eq!((refused.stop, refused.message.to_text().as_str()), (StopReason::End, "No."));
            }
            _ => assert_eq!(refused.stop, StopReason::Refusal, "{:?}", wire.provider),
        }
        assert_eq!(whole(&wire, &wire.cut_off).await.stop, StopReason::Length, "{:?}", wire.provider);
    }
}

/// The body of the request that brings the results of the calls: a value, an image, an error.
async fn with_results(wire: &Wire, streaming: bool) -> Value {
    let (kind, calls, plain) = (wire.kind, &wire.calls, &wire.plain);
    let (first, last) = (calls.stream.clone(), plain.stream.clone());
    let (first_whole, last_whole) = (calls.whole.clone(), plain.whole.clone());
    let server = server(move |number| match (streaming, number) {
        (false, 0) => json_answer(&first_whole),
        (false, _) => json_answer(&last_whole),
        (true, 0) => streamed(kind, &first, 16),
        (true, _) => streamed(kind, &last, 16),
    })
    .await;
    let model = model(wire, &server);
    let agent = Agent::new(Whole { model, streaming }, tools()).system("Be short.");
    assert_eq!(agent.run("1 + 2?").await.unwrap().text, "Hello.", "{:?}", wire.provider);
    let received = server.received.lock().unwrap();
    assert_eq!(received.len(), 2);
    received[1].body.clone()
}

/// A model that is asked in one way or the other.
struct Whole {
    model: Model,
    streaming: bool,
}

impl ChatModel for Whole {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn reply<'a>(
        &'a self,
        request: ChatRequest<'a>,
    ) -> opentool_core::BoxFuture<'a, Result<ChatReply, ModelError>> {
        if !self.streaming {
            return self.model.reply(request);
        }
        Box::pin(async move {
            let events: Vec<ReplyEvent> = self.model.stream(request).try_collect().await?;
            match events.into_iter().next_back() {
                Some(ReplyEvent::Done { reply }) => Ok(reply),
                other => panic!("{other:?}"),
            }
        })
    }
}

#[tokio::test]
async fn results_errors_and_images_go_back_with_the_turn_as_it_came() {
    for wire in wires() {
        for streaming in [false, true] {
            let body = with_results(&wire, streaming).await;
            let sent = (wire.second)(&body);
            assert_eq!(sent, wire.expected, "{:?}, streaming: {streaming}\n{sent:#}", wire.provider);
        }
    }
}

/// What Mistral says to a message that may not stand where it stands; `None` where it takes all of them.
fn out_of_order(body: &Value) -> Option<String> {
    let messages = body["messages"].as_array().unwrap();
    for pair in messages.windows(2) {
        let [before, after] = [&pair[0]["role"], &pair[1]["role"]].map(|role| role.as_str().unwrap());
        let is_taken = match before {
            "tool" => ["assistant", "tool"].contains(&after),
            _ => after != "tool" || before == "assistant",
        };
        if !is_taken {
            return Some(format!("Unexpected role '{after}' after role '{before}'"));
        }
    }
    let says = |message: &Value| {
        message["content"].as_str().is_none_or(|text| !text.is_empty()) && !message["content"].is_null()
    };
    let silent = messages.iter().filter(|message| message["role"] == "assistant");
    let mut silent = silent.filter(|message| message["tool_calls"].is_null() && !says(message));
    silent
        .next()
        .map(|_| "Assistant message must have either content or tool_calls, but not none.".to_owned())
}

#[tokio::test]
async fn a_question_behind_results_is_put_in_an_order_that_the_provider_takes() {
    for wire in wires() {
        let (calls, plain, provider) = (wire.calls.whole.clone(), wire.plain.whole.clone(), wire.provider);
        let server = reading_server(move |number, body| {
            if provider == Provider::Mistral
                && let Some(message) = out_of_order(body)
            {
                let error = json!({"object": "error", "message": message, "code": "3230",
                                   "type": "invalid_request_message_order"});
                return (StatusCode::BAD_REQUEST, error.to_string()).into_response();
            }
            json_answer(if number == 0 { &calls } else { &plain })
        })
        .await;
        let model = Whole { model: model(&wire, &server), streaming: false };
        let agent = Agent::new(model, tools()).limits(Limits::new().rounds(1));
        let mut conversation = agent.conversation();
        let stopped = conversation.say("1 + 2?").await;
        assert!(matches!(stopped, Err(AgentError::RoundLimit(_))), "{provider:?}: {stopped:?}");
        let before = conversation.messages().len();
        let reply = conversation.say("Never mind.").await;
        assert_eq!(reply.unwrap().text, "Hello.", "{provider:?}");
        // The conversation itself has but what was said.
        assert_eq!(conversation.messages().len(), before + 2, "{provider:?}");
        assert_eq!(conversation.messages()[before], Message::user("Never mind."), "{provider:?}");
    }
}

#[tokio::test]
async fn wishes_are_written_as_the_provider_has_them() {
    for wire in wires() {
        for (choice, expected) in &wire.wishes {
            let answer = wire.plain.whole.clone();
            let server = server(move |_| json_answer(&answer)).await;
            let (tools, messages) = (tools(), [Message::user("?")]);
            let request =
                ChatRequest::new(&messages, &tools).tool_choice(choice).parallel_calls(ParallelCalls::One);
            let reply = model(&wire, &server).reply(request).await;
            if expected.is_null() {
                assert!(matches!(reply, Err(ModelError::Unsupported(_))), "{:?} {choice:?}", wire.provider);
                continue;
            }
            reply.unwrap();
            let received = server.received.lock().unwrap();
            assert_eq!((wire.wish)(&received[0].body), *expected, "{:?} {choice:?}", wire.provider);
        }
        let server = server(|_| StatusCode::OK.into_response()).await;
        let (tools, messages, unknown) = (tools(), [Message::user("?")], ToolChoice::tool("unknown"));
        let request = ChatRequest::new(&messages, &tools).tool_choice(&unknown);
        let error = model(&wire, &server).reply(request).await.unwrap_err();
        assert!(error.to_string().contains("`unknown`, which is no tool"), "{error}");
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_an_error_after_what_was_told() {
    for wire in wires() {
        // Behind the first words, before the end.
        let cut = wire.plain.stream.find("lo.").unwrap();
        let cut = cut + wire.plain.stream[cut..].find('\n').unwrap() + 2;
        let (events, error) = pieces(&wire, &wire.plain.stream[..cut.min(wire.plain.stream.len())], 3).await;
        let error = error.unwrap();
        assert!(matches!(error, ModelError::Unreachable { .. }), "{:?}: {error:?}", wire.provider);
        assert!(error.is_transient());
        assert_eq!(seen(&events).0, "Hello.", "{:?}", wire.provider);
        assert!(!events.iter().any(|event| matches!(event, ReplyEvent::Done { .. })));
    }
}

#[tokio::test]
async fn a_stream_that_reports_a_failure_says_so() {
    for wire in wires() {
        let Some(failure) = &wire.failure else { continue };
        let (_, error) = pieces(&wire, failure, 5).await;
        let error = error.unwrap();
        assert!(error.is_transient(), "{:?}: {error:?}", wire.provider);
        assert!(error.to_string().contains("overloaded ***"), "{:?}: {error}", wire.provider);
    }
}

#[tokio::test]
async fn an_error_in_an_answer_is_told_as_one_and_not_under_a_status_that_nobody_sent() {
    for (error, expected, is_transient) in [
        (
            json!({"type": "server_error", "message": "down"}),
            "no whole answer came from the model's service: it reported an error (server_error): down",
            true,
        ),
        (
            json!({"type": "invalid_request_error", "message": "no"}),
            "the model's service refused the request (HTTP 200): it reported an error (invalid_request_error): no",
            false,
        ),
        (
            json!({"code": 502, "message": "down"}),
            "the model's service refused the request (HTTP 502): down",
            true,
        ),
    ] {
        let body = json!({"error": error});
        let text = format!("data: {body}\n\n");
        let server = server(move |number| match number {
            0 => json_answer(&body),
            _ => streamed("text/event-stream", &text, 64),
        })
        .await;
        let (messages, tools) = ([Message::user("?")], ToolSet::new());
        let model = Model::new(Provider::OpenAi, "m").base_url(&server.base).unwrap();
        let request = || ChatRequest::new(&messages, &tools);
        let whole = model.reply(request()).await.unwrap_err();
        let streamed = model.stream(request()).try_collect::<Vec<_>>().await.unwrap_err();
        for error in [whole, streamed] {
            assert_eq!((error.to_string().as_str(), error.is_transient()), (expected, is_transient));
        }
    }
}

#[tokio::test]
async fn a_server_that_answers_at_once_is_understood() {
    for wire in wires().iter().filter(|wire| wire.provider != Provider::Ollama) {
        let (body, messages, tools) = (wire.calls.whole.clone(), [Message::user("?")], tools());
        let server = server(move |_| json_answer(&body)).await;
        let model = model(wire, &server);
        let events: Vec<ReplyEvent> =
            model.stream(ChatRequest::new(&messages, &tools)).try_collect().await.unwrap();
        assert_eq!(seen(&events).2.len(), 3, "{:?}", wire.provider);
    }
}

#[tokio::test]
async fn refused_keys_and_busy_services_are_told_apart() {
    for wire in wires() {
        let server = server(|number| -> Response {
            match number {
                0 => (StatusCode::UNAUTHORIZED, r#"{"error": {"message": "bad key-0123456789"}}"#)
                    .into_response(),
                1 => (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "7")], "slow down").into_response(),
                _ => (StatusCode::OK, "<html>").into_response(),
            }
        })
        .await;
        let (model, tools, messages) = (model(&wire, &server), ToolSet::new(), [Message::user("?")]);
        let ask = async || model.reply(ChatRequest::new(&messages, &tools)).await.unwrap_err();
        let error = ask().await;
        assert!(matches!(&error, ModelError::Unauthorized(text) if &**text == "bad ***"), "{error:?}");
        let error = ask().await;
        let ModelError::RateLimited { retry_after, .. } = error else { panic!("{error:?}") };
        assert_eq!(retry_after, Some(std::time::Duration::from_secs(7)));
        assert!(matches!(ask().await, ModelError::Protocol(_)));
    }
}
