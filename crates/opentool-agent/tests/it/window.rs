//! What a model is sent of a long conversation.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use opentool_agent::{Agent, AgentError, HistoryLimit, chat};
use opentool_core::{AssistantMessage, Content, Message, ToolCall, ToolOutput, ToolResult, ToolSet};
use serde_json::json;

use crate::fixtures::{echo, set};

/// A word for each message.
fn outline(messages: &[Message]) -> String {
    let word = |message: &Message| match message {
        Message::System(_) => "S".to_owned(),
        Message::User(said) => match said.first() {
            Some(Content::Text(text)) => text.clone(),
            _ => "?".to_owned(),
        },
        Message::Assistant(answer) if answer.tool_calls.is_empty() => answer.to_text(),
        Message::Assistant(answer) => format!("call{}", answer.tool_calls.len()),
        Message::Tool(_) => "=".to_owned(),
        _ => "?".to_owned(),
    };
    messages.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn exchange(calls: usize) -> Vec<Message> {
    let calls: Vec<ToolCall> = (0..calls).map(|_| ToolCall::new("", "echo", json!({}))).collect();
    let results = calls.iter().map(|call| Message::Tool(ToolResult::new(call, ToolOutput::text("x"))));
    let results: Vec<Message> = results.collect();
    std::iter::once(Message::Assistant(AssistantMessage::calls(calls))).chain(results).collect()
}

/// Two turns, the second one with three exchanges so far.
fn history() -> Vec<Message> {
    let mut messages = vec![Message::system("Be brief."), Message::user("q1")];
    messages.extend(exchange(1));
    messages.push(Message::Assistant(AssistantMessage::text("a1")));
    messages.push(Message::user("q2"));
    for calls in [1, 2, 1] {
        messages.extend(exchange(calls));
    }
    messages
}

/// What the model is sent of the history, and what the reply holds of it.
async fn sent(limit: HistoryLimit, messages: Vec<Message>) -> (String, String) {
    let seen: Arc<Mutex<String>> = Arc::default();
    let see = Arc::clone(&seen);
    let model = chat::script().then(move |request| {
        *see.lock().unwrap() = outline(request.messages);
        AssistantMessage::text("end")
    });
    let reply = Agent::new(model, set![echo()]).history(limit).run(messages).await.unwrap();
    let seen = seen.lock().unwrap().clone();
    (seen, outline(&reply.messages))
}

#[tokio::test]
async fn a_window_keeps_the_instructions_the_question_and_whole_exchanges() {
    const ALL: &str = "S q1 call1 = a1 q2 call1 = call2 = = call1 =";
    for (most, view) in [
        (99, ALL),
        (12, ALL),
        (11, "S q2 call1 = call2 = = call1 ="),
        (8, "S q2 call1 = call2 = = call1 ="),
        (7, "S q2 call2 = = call1 ="),
        (6, "S q2 call2 = = call1 ="),
        (5, "S q2 call1 ="),
        (3, "S q2 call1 ="),
        (1, "S q2 call1 ="),
    ] {
        let (seen, kept) = sent(HistoryLimit::messages(most), history()).await;
        assert_eq!(seen, view, "{most}");
        assert_eq!(kept, format!("{ALL} end"), "the run keeps everything");
    }
}

#[tokio::test]
async fn tokens_are_estimated_or_counted_by_the_host() {
    let long = |text: &str| Message::user(text.repeat(400));
    let messages = vec![long("a"), Message::Assistant(AssistantMessage::text("b".repeat(400))), long("c")];
    let seen = async |limit| sent(limit, messages.clone()).await.0.len();
    assert_eq!(seen(HistoryLimit::tokens(400)).await, 1_202);
    assert_eq!(
        seen(HistoryLimit::tokens(300)).await,
        400,
        "about a hundred tokens each, and some for the frame"
    );
    assert_eq!(seen(HistoryLimit::tokens(20).counted_by(|_| 10)).await, 400);
    assert_eq!(seen(HistoryLimit::tokens(30).counted_by(|_| 10)).await, 1_202);
}

#[tokio::test]
async fn what_is_over_the_limit_can_be_summarised_once() {
    let summaries: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&summaries);
    let limit = HistoryLimit::messages(7).summarize(move |messages| {
        let mut summaries = seen.lock().unwrap();
        summaries.push(outline(&messages));
        let summary = format!("<{}>", summaries.len());
        async move { Ok(summary) }
    });
    let model = chat::script().text("a2").text("a3").text("a4");
    let agent = Agent::new(model, set![echo()]).history(limit);
    let mut conversation = agent.conversation().history(history());
    conversation.resume().await.unwrap();
    assert_eq!(*summaries.lock().unwrap(), ["q1 call1 = a1 call1 = call2 = ="]);
    let summary = "Summary of the conversation so far:\n<1>";
    assert_eq!(outline(conversation.messages()), format!("S {summary} q2 call1 = a2"));

    conversation.say("q3").await.unwrap();
    assert_eq!(summaries.lock().unwrap().len(), 1, "there is room again");
    conversation.say("q4").await.unwrap();
    assert_eq!(
        summaries.lock().unwrap()[1],
        format!("{summary} q2 call1 = a2"),
        "the summary is summarised too"
    );
    assert_eq!(outline(conversation.messages()), "S Summary of the conversation so far:\n<2> q3 a3 q4 a4");
}

