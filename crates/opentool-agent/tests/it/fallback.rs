//! A second model: when it is asked, when it is not, and when it is too late.

use futures_util::TryStreamExt as _;
use opentool_agent::Agent;
use opentool_agent::chat::{self, Fallback};
use opentool_core::{
    AssistantMessage, BoxFuture, ChatModel, ChatReply, ChatRequest, Message, ModelError, ReplyEvent,
    ReplyStream, ToolSet,
};

fn down() -> ModelError {
    ModelError::Rejected { status: 503, message: "down".into() }
}

async fn ask(model: &impl ChatModel) -> Result<String, ModelError> {
    let reply = model.reply(ChatRequest::new(&[Message::user("?")], &ToolSet::new())).await;
    reply.map(|reply| reply.message.to_text())
}

async fn pieces(model: &impl ChatModel) -> Result<Vec<ReplyEvent>, ModelError> {
    let (messages, tools) = ([Message::user("?")], ToolSet::new());
    model.stream(ChatRequest::new(&messages, &tools)).try_collect().await
}

#[tokio::test]
async fn the_next_model_answers_where_one_cannot() {
    for error in [
        down,
        || ModelError::Unauthorized("no key".into()),
        || ModelError::Protocol("no JSON".into()),
        || ModelError::Unreachable { message: "no such host".into(), source: None },
    ] {
        let (first, second) = (chat::script().named("first").fails(error).fails(error), chat::script());
        let model = Fallback::new(first.clone()).or(second.text("Hi.").text("Ho."));
        assert_eq!(ask(&model).await.unwrap(), "Hi.");
        let events = pieces(&model).await.unwrap();
        assert!(
            matches!(events.last(), Some(ReplyEvent::Done { reply }) if reply.message.to_text() == "Ho.")
        );
        assert_eq!((first.asked(), model.name()), (2, "first"));
    }
}

#[tokio::test]
async fn a_wrong_question_is_told_and_the_first_answer_is_enough() {
    let second = chat::script().text("never");
    let wrong = || ModelError::Rejected { status: 400, message: "bad".into() };
    let model = Fallback::new(chat::script().fails(wrong).text("Hi.")).or(second.clone());
    assert!(matches!(ask(&model).await, Err(ModelError::Rejected { status: 400, .. })));
    assert_eq!(ask(&model).await.unwrap(), "Hi.");
    assert_eq!(second.asked(), 0);

    let model = Fallback::new(chat::script().fails(wrong)).or(chat::script().text("Hi.")).when(|_| true);
    assert_eq!(ask(&model).await.unwrap(), "Hi.");
}

#[tokio::test]
async fn the_last_error_is_told_where_nobody_answers() {
    let model = Fallback::new(chat::script().fails(down).fails(down))
        .or(chat::script().fails(|| ModelError::Unauthorized("no key".into())).fails(down));
    assert!(matches!(ask(&model).await, Err(ModelError::Unauthorized(_))));
    assert!(matches!(pieces(&model).await, Err(ModelError::Rejected { status: 503, .. })));
}

/// A model whose stream breaks after a piece.
struct Breaks;

impl ChatModel for Breaks {
    fn name(&self) -> &str {
        "breaks"
    }

    fn reply<'a>(&'a self, _: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(async { Ok(ChatReply::new(AssistantMessage::text("whole"))) })
    }

    fn stream<'a>(&'a self, _: ChatRequest<'a>) -> ReplyStream<'a> {
        let events = [Ok(ReplyEvent::Text { text: "ha".to_owned() }), Err(down())];
        Box::pin(futures_util::stream::iter(events))
    }
}

#[tokio::test]
async fn what_was_told_is_not_told_again_by_another_model() {
    let second = chat::script().text("never");
    let model = Fallback::new(Breaks).or(second.clone());
    assert!(pieces(&model).await.is_err());
    assert_eq!(second.asked(), 0);
    let reply = Agent::new(model, ToolSet::new()).run("?").await.unwrap();
    assert_eq!(reply.text, "whole");
}
