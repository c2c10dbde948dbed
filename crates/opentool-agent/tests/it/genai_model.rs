//! Models of the `genai` crate against the servers that the wires are tested with: what is asked, what is understood, and
//! what is refused because `genai` has no words for it.

use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt as _, TryStreamExt as _};
use opentool_agent::chat::genai::adapter::AdapterKind;
use opentool_agent::chat::genai::chat::ChatOptions;
use opentool_agent::chat::genai::resolver::{AuthData, Endpoint};
use opentool_agent::chat::genai::{ServiceTarget, resolver};
use opentool_agent::chat::{GenaiModel, Provider};
use opentool_core::{
    ChatModel, ChatReply, ChatRequest, Content, Message, ModelError, ReplyEvent, StopReason, Strict,
    ToolChoice, ToolDefinition, ToolOutput, ToolResult, ToolSet,
};
use serde_json::{Value, json};

use crate::fixtures::{add, raw, set};
use crate::loopback::{Server, json_answer, server, streamed};
use crate::wires::{Answer, Wire, plainly, wires};

const KEY: &str = "sk-proj-0123456789abcdef";

/// The adapters that are tested, and whose wire they speak.
const ADAPTERS: [(AdapterKind, Provider, &str); 4] = [
    (AdapterKind::OpenAI, Provider::OpenAi, "/v1/"),
    (AdapterKind::Anthropic, Provider::Anthropic, "/v1/"),
    (AdapterKind::Gemini, Provider::Gemini, "/v1beta/"),
    (AdapterKind::Ollama, Provider::Ollama, "/"),
];

fn wire(provider: Provider) -> Wire {
    wires().into_iter().find(|wire| wire.provider == provider).unwrap()
}

/// A model over an adapter of `genai`, at a server of ours.
fn model(kind: AdapterKind, path: &str, server: &Server) -> GenaiModel {
    let base = server.base.replace("/v1", path);
    let here = move |target: ServiceTarget| -> Result<ServiceTarget, resolver::Error> {
        let (endpoint, auth) = (Endpoint::from_owned(base.clone()), AuthData::from_single(KEY));
        Ok(ServiceTarget { endpoint, auth, ..target })
    };
    let client = GenaiModel::client_builder().unwrap().with_adapter_kind(kind);
    GenaiModel::of(client.with_service_target_resolver_fn(here).build().unwrap(), "some-model")
}

fn tools() -> ToolSet {
    let shot = raw("shop/shot", async |_, _| Ok(ToolOutput::new()));
    set![add(), shot.define(|_| ToolDefinition::new("shop/shot", "Takes a picture."))]
}

async fn whole(kind: AdapterKind, path: &str, answer: &Answer) -> ChatReply {
    let body = answer.whole.clone();
    let server = server(move |_| json_answer(&body)).await;
    model(kind, path, &server).reply(ChatRequest::new(&[Message::user("?")], &tools())).await.unwrap()
}

async fn pieces(
    kind: AdapterKind,
    path: &str,
    wire: &Wire,
    text: &str,
) -> Vec<Result<ReplyEvent, ModelError>> {
    let (content, text) = (wire.kind, text.to_owned());
    let server = server(move |_| streamed(content, &text, 7)).await;
    let (model, tools, messages) = (model(kind, path, &server), tools(), [Message::user("?")]);
    model.stream(ChatRequest::new(&messages, &tools)).collect().await
}

/// A reply without what differs from one exchange to the next.
fn comparable(reply: ChatReply) -> ChatReply {
    let mut reply = plainly(reply);
    for call in &mut reply.message.tool_calls {
        call.id.clear();
    }
    reply.message = reply.message.keep("", Vec::new());
    // Streams of `genai` do not say which model answers, nor all of what it cost.
    reply.model = None;
    reply.usage.reasoning_tokens = 0;
    reply.usage.cache_write_tokens = 0;
    reply
}