#[tokio::test]
async fn a_summary_that_fails_loses_nothing() {
    let limit = HistoryLimit::messages(2).summarize(async |_| Err("no model".into()));
    let agent = Agent::new(chat::script().text("end"), ToolSet::new()).history(limit);
    let error = agent.run(history()).await.unwrap_err();
    assert!(matches!(error, AgentError::Summary { .. }), "{error}");
    let run = error.into_run().expect("the run");
    assert_eq!(run.messages().len(), history().len());
    let patient = agent.history(HistoryLimit::messages(99));
    assert_eq!(patient.resume(run).await.unwrap().text, "end");
}

#[tokio::test(start_paused = true)]
async fn a_summary_that_never_comes_has_the_time_of_the_turn() {
    let limit = HistoryLimit::messages(2).summarize(|_| std::future::pending());
    let agent = Agent::new(chat::script().text("end"), ToolSet::new()).history(limit);
    let error = agent.turn_timeout(Duration::from_secs(60)).run(history()).await.unwrap_err();
    assert!(matches!(error, AgentError::TimedOut(_)), "{error}");
    assert_eq!(error.into_run().unwrap().messages().len(), history().len());
}

#[tokio::test]
async fn the_question_of_a_long_turn_stays_however_often_it_is_summarised() {
    let sent: Arc<Mutex<Vec<String>>> = Arc::default();
    let see = Arc::clone(&sent);
    let model = chat::Script::always(move |request| {
        let mut sent = see.lock().unwrap();
        sent.push(outline(request.messages));
        match sent.len() {
            ..15 => AssistantMessage::calls([ToolCall::new("", "echo", json!({}))]),
            _ => AssistantMessage::text("end"),
        }
    });
    let summaries: Arc<Mutex<usize>> = Arc::default();
    let count = Arc::clone(&summaries);
    let limit = HistoryLimit::messages(6).summarize(move |_| {
        *count.lock().unwrap() += 1;
        async { Ok("much".to_owned()) }
    });
    let agent = Agent::new(model, set![echo()]).history(limit).system("Be brief.");
    agent.run("q").await.unwrap();
    let sent = sent.lock().unwrap();
    assert!(*summaries.lock().unwrap() > 2, "{sent:?}");
    let summary = "S Summary of the conversation so far:\nmuch q call1 =";
    for (round, outline) in sent.iter().enumerate() {
        let begin = if round < 3 { "S q" } else { summary };
        assert!(outline.starts_with(begin), "round {round}: {outline}");
    }
}
