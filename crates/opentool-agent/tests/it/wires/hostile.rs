//! Servers that leak, flood, stall, or are no model at all.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use opentool_agent::chat::{Model, Provider, Retry};
use opentool_agent::{Agent, Finish};
use opentool_core::{ChatModel, ChatReply, ChatRequest, Message, ModelError, ReplyEvent, ToolSet};
use serde_json::{Value, json};

use super::{Wire, events, wires};
use crate::loopback::{json_answer, server, streamed};

const KEY: &str = "sk-SECRETSECRETSECRET123456";

async fn reply(model: &impl ChatModel) -> Result<ChatReply, ModelError> {
    model.reply(ChatRequest::new(&[Message::user("?")], &ToolSet::new())).await
}

/// The last event of a stream.
async fn last(model: &impl ChatModel) -> Result<ChatReply, ModelError> {
    let (messages, tools) = ([Message::user("?")], ToolSet::new());
    let events: Vec<ReplyEvent> = model.stream(ChatRequest::new(&messages, &tools)).try_collect().await?;
    match events.into_iter().next_back() {
        Some(ReplyEvent::Done { reply }) => Ok(reply),
        other => panic!("{other:?}"),
    }
}

/// The events, and then nothing, although the connection stays.
fn stays_open(text: String) -> Response {
    let first = stream::iter([Ok::<_, std::io::Error>(Bytes::from(text))]);
    let body = Body::from_stream(first.chain(stream::pending()));
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

fn delta(delta: Value, finish: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

#[tokio::test]
async fn half_a_key_at_the_end_of_a_long_text_is_not_shown() {
    let said = format!("{} key={KEY}", "x".repeat(470));
    let is_clean = |error: ModelError| {
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("sk-SEC"), "{shown}");
        assert!(shown.contains("xxxx"), "{shown}");
    };
    for wire in wires() {
        for (status, body) in [
            (StatusCode::OK, json!({"error": {"message": said}}).to_string()),
            (StatusCode::BAD_REQUEST, json!({"error": {"message": said}}).to_string()),
            (StatusCode::BAD_REQUEST, said.clone()),
            (StatusCode::OK, said.clone()),
        ] {
            let line = match wire.provider {
                Provider::Ollama => format!("{body}\n"),
                _ => format!("data: {body}\n\n"),
            };
            let (whole, kind) = (body.clone(), wire.kind);
            let server = server(move |number| match number {
                0 => (status, whole.clone()).into_response(),
                _ if status == StatusCode::OK => streamed(kind, &line, 64),
                _ => (status, whole.clone()).into_response(),
            })
            .await;
            let model = Model::new(wire.provider, "m").base_url(&server.base).unwrap().api_key(KEY);
            is_clean(reply(&model).await.unwrap_err());
            is_clean(last(&model).await.unwrap_err());
        }
    }
}

#[tokio::test]
async fn a_key_in_the_address_is_not_shown() {
    let server = server(|_| {
        let said = format!("no route for /v1/chat/completions?api-key={KEY}&api-version=2024-10-21");
        (StatusCode::BAD_REQUEST, json!({"error": {"message": said}}).to_string()).into_response()
    })
    .await;
    let address = format!("{}?api-version=2024-10-21&api-key={KEY}", server.base);
    let model = Model::new(Provider::OpenAi, "m").base_url(address).unwrap();
    let error = reply(&model).await.unwrap_err().to_string();
    assert!(error.contains("api-key=***&api-version=2024-10-21"), "{error}");
}

#[tokio::test]
async fn millions_of_small_values_are_refused_before_they_are_read() {
    let zeros = vec!["0"; 1_100_000].join(",");
    let body = format!(r#"{{"choices":[{{"message":{{"content":"hi","x":[{zeros}]}}}}]}}"#);
    let server = server(move |number| match number {
        0 => ([(header::CONTENT_TYPE, "application/json")], body.clone()).into_response(),
        1 => streamed("text/event-stream", &format!("data: {body}\n\n"), 1 << 16),
        _ => (StatusCode::BAD_REQUEST, body.clone()).into_response(),
    })
    .await;
    let model = Model::new(Provider::OpenAi, "m").base_url(&server.base).unwrap();
    let error = reply(&model).await.unwrap_err();
    assert!(matches!(&error, ModelError::Protocol(why) if why.contains("1000000 values")), "{error}");
    let error = last(&model).await.unwrap_err();
    assert!(matches!(&error, ModelError::Protocol(why) if why.contains("1000000 values")), "{error}");
    let error = reply(&model).await.unwrap_err();
    assert!(matches!(&error, ModelError::Rejected { status: 400, .. }), "{error}");
}

#[tokio::test]
async fn what_a_stream_has_kept_is_bounded() {
    let details = delta(json!({"reasoning_details": vec![0; 30_000]}), Value::Null);
    let thought = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "x": vec![0; 30_000]}});
    let part = json!({"candidates": [{"content": {"parts": [{"x": vec![0; 30_000]}]}}]});
    let item = json!({"type": "response.output_item.done", "item": {"x": vec![0; 30_000]}});
    let call = json!({"message": {"tool_calls": [{"x": vec![0; 30_000]}]}});
    for (provider, event) in [
        (Provider::OpenAi, details.clone()),
        (Provider::Mistral, details),
        (Provider::Anthropic, thought),
        (Provider::Gemini, part),
        (Provider::OpenAiResponses, item),
        (Provider::Ollama, call),
    ] {
        let text =
            if provider == Provider::Ollama { format!("{event}\n") } else { format!("data: {event}\n\n") };
        let text = text.repeat(40);
        let server = server(move |_| streamed("text/event-stream", &text, 1 << 16)).await;
        let model = Model::new(provider, "m").base_url(&server.base).unwrap();
        let error = last(&model).await.unwrap_err();
        assert!(
            matches!(&error, ModelError::Protocol(why) if why.contains("larger than")),
            "{provider}: {error}"
        );
    }
}

