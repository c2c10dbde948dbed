//! The client against a server on loopback that speaks the documented format.

use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt as _;
use opentool_agent::chat::{Model, Provider};
use opentool_agent::{Agent, AgentError};
use opentool_core::{ChatModel, ChatRequest, Message, ModelError, ReplyEvent, ToolSet};
use serde_json::{Value, json};

use crate::fixtures::add;
use crate::fixtures::set;
use crate::loopback::{Server, json_answer, server};

/// An answer as the provider documents it.
fn completion(message: &Value, finish: &str) -> Response {
    json_answer(&json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_741_569_952, "model": "gpt-5",
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish}],
        "usage": {"prompt_tokens": 82, "completion_tokens": 17, "total_tokens": 99,
                  "prompt_tokens_details": {"cached_tokens": 0}},
        "service_tier": "default", "system_fingerprint": null,
    }))
}

const KEY: &str = "sk-test-0123456789";

fn model(server: &Server) -> Model {
    Model::new(Provider::OpenAi, "gpt-5").base_url(&server.base).unwrap().api_key(KEY)
}

async fn ask(model: &Model) -> Result<opentool_core::ChatReply, ModelError> {
    model.reply(ChatRequest::new(&[Message::user("Hi.")], &ToolSet::new())).await
}

/// The error of a question that gets this answer.
async fn error(status: u16, body: &'static str) -> ModelError {
    let server = server(move |_| (StatusCode::from_u16(status).unwrap(), body).into_response()).await;
    let error = ask(&model(&server)).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
    error
}

#[tokio::test]
async fn a_turn_with_calls_goes_over_the_wire_as_documented() {
    let server = server(|number| match number {
        0 => completion(
            &json!({"role": "assistant", "content": null, "refusal": null, "annotations": [], "tool_calls": [
                {"id": "call_abc", "type": "function", "function": {"name": "add", "arguments": "{\"a\": 1, \"b\": 2}"}},
                {"id": "call_def", "type": "function", "function": {"name": "add", "arguments": "{\"a\": 1}"}},
            ]}),
            "tool_calls",
        ),
        _ => completion(&json!({"role": "assistant", "content": "It is 3.", "refusal": null}), "stop"),
    })
    .await;
    let agent = Agent::new(model(&server), set![add()]).system("Be short.");
    let reply = agent.run("1 + 2?").await.unwrap();
    assert_eq!(reply.text, "It is 3.");
    assert_eq!((reply.usage.input_tokens, reply.usage.output_tokens), (164, 34));

    let received = server.received.lock().unwrap();
    let [first, second] = &received[..] else { panic!("{} questions", received.len()) };
    assert_eq!(first.uri.path(), "/v1/chat/completions");
    assert_eq!(first.headers["authorization"], format!("Bearer {KEY}").as_str());
    assert_eq!(first.headers["content-type"], "application/json");
    assert_eq!(first.body["model"], "gpt-5");
    let tool = &first.body["tools"][0];
    assert_eq!((&tool["type"], &tool["function"]["name"]), (&json!("function"), &json!("add")));
    assert_eq!(tool["function"]["parameters"]["type"], "object");

    let messages = second.body["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool"]);
    assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], "{\"a\": 1, \"b\": 2}");
    assert_eq!(messages[3], json!({"role": "tool", "tool_call_id": "call_abc", "content": "3"}));
    assert_eq!(messages[4]["tool_call_id"], "call_def");
    assert!(
        messages[4]["content"].as_str().unwrap().starts_with("Error: invalid arguments"),
        "{}",
        messages[4]
    );
}

#[tokio::test]
async fn a_server_of_your_own_needs_no_key_and_may_want_headers() {
    let server = server(|_| completion(&json!({"content": "Hi."}), "stop")).await;
    let model = Model::new(Provider::OpenAi, "qwen3")
        .base_url(&server.base)
        .unwrap()
        .header("api-key", "abc")
        .unwrap()
        .parameter("temperature", 0);
    assert_eq!(ask(&model).await.unwrap().message.to_text(), "Hi.");
    let received = server.received.lock().unwrap();
    assert_eq!(received[0].headers.get("authorization"), None);
    assert_eq!(received[0].headers["api-key"], "abc");
    assert_eq!(received[0].body["temperature"], 0);
    assert_eq!(received[0].body.get("tools"), None, "an empty list is refused by some servers");
}

#[tokio::test]
async fn a_refused_key_is_told_without_the_key() {
    let body = r#"{"error": {"message": "Incorrect API key provided: sk-test-0123456789.", "type": "invalid_request_error", "code": "invalid_api_key"}}"#;
    let error = error(401, body).await;
    assert!(matches!(error, ModelError::Unauthorized(_)), "{error:?}");
    assert!(error.to_string().ends_with("Incorrect API key provided: ***."), "{error}");
}