#[tokio::test]
async fn answers_are_understood_whole_and_streamed() {
    for (kind, provider, path) in ADAPTERS {
        let wire = wire(provider);
        let plain = whole(kind, path, &wire.plain).await;
        assert_eq!(plain.message.to_text(), "Hello.", "{kind}");
        assert_eq!(plain.stop, StopReason::End, "{kind}");
        assert_eq!((plain.usage.input_tokens, plain.usage.output_tokens), (10, 5), "{kind}");
        let calls = plainly(whole(kind, path, &wire.calls).await);
        let seen: Vec<(&str, &Value)> =
            calls.message.tool_calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect();
        let expected = [("add", &json!({"a": 1, "b": 2})), ("shot", &json!({})), ("add", &json!({"a": 1}))];
        assert_eq!(seen, expected, "{kind}");
        assert_eq!(calls.message.to_text(), "I add.", "{kind}");
        assert_eq!(calls.message.reasoning, "Two numbers.", "{kind}");
        assert_eq!(calls.stop, StopReason::ToolCalls, "{kind}");
        assert_eq!(whole(kind, path, &wire.cut_off).await.stop, StopReason::Length, "{kind}");

        for (answer, expected) in [(&wire.plain, plain), (&wire.calls, calls)] {
            let events = pieces(kind, path, &wire, &answer.stream).await;
            let events: Vec<ReplyEvent> = events.into_iter().collect::<Result<_, _>>().unwrap();
            let mut said = (String::new(), String::new(), Vec::<(String, String)>::new());
            for event in &events {
                match event {
                    ReplyEvent::Text { text } => said.0.push_str(text),
                    ReplyEvent::Reasoning { text } => said.1.push_str(text),
                    ReplyEvent::CallStarted { index, name } => {
                        assert_eq!(*index, said.2.len());
                        said.2.push((name.clone(), String::new()));
                    }
                    ReplyEvent::Arguments { index, text } => said.2[*index].1.push_str(text),
                    _ => {}
                }
            }
            assert_eq!(said.0, expected.message.to_text(), "{kind}");
            assert_eq!(said.1, expected.message.reasoning, "{kind}");
            assert_eq!(said.2.len(), expected.message.tool_calls.len(), "{kind}: {events:?}");
            for ((name, arguments), call) in said.2.iter().zip(&expected.message.tool_calls) {
                assert_eq!(*name, call.name);
                let arguments: Value =
                    if arguments.is_empty() { json!({}) } else { serde_json::from_str(arguments).unwrap() };
                assert_eq!(arguments, call.arguments, "{kind}");
            }
            let Some(ReplyEvent::Done { reply }) = events.last() else { panic!("{kind}: {events:?}") };
            assert_eq!(comparable(reply.clone()), comparable(expected), "{kind}");
        }
    }
}

#[tokio::test]
async fn why_an_answer_with_calls_ended_is_kept() {
    for (reason, expected) in [
        ("tool_calls", StopReason::ToolCalls),
        ("stop", StopReason::ToolCalls),
        ("length", StopReason::Length),
        ("content_filter", StopReason::Refusal),
        ("stop_sequence", StopReason::Other("stop_sequence".into())),
        ("abort", StopReason::Other("abort".into())),
    ] {
        let wire = wire(Provider::OpenAi);
        let mut answer = wire.calls.clone();
        answer.whole["choices"][0]["finish_reason"] = reason.into();
        let reply = whole(AdapterKind::OpenAI, ADAPTERS[0].2, &answer).await;
        assert_eq!((reply.stop, reply.message.tool_calls.len()), (expected, 3));
    }
}

/// The question that brings results: a value, a text with an image, an error.
async fn second(kind: AdapterKind, provider: Provider, path: &str, streaming: bool) -> Value {
    let wire = wire(provider);
    let (content, calls, plain) = (wire.kind, wire.calls.clone(), wire.plain.clone());
    let server = server(move |number| {
        let answer = if number == 0 { &calls } else { &plain };
        if streaming { streamed(content, &answer.stream, 16) } else { json_answer(&answer.whole) }
    })
    .await;
    let (model, tools) = (model(kind, path, &server), tools());
    let picture = Content::image(&b"jpg"[..], "image/jpeg");
    let mut messages =
        vec![Message::system("Be short."), Message::User(vec![Content::text("1 + 2?"), picture])];
    for _ in 0..2 {
        let request = ChatRequest::new(&messages, &tools);
        let reply = if streaming {
            let events: Vec<ReplyEvent> = model.stream(request).try_collect().await.unwrap();
            match events.into_iter().next_back() {
                Some(ReplyEvent::Done { reply }) => reply,
                other => panic!("{other:?}"),
            }
        } else {
            model.reply(request).await.unwrap()
        };
        let calls = reply.message.tool_calls.clone();
        let ids: std::collections::HashSet<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids.len(), calls.len(), "{kind}: {calls:?}");
        messages.push(Message::Assistant(reply.message));
        let outputs = [
            ToolOutput::json(3),
            ToolOutput::text("the screen").block(Content::image(&b"png"[..], "image/png")),
            ToolOutput::error("There is no b."),
        ];
        let results = calls.iter().zip(outputs);
        messages.extend(results.map(|(call, output)| Message::Tool(ToolResult::new(call, output))));
    }
    let received = server.received.lock().unwrap();
    received[1].body.clone()
}

