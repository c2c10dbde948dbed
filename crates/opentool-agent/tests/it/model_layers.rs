//! Layers around models: what is asked once, what leaves, what is traced.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::TryStreamExt as _;
use opentool_agent::layers::{AnswerCache, LayeredModel as _, RateLimit, Redact, Trace};
use opentool_agent::{Agent, chat};
use opentool_core::{
    AssistantMessage, ChatModel, ChatReply, ChatRequest, Message, ModelError, ReplyEvent, StopReason,
    ToolCall, ToolOutput, ToolResult, ToolSet, Usage,
};
use serde_json::json;

use crate::fixtures::{add, set};
use crate::spans::traced;

async fn ask(model: &impl ChatModel, question: &str) -> Result<ChatReply, ModelError> {
    model.reply(ChatRequest::new(&[Message::user(question)], &ToolSet::new())).await
}

async fn ask_streamed(model: &impl ChatModel, question: &str) -> Result<Vec<ReplyEvent>, ModelError> {
    let (messages, tools) = ([Message::user(question)], ToolSet::new());
    model.stream(ChatRequest::new(&messages, &tools)).try_collect().await
}

fn answer(text: &str) -> ChatReply {
    ChatReply::new(AssistantMessage::text(text)).usage(Usage::new(10, 2))
}

const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test(start_paused = true)]
async fn the_same_question_is_asked_once_until_its_answer_is_too_old() {
    let script = chat::script().answers(answer("One.")).answers(answer("Two.")).answers(answer("Three."));
    let model = script.clone().layer(&AnswerCache::new(HOUR));
    assert_eq!(ask(&model, "?").await.unwrap().usage, Usage::new(10, 2));
    let again = ask(&model.clone(), "?").await.unwrap();
    assert_eq!(
        (again.message.to_text().as_str(), again.usage, script.asked()),
        ("One.", Usage::default(), 1)
    );
    let events = ask_streamed(&model, "?").await.unwrap();
    assert!(matches!(&events[..], [ReplyEvent::Text { text }, ReplyEvent::Done { .. }] if text == "One."));

    assert_eq!(ask_streamed(&model, "another").await.unwrap().len(), 3);
    assert_eq!(ask(&model, "another").await.unwrap().message.to_text(), "Two.", "kept from the stream");
    tokio::time::advance(HOUR).await;
    assert_eq!(ask(&model, "?").await.unwrap().message.to_text(), "Three.");
    assert_eq!(script.asked(), 3);
}

#[tokio::test]
async fn other_tools_are_another_question_and_the_longest_unused_goes_first() {
    let script = chat::script().text("1").text("2").text("3").text("4");
    let model = script.clone().layer(&AnswerCache::new(HOUR).entries(2));
    ask(&model, "?").await.unwrap();
    let (messages, tools) = ([Message::user("?")], set![add()]);
    model.reply(ChatRequest::new(&messages, &tools)).await.unwrap();
    assert_eq!(script.asked(), 2);
    ask(&model, "?").await.unwrap();
    ask(&model, "third").await.unwrap();
    assert_eq!(ask(&model, "?").await.unwrap().message.to_text(), "1");
    assert_eq!(model.reply(ChatRequest::new(&messages, &tools)).await.unwrap().message.to_text(), "4");
}

#[tokio::test]
async fn failures_calls_and_what_was_cut_off_are_not_kept() {
    let script = chat::script()
        .fails(|| ModelError::Protocol("broken".into()))
        .calls([("add", json!({"a": 1, "b": 2}))])
        .answers(answer("Half").stop(StopReason::Length))
        .text("Whole.");
    let model = script.clone().layer(&AnswerCache::new(HOUR));
    ask(&model, "?").await.unwrap_err();
    assert_eq!(ask(&model, "?").await.unwrap().message.tool_calls.len(), 1);
    assert_eq!(ask(&model, "?").await.unwrap().stop, StopReason::Length);
    assert_eq!(ask(&model, "?").await.unwrap().message.to_text(), "Whole.");
    assert_eq!(ask(&model, "?").await.unwrap().message.to_text(), "Whole.");
    assert_eq!(script.asked(), 4);
}

