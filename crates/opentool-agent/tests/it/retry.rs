//! Asking again: what is asked again, how often, and when it is too late.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::IntoResponse;
use futures_util::TryStreamExt as _;
use opentool_agent::chat::{self, Model, Provider, Retry};
use opentool_core::{
    BoxFuture, ChatModel, ChatReply, ChatRequest, Message, ModelError, ReplyEvent, ReplyStream, ToolSet,
};
use serde_json::json;
use tokio::time::Instant;

use crate::loopback::{json_answer, server};

fn limited(seconds: Option<u64>) -> ModelError {
    ModelError::RateLimited { message: "later".into(), retry_after: seconds.map(Duration::from_secs) }
}

async fn ask(model: &impl ChatModel) -> Result<ChatReply, ModelError> {
    model.reply(ChatRequest::new(&[Message::user("?")], &ToolSet::new())).await
}

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_asked_again_after_longer_and_longer_waits() {
    let script = chat::script()
        .fails(|| limited(None))
        .fails(|| ModelError::Rejected { status: 503, message: "down".into() })
        .text("Hi.");
    let begin = Instant::now();
    let reply = ask(&Retry::new(script.clone()).attempts(3)).await.unwrap();
    assert_eq!(reply.message.to_text(), "Hi.");
    let waited = begin.elapsed();
    assert!(waited >= Duration::from_millis(1_125) && waited <= Duration::from_millis(1_510), "{waited:?}");
    assert_eq!(script.asked(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_service_is_waited_for_as_long_as_it_asks_but_not_for_ever() {
    let begin = Instant::now();
    let script = chat::script().fails(|| limited(Some(7))).text("Hi.");
    ask(&Retry::new(script)).await.unwrap();
    assert_eq!(begin.elapsed().as_secs(), 7);

    let script = chat::script().fails(|| limited(Some(3_600))).text("Hi.");
    let error = ask(&Retry::new(script.clone())).await.unwrap_err();
    assert!(matches!(error, ModelError::RateLimited { retry_after: Some(_), .. }), "{error:?}");
    assert_eq!(script.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_stays_wrong_is_asked_once() {
    for error in [
        || ModelError::Unauthorized("no key".into()),
        || ModelError::Rejected { status: 400, message: "bad".into() },
    ] {
        let script = chat::script().fails(error).text("Hi.");
        ask(&Retry::new(script.clone())).await.unwrap_err();
        assert_eq!(script.asked(), 1);
    }
    let script = chat::script().fails(|| limited(None)).fails(|| limited(None)).text("Hi.");
    ask(&Retry::new(script.clone()).attempts(2)).await.unwrap_err();
    assert_eq!(script.asked(), 2);
}

/// Fails at the first event, then behind it, then not.
struct Breaks(AtomicUsize);

impl ChatModel for Breaks {
    fn name(&self) -> &str {
        "breaks"
    }

    fn reply<'a>(&'a self, _request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(async { Err(limited(None)) })
    }

    fn stream<'a>(&'a self, _request: ChatRequest<'a>) -> ReplyStream<'a> {
        let broken =
            || Err(ModelError::Unreachable { message: "broke".into(), source: Some("reset".into()) });
        let events = match self.0.fetch_add(1, Ordering::Relaxed) {
            0 => vec![broken()],
            _ => vec![Ok(ReplyEvent::Text { text: "He".into() }), broken()],
        };
        Box::pin(futures_util::stream::iter(events))
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_begun_again_only_before_its_first_event() {
    let model = Retry::new(Breaks(AtomicUsize::new(0))).attempts(10);
    let (messages, tools) = ([Message::user("?")], ToolSet::new());
    let mut stream = model.stream(ChatRequest::new(&messages, &tools));
    assert_eq!(stream.try_next().await.unwrap(), Some(ReplyEvent::Text { text: "He".into() }));
    assert!(stream.try_next().await.is_err());
    assert_eq!(model.inner().0.load(Ordering::Relaxed), 2, "what was told is not told twice");
}

#[tokio::test]
async fn a_busy_service_is_asked_again_over_the_wire() {
    let server = server(|number| match number {
        0 => (StatusCode::TOO_MANY_REQUESTS, [("retry-after-ms", "5")], "slow down").into_response(),
        1 => StatusCode::BAD_GATEWAY.into_response(),
        _ => json_answer(&json!({"choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}]})),
    })
    .await;
    let model = Model::new(Provider::OpenAi, "m").base_url(&server.base).unwrap();
    let reply = ask(&Retry::new(model).first_wait(Duration::from_millis(1))).await.unwrap();
    assert_eq!(reply.message.to_text(), "Hi.");
    assert_eq!(server.received.lock().unwrap().len(), 3);
}