#[tokio::test]
async fn a_long_stream_of_short_words_is_read_to_its_end() {
    let chunk =
        json!({"choices": [{"index": 0, "delta": {"content": "word "}}], "obfuscation": "x".repeat(100_000)});
    let text = format!("data: {chunk}\n\n");
    let server = server(move |_| {
        let (piece, end) = (
            Bytes::from(text.clone()),
            Bytes::from(format!("data: {}\n\n", delta(json!({}), json!("stop")))),
        );
        let pieces = stream::repeat(piece).take(400).chain(stream::iter([end])).map(Ok::<_, std::io::Error>);
        ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(pieces)).into_response()
    })
    .await;
    let model = Model::new(Provider::OpenAi, "m").base_url(&server.base).unwrap();
    assert_eq!(last(&model).await.unwrap().message.to_text().len(), 2_000);
}

#[tokio::test]
async fn an_answer_that_is_over_is_not_waited_for() {
    let server =
        server(|_| stays_open(format!("data: {}\n\n", delta(json!({"content": "Hello."}), json!("stop")))))
            .await;
    let model = Model::new(Provider::OpenAi, "m").base_url(&server.base).unwrap();
    let reply = last(&model.stall_timeout(Duration::from_millis(100))).await.unwrap();
    assert_eq!(reply.message.to_text(), "Hello.");
}

#[tokio::test]
async fn a_stream_that_stalls_is_an_error_that_may_pass() {
    let server =
        server(|_| stays_open(format!("data: {}\n\n", delta(json!({"content": "Hel"}), Value::Null)))).await;
    let model = Model::new(Provider::OpenAi, "m").base_url(&server.base).unwrap();
    let error = last(&model.stall_timeout(Duration::from_millis(50))).await.unwrap_err();
    assert!(error.is_transient(), "{error:?}");
    assert!(error.to_string().contains("nothing came for 50 ms"), "{error}");
}

#[tokio::test]
async fn a_page_is_no_answer_and_is_not_asked_for_again() {
    for wire in wires() {
        let server = server(|_| {
            ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], "<html><h1>Welcome to nginx</h1></html>")
                .into_response()
        })
        .await;
        let model = Model::new(wire.provider, "m").base_url(&server.base).unwrap();
        let model = Retry::new(model).first_wait(Duration::from_millis(1));
        for error in [last(&model).await.unwrap_err(), reply(&model).await.unwrap_err()] {
            let text = error.to_string();
            assert!(matches!(error, ModelError::Protocol(_)), "{:?}: {error:?}", wire.provider);
            assert!(text.contains("text/html") && text.contains("Welcome to nginx"), "{text}");
        }
        assert_eq!(server.received.lock().unwrap().len(), 2, "{:?}", wire.provider);
    }
}

/// How a turn ends whose only answer is this, whole and streamed.
async fn finish(provider: Provider, whole: Value, stream: String) -> [(Finish, Option<String>); 2] {
    let server = server(move |number| match number {
        0 => json_answer(&whole),
        _ => streamed("text/event-stream", &stream, 64),
    })
    .await;
    let model = || Model::new(provider, "m").base_url(&server.base).unwrap();
    let of = |reply: opentool_agent::Reply| (reply.finish, reply.reason.map(String::from));
    let first = of(Agent::new(model(), ToolSet::new()).run("?").await.unwrap());
    let agent = Agent::new(model(), ToolSet::new());
    let mut stream = agent.stream("?");
    while let Some(event) = stream.next().await {
        if let opentool_agent::AgentEvent::Done { reply } = event.unwrap() {
            return [first, of(*reply)];
        }
    }
    panic!("no end")
}