#[tokio::test]
async fn secrets_of_a_conversation_do_not_leave_for_the_provider() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&seen);
    let script = chat::Script::always(move |request| {
        kept.lock().unwrap().push(serde_json::to_string(request.messages).unwrap());
        AssistantMessage::text("Yes.")
    });
    let model = script.layer(&Redact::secrets().text("10.0.0.17"));
    let call = ToolCall::new("c", "look", json!({"host": "10.0.0.17", "password": "hunter2"}));
    let messages = [
        Message::system("You are on 10.0.0.17."),
        Message::user("My key is sk-abcdefghijklmnopqrstuvwx."),
        Message::Assistant(
            AssistantMessage::calls([call.clone()]).say("At 10.0.0.17.").reasoning("10.0.0.17?"),
        ),
        Message::Tool(ToolResult::new(
            &call,
            ToolOutput::json(json!({"ip": "10.0.0.17", "password": "hunter2"})),
        )),
    ];
    let tools = ToolSet::new();
    let request = ChatRequest::new(&messages, &tools);
    let whole = model.reply(request).await.unwrap();
    let events: Vec<ReplyEvent> = model.stream(request).try_collect().await.unwrap();
    assert_eq!(events.last(), Some(&ReplyEvent::Done { reply: whole }));
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 2);
    for asked in &*seen {
        for secret in ["10.0.0.17", "sk-abc", "hunter2"] {
            assert!(!asked.contains(secret), "{secret} in {asked}");
        }
        assert!(asked.contains("You are on [secret].") && asked.contains("\"look\""), "{asked}");
    }
}

#[tokio::test]
async fn a_model_that_is_used_alone_is_traced_once() {
    let refused = || ModelError::Rejected { status: 400, message: "secret".into() };
    let model = chat::script().named("m").answers(answer("One.")).answers(answer("Two.")).fails(refused);
    let model = model.layer(&Trace::new()).layer(&Trace::new());
    let seen = traced(async {
        ask(&model, "?").await.unwrap();
        ask_streamed(&model, "?").await.unwrap();
        ask_streamed(&model, "?").await.unwrap_err();
    })
    .await;
    let field = |span: usize, name: &str| seen[span].fields.get(name).map_or("", String::as_str);
    assert_eq!(seen.iter().map(|span| span.name).collect::<Vec<_>>(), ["chat"; 3]);
    for span in 0..2 {
        let facts = ["otel.name", "gen_ai.usage.input_tokens", "error.type"].map(|name| field(span, name));
        assert_eq!(facts, ["chat m", "10", ""]);
    }
    let streamed = [0, 1].map(|span| field(span, "gen_ai.request.stream"));
    assert_eq!((streamed, field(2, "error.type")), (["", "true"], "rejected"));

    let agent = Agent::new(chat::script().text("Yes.").layer(&Trace::new()), ToolSet::new());
    let seen = traced(async { agent.run("?").await.unwrap() }).await;
    assert_eq!(seen.iter().map(|span| span.name).collect::<Vec<_>>(), ["invoke_agent", "chat"]);
}

#[tokio::test]
async fn a_limit_is_put_on_like_every_other_layer() {
    let limit = RateLimit::new(1, HOUR).longest_wait(Duration::ZERO);
    let model = chat::script().text("One.").text("Two.").layer(&limit).layer(&AnswerCache::new(HOUR));
    ask(&model, "?").await.unwrap();
    ask(&model, "?").await.unwrap();
    assert!(matches!(ask(&model, "other").await, Err(ModelError::RateLimited { .. })));
}

#[tokio::test]
async fn a_kept_turn_goes_if_its_thoughts_would_have_to_be_changed() {
    let kept = |thought: &str| {
        let content = json!([{"type": "thinking", "thinking": thought, "signature": "s"}, {"type": "text", "text": "Yes."}]);
        let turn = json!({"role": "assistant", "content": content});
        Message::Assistant(AssistantMessage::text("Yes.").keep("anthropic", vec![turn]))
    };
    let seen: Arc<Mutex<Vec<bool>>> = Arc::default();
    let see = Arc::clone(&seen);
    let model = chat::script()
        .then(move |request| {
            let answers = request.messages.iter().filter_map(|message| match message {
                Message::Assistant(answer) => Some(answer.replay("anthropic").is_some()),
                _ => None,
            });
            see.lock().unwrap().extend(answers);
            AssistantMessage::text("end")
        })
        .layer(&Redact::with(|text| text.contains("Ada").then(|| text.replace("Ada", "A."))));
    let messages =
        [Message::user("?"), kept("Ada wants it."), kept("Somebody wants it."), Message::user("?")];
    model.reply(ChatRequest::new(&messages, &ToolSet::new())).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [false, true]);
}