#[tokio::test]
async fn results_images_and_what_a_service_wants_back_are_in_the_next_question() {
    for (kind, provider, path) in ADAPTERS {
        for streaming in [false, true] {
            let sent = second(kind, provider, path, streaming).await;
            let text = sent.to_string();
            for part in [
                "Be short.",
                "1 + 2?",
                "anBn",
                "the screen",
                "Error: There is no b.",
                "cG5n",
                "results above",
            ] {
                assert!(text.contains(part), "{kind}, streaming: {streaming}: {part}\n{sent:#}");
            }
            // The tool's own name is none that services take.
            assert!(!text.contains("shop/shot") && text.contains("shop_shot"), "{kind}: {sent:#}");
            let (pointer, back) = match kind {
                AdapterKind::OpenAI => ("/messages/2/reasoning_content", json!("Two numbers.")),
                AdapterKind::Anthropic => ("/messages/1/content/0/signature", json!("c2lnbmF0dXJl")),
                AdapterKind::Gemini => ("", json!("c2ln")),
                _ => continue,
            };
            match pointer {
                "" => assert!(text.contains("c2ln"), "{kind}, streaming: {streaming}: {sent:#}"),
                pointer => {
                    assert_eq!(sent.pointer(pointer), Some(&back), "{kind}, streaming: {streaming}: {sent:#}")
                }
            }
            let results = text.matches("the screen").count();
            assert_eq!(results, 1, "{kind}: {sent:#}");
        }
    }
}

#[tokio::test]
async fn wishes_are_kept_or_refused() {
    let asked = async |kind, path, provider, choice: ToolChoice| {
        let answer = wire(provider).plain.whole;
        let server = server(move |_| json_answer(&answer)).await;
        let (tools, messages) = (tools(), [Message::user("?")]);
        let request = ChatRequest::new(&messages, &tools).tool_choice(&choice);
        let reply = model(kind, path, &server).reply(request).await;
        let received = server.received.lock().unwrap();
        reply.map(|_| received[0].body.clone())
    };
    let openai = async |choice| asked(AdapterKind::OpenAI, "/v1/", Provider::OpenAi, choice).await.unwrap();
    assert_eq!(openai(ToolChoice::Required).await["tool_choice"], "required");
    assert_eq!(openai(ToolChoice::None).await["tool_choice"], "none");
    assert_eq!(openai(ToolChoice::tool("shop/shot")).await["tool_choice"]["function"]["name"], "shop_shot");
    let one = openai(ToolChoice::one_of(["add"])).await;
    assert_eq!((one["tools"].as_array().unwrap().len(), &one["tool_choice"]), (1, &json!("required")));

    let ollama = async |choice| asked(AdapterKind::Ollama, "/", Provider::Ollama, choice).await;
    assert!(ollama(ToolChoice::None).await.unwrap().get("tools").is_none_or(|tools| *tools == json!([])));
    let error = ollama(ToolChoice::Required).await.unwrap_err();
    assert!(matches!(&error, ModelError::Unsupported(why) if why.contains("no way to require")), "{error}");
}

#[tokio::test]
async fn what_genai_would_drop_is_refused_before_anything_is_sent() {
    let server = server(|_| panic!("nothing is to be asked")).await;
    let (tools, messages) = (tools(), [Message::user("?")]);
    let request = ChatRequest::new(&messages, &tools);
    let error = model(AdapterKind::Cohere, "/", &server).reply(request).await.unwrap_err();
    assert!(matches!(&error, ModelError::Unsupported(why) if why.contains("sends no tools")), "{error}");
    let strict = model(AdapterKind::OpenAI, "/v1/", &server);
    let error = strict.reply(request.strict(Strict::Always)).await.unwrap_err();
    assert!(matches!(&error, ModelError::Unsupported(why) if why.contains("strict")), "{error}");
}

#[tokio::test]
async fn files_that_an_adapter_drops_are_described_in_words() {
    let pdf = Content::BlobResource {
        uri: "file:///a.pdf".to_owned(),
        mime: Some("application/pdf".to_owned()),
        data: b"%PDF"[..].into(),
    };
    let blocks = vec![Content::text("What?"), pdf, Content::audio(&b"wav"[..], "audio/wav")];
    let messages = [Message::User(blocks)];
    for (kind, provider, path) in ADAPTERS {
        let answer = wire(provider).plain.whole;
        let server = server(move |_| json_answer(&answer)).await;
        model(kind, path, &server).reply(ChatRequest::new(&messages, &ToolSet::new())).await.unwrap();
        let sent = server.received.lock().unwrap()[0].body.to_string();
        let has_pdf = sent.contains("JVBERg==") || sent.contains("file:///a.pdf, 4 bytes");
        let has_sound = sent.contains("d2F2") || sent.contains("[audio audio/wav, 3 bytes]");
        assert!(has_pdf && has_sound, "{kind}: {sent}");
    }
}