#[tokio::test]
async fn an_answer_that_failed_is_not_an_answer() {
    let chat = |text: &str, reason: &str| {
        let whole = json!({"choices": [{"message": {"content": text}, "finish_reason": reason}]});
        (Provider::OpenAi, whole, events(&[delta(json!({"content": text}), json!(reason))], ""))
    };
    let gemini = |finish: &str| {
        let whole = json!({"candidates": [{"content": {"parts": []}, "finishReason": finish}]});
        (Provider::Gemini, whole.clone(), events(&[whole], ""))
    };
    let responses = |status: &str, text: &str| {
        let item = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]});
        let whole = json!({"status": status, "output": [item]});
        let end = json!({"type": "response.completed", "response": whole});
        (Provider::OpenAiResponses, whole, events(&[end], ""))
    };
    let anthropic = |reason: &str, text: &str| {
        let block = json!({"type": "text", "text": text});
        let whole = json!({"content": [block], "stop_reason": reason});
        let list = [
            json!({"type": "content_block_start", "index": 0, "content_block": block}),
            json!({"type": "message_delta", "delta": {"stop_reason": reason}}),
            json!({"type": "message_stop"}),
        ];
        (Provider::Anthropic, whole, events(&list, ""))
    };
    let ollama = |reason: &str, text: &str| {
        let whole = json!({"message": {"content": text}, "done": true, "done_reason": reason});
        (Provider::Ollama, whole.clone(), format!("{whole}\n"))
    };
    let broken = |reason: &str| (Finish::Broken, Some(reason.to_owned()));
    for ((provider, whole, stream), expected) in [
        (gemini("MALFORMED_FUNCTION_CALL"), broken("MALFORMED_FUNCTION_CALL")),
        (chat("Half", "error"), broken("error")),
        (responses("cancelled", "Half"), broken("cancelled")),
        (responses("failed", ""), broken("failed")),
        (anthropic("pause_turn", "Let me"), broken("pause_turn")),
        (ollama("load", ""), broken("load")),
        (gemini("STOP"), (Finish::Empty, None)),
        (chat("", "stop"), (Finish::Empty, None)),
        (chat(" \n", "stop"), (Finish::Empty, None)),
        (responses("completed", ""), (Finish::Empty, None)),
        (anthropic("end_turn", ""), (Finish::Empty, None)),
        (ollama("stop", ""), (Finish::Empty, None)),
        (chat("Hi.", "stop"), (Finish::Answered, None)),
        (chat("Hi.", "eos"), (Finish::Answered, None)),
        (responses("completed", "Hi."), (Finish::Answered, None)),
    ] {
        let found = finish(provider, whole.clone(), stream).await;
        assert_eq!(found, [expected.clone(), expected], "{provider}: {whole}");
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced_and_the_answer_goes_on() {
    let text = br#"data: {"choices":[{"index":0,"delta":{"content":"a"#.to_vec();
    let end =
        br#" b","tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\"x\": \"#.to_vec();
    let rest = br#"\"}"}}]},"finish_reason":"tool_calls"}]}"#.to_vec();
    let body =
        [text, vec![0xff, 0xfe], end, b"\"".to_vec(), vec![0xc3], rest, b"\n\ndata: [DONE]\n\n".to_vec()]
            .concat();
    for size in [1, 3, 1 << 16] {
        let body = body.clone();
        let server = server(move |_| {
            let pieces: Vec<Result<Bytes, std::io::Error>> =
                body.chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
            ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(stream::iter(pieces)))
                .into_response()
        })
        .await;
        let model = Model::new(Provider::OpenAi, "m").base_url(&server.base).unwrap();
        let reply = last(&model).await.unwrap();
        assert_eq!(reply.message.to_text(), "a\u{fffd}\u{fffd} b");
        assert_eq!(reply.message.tool_calls[0].arguments, json!("{\"x\": \"\u{fffd}\"}"));
    }
}

fn model(wire: &Wire, base: &str) -> Model {
    Model::new(wire.provider, "m").base_url(base.trim_end_matches("/v1")).unwrap()
}

#[tokio::test]
async fn a_busy_service_is_asked_again_on_every_wire() {
    for wire in wires() {
        let (kind, whole, stream) = (wire.kind, wire.plain.whole.clone(), wire.plain.stream.clone());
        let server = server(move |number| match number {
            0 | 2 => (StatusCode::TOO_MANY_REQUESTS, [("retry-after-ms", "1")], "slow down").into_response(),
            1 => json_answer(&whole),
            _ => streamed(kind, &stream, 64),
        })
        .await;
        let model = Retry::new(model(&wire, &server.base)).first_wait(Duration::from_millis(1));
        assert_eq!(reply(&model).await.unwrap().message.to_text(), "Hello.", "{:?}", wire.provider);
        assert_eq!(last(&model).await.unwrap().message.to_text(), "Hello.", "{:?}", wire.provider);
        assert_eq!(server.received.lock().unwrap().len(), 4, "{:?}", wire.provider);
    }
}