#[tokio::test]
async fn too_many_requests_are_told_apart_from_an_empty_account() {
    let later =
        error(429, r#"{"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}"#).await;
    assert!(
        matches!(&later, ModelError::RateLimited { message, .. } if &**message == "Rate limit reached"),
        "{later:?}"
    );
    let never =
        error(429, r#"{"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}"#)
            .await;
    assert!(matches!(never, ModelError::Rejected { status: 429, .. }), "{never:?}");
}

#[tokio::test]
async fn refused_requests_tell_what_the_server_said() {
    let cases = [
        (400, r#"{"error": {"message": "Invalid 'tools[0]'"}}"#, "(HTTP 400): Invalid 'tools[0]'"),
        (404, r#"{"error": "model 'x' not found"}"#, "(HTTP 404): model 'x' not found"),
        (404, "404 page not found", "page not found; is the base URL right? It usually ends with `/v1`"),
        (422, r#"{"detail": "field required"}"#, "(HTTP 422): field required"),
        (500, "<html>\n<b>broken</b>\u{7}\n</html>", "(HTTP 500): <html> <b>broken</b> </html>"),
        (503, "", "(HTTP 503): Service Unavailable"),
    ];
    for (status, body, expected) in cases {
        let error = error(status, body).await;
        assert!(matches!(error, ModelError::Rejected { status: s, .. } if s == status), "{error:?}");
        assert!(error.to_string().ends_with(expected), "{error}");
    }
}

#[tokio::test]
async fn a_long_text_of_the_server_is_cut() {
    let server = server(|_| (StatusCode::INTERNAL_SERVER_ERROR, "ä".repeat(100_000)).into_response()).await;
    let error = ask(&model(&server)).await.unwrap_err();
    assert!(error.to_string().chars().count() < 600, "{error}");
}

#[tokio::test]
async fn an_answer_that_is_not_the_format_is_told() {
    let broken = error(200, r#"{"choices": [{"message": "#).await;
    assert!(matches!(broken, ModelError::Protocol(_)), "{broken:?}");
    assert!(broken.to_string().contains("not JSON (EOF while parsing"), "{broken}");
    let other = error(200, r#"{"object": "list", "data": []}"#).await;
    assert!(other.to_string().contains("no list `choices`"), "{other}");
    let gateway = error(200, r#"{"error": {"message": "provider sk-test-0123456789 is down"}}"#).await;
    assert!(gateway.to_string().contains("provider *** is down"), "{gateway}");
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let model = Model::new(Provider::OpenAi, "m").base_url(&base).unwrap().timeout(Duration::from_millis(50));
    let error = Agent::new(model, ToolSet::new()).run("Hi.").await.unwrap_err();
    let AgentError::Model(failure) = &error else { panic!("{error:?}") };
    assert!(matches!(failure.error, ModelError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains("within 50 ms"), "{error}");
}

#[tokio::test]
async fn an_endless_answer_is_not_read_to_its_end() {
    let server = server(|_| {
        let endless = futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(vec![b' '; 1 << 20]));
        axum::body::Body::from_stream(endless).into_response()
    })
    .await;
    let error = ask(&model(&server)).await.unwrap_err();
    assert!(matches!(error, ModelError::Protocol(_)), "{error:?}");
    assert!(error.to_string().contains("larger than the limit"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let error = ask(&Model::new(Provider::OpenAi, "m").base_url(&base).unwrap()).await.unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains("cannot connect to http://127.0.0.1"), "{error}");
}

#[tokio::test]
async fn a_key_that_cannot_be_sent_is_told_without_the_key() {
    let error = ask(&Model::new(Provider::OpenAi, "m").api_key("sk-test\r\nX-Evil: 1")).await.unwrap_err();
    assert!(matches!(error, ModelError::Unauthorized(_)), "{error:?}");
    assert!(!format!("{error:?}").contains("sk-test"), "{error:?}");
    assert!(Model::new(Provider::OpenAi, "m").header("bad name", "x").is_err());
    assert!(Model::new(Provider::OpenAi, "m").header("name", "a\r\nb").is_err());
}

#[tokio::test]
async fn which_model_answered_is_told_whole_and_in_pieces() {
    const DATED: &str = "gpt-5-2026-08-07";
    let server = server(|number| {
        let said = json!({"role": "assistant", "content": "Yes."});
        if number == 0 {
            let choice = json!({"index": 0, "message": said, "finish_reason": "stop"});
            return json_answer(&json!({"object": "chat.completion", "model": DATED, "choices": [choice]}));
        }
        let chunk = |delta: Value, finish: Value| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
            format!(
                "data: {}\n\n",
                json!({"object": "chat.completion.chunk", "model": DATED, "choices": [choice]})
            )
        };
        let body = chunk(said, Value::Null) + &chunk(json!({}), json!("stop")) + "data: [DONE]\n\n";
        ([("content-type", "text/event-stream")], body).into_response()
    })
    .await;
    let model = model(&server);
    assert_eq!(ask(&model).await.unwrap().model.as_deref(), Some(DATED));
    let messages = [Message::user("Hi.")];
    let tools = ToolSet::new();
    let mut events = model.stream(ChatRequest::new(&messages, &tools));
    let mut last = None;
    while let Some(event) = events.next().await {
        last = Some(event.unwrap());
    }
    let Some(ReplyEvent::Done { reply }) = last else { panic!("{last:?}") };
    assert_eq!(reply.model.as_deref(), Some(DATED));
}