#[tokio::test]
async fn failures_are_told_apart_and_hold_no_key() {
    for (kind, provider, path) in ADAPTERS {
        for streaming in [false, true] {
            let server = server(|number| -> Response {
                match number {
                    0 => {
                        let body = json!({"error": {"message": format!("bad {KEY}")}}).to_string();
                        (StatusCode::UNAUTHORIZED, body).into_response()
                    }
                    1 => (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "7")], "slow down").into_response(),
                    _ => (StatusCode::OK, "<html>").into_response(),
                }
            })
            .await;
            let (model, tools, messages) = (model(kind, path, &server), ToolSet::new(), [Message::user("?")]);
            let ask = async || {
                let request = ChatRequest::new(&messages, &tools);
                if !streaming {
                    return model.reply(request).await.unwrap_err();
                }
                model.stream(request).try_collect::<Vec<_>>().await.unwrap_err()
            };
            let error = ask().await;
            assert!(
                matches!(&error, ModelError::Unauthorized(text) if &**text == "bad [secret]"),
                "{kind}: {error:?}"
            );
            let error = ask().await;
            let ModelError::RateLimited { retry_after, .. } = error else { panic!("{kind}: {error:?}") };
            assert_eq!(retry_after, Some(Duration::from_secs(7)), "{kind}");
            // A stream that is none has no end either.
            let error = ask().await;
            let is_protocol = matches!(error, ModelError::Protocol(_));
            assert!(is_protocol || (streaming && error.is_transient()), "{kind}: {error:?}");
        }
        let wire = wire(provider);
        let cut = wire.plain.stream.find("lo.").unwrap();
        let cut = cut + wire.plain.stream[cut..].find('\n').unwrap() + 2;
        let end = cut.min(wire.plain.stream.len());
        let events = pieces(kind, path, &wire, &wire.plain.stream[..end]).await;
        let error = events.into_iter().next_back().unwrap().unwrap_err();
        assert!(matches!(error, ModelError::Unreachable { .. }) && error.is_transient(), "{kind}: {error:?}");
    }
}

#[tokio::test]
async fn an_answer_has_a_limit_of_time() {
    let stalls = async || {
        server(|_| {
            let body = axum::body::Body::from_stream(futures_util::stream::pending::<
                Result<&[u8], std::io::Error>,
            >());
            ([("content-type", "text/event-stream")], body).into_response()
        })
        .await
    };
    let (tools, messages) = (ToolSet::new(), [Message::user("?")]);
    let request = ChatRequest::new(&messages, &tools);
    let model = model(AdapterKind::OpenAI, "/v1/", &stalls().await).timeout(Duration::from_millis(50));
    for error in [
        model.reply(request).await.unwrap_err(),
        model.stream(request).try_collect::<Vec<_>>().await.unwrap_err(),
    ] {
        assert!(error.to_string().contains("within 50ms") && error.is_transient(), "{error:?}");
    }
}

#[tokio::test]
async fn options_of_the_host_go_along_and_a_missing_key_is_named() {
    let answer = wire(Provider::OpenAi).plain.whole;
    let server = server(move |_| json_answer(&answer)).await;
    let options = ChatOptions::default().with_temperature(0.5);
    let model = model(AdapterKind::OpenAI, "/v1/", &server).options(options);
    model.reply(ChatRequest::new(&[Message::user("?")], &ToolSet::new())).await.unwrap();
    {
        let received = server.received.lock().unwrap();
        assert_eq!(received[0].body["temperature"], 0.5);
        assert_eq!(received[0].headers["authorization"], format!("Bearer {KEY}"));
    }
    assert!(!format!("{model:?}").contains(KEY));
    assert_eq!(model.provider_name(), Some("openai"));

    let away = |_: opentool_agent::chat::genai::ModelIden| -> Result<Option<AuthData>, resolver::Error> {
        Ok(Some(AuthData::from_env("OPENTOOL_NO_SUCH_KEY")))
    };
    let client = GenaiModel::client_builder().unwrap().with_auth_resolver_fn(away).build().unwrap();
    let keyless = GenaiModel::of(client, "groq::some-model");
    let error = keyless.reply(ChatRequest::new(&[Message::user("?")], &ToolSet::new())).await.unwrap_err();
    assert!(
        matches!(&error, ModelError::Unauthorized(text) if text.contains("OPENTOOL_NO_SUCH_KEY")),
        "{error:?}"
    );
}
