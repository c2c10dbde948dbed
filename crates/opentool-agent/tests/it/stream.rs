//! A run as a stream of events that ends with the reply.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt as _;
use opentool_agent::{Agent, AgentError, AgentEvent, Approvals, Decision, Finish, chat};
use opentool_core::{ModelError, ToolOutput, ToolSet};
use serde_json::json;

use crate::fixtures::{echo, raw, set};

async fn names(stream: opentool_agent::RunStream) -> Vec<String> {
    stream
        .map(|event| match event {
            Ok(event) => serde_json::to_value(event).unwrap()["event"].as_str().expect("a name").to_owned(),
            Err(error) => format!("error: {error}"),
        })
        .collect()
        .await
}

#[tokio::test]
async fn everything_is_told_and_the_reply_is_the_end() {
    let model = chat::script().calls([("echo", json!({"n": 1}))]).text("done");
    let agent = Agent::new(model, set![echo()]);
    let expected = [
        "round_started",
        "call_writing",
        "arguments_delta",
        "call_started",
        "call_validated",
        "call_finished",
        "round_started",
        "text_delta",
        "text",
        "finished",
        "done",
    ];
    assert_eq!(names(agent.stream("?")).await, expected);
}

#[tokio::test]
async fn an_error_is_the_end_too_and_holds_the_run() {
    let model = chat::script().calls([("echo", json!({}))]).fails(|| ModelError::Protocol("nonsense".into()));
    let mut stream = Agent::new(model, set![echo()]).stream("?");
    let mut last = None;
    while let Some(event) = stream.next().await {
        last = Some(event);
    }
    let Some(Err(AgentError::Model(failure))) = last else { panic!("{last:?}") };
    assert_eq!(failure.run.messages().len(), 3);
    assert!(stream.next().await.is_none(), "nothing follows");
    assert_eq!(
        names(Agent::new(chat::script(), ToolSet::new()).stream(Vec::<opentool_core::Message>::new()))
            .await
            .len(),
        1
    );
}

#[tokio::test]
async fn the_reply_alone_can_be_awaited() {
    let agent = Agent::new(chat::script().text("hello"), ToolSet::new());
    let reply = agent.stream("?").reply().await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("hello", Finish::Answered));
}

#[tokio::test]
async fn nothing_goes_on_while_nobody_reads_and_dropping_it_cancels() {
    let ran = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ran);
    let counts = raw("counts", move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(ToolOutput::new()) }
    });
    let model = chat::script().calls([("counts", json!({}))]).text("done");
    let agent = Agent::new(model.clone(), set![counts]);
    let mut stream = agent.stream("?");
    assert_eq!(model.asked(), 0);
    assert!(matches!(stream.next().await, Some(Ok(AgentEvent::RoundStarted { round: 1 }))));
    drop(stream);
    tokio::task::yield_now().await;
    assert_eq!((model.asked(), ran.load(Ordering::SeqCst)), (0, 0), "it was told first, and never asked");
}

#[tokio::test]
async fn a_suspended_run_is_taken_up_as_a_stream() {
    let model = chat::script().calls([("echo", json!({}))]).text("done");
    let agent = Agent::new(model, set![echo()]).approvals(Approvals::new().ask_otherwise());
    let error = agent.stream("?").reply().await.unwrap_err();
    let mut run = error.into_run().expect("the run");
    run.decide("call_1", Decision::Allow).unwrap();
    let told = names(agent.resume_stream(run)).await;
    assert_eq!(told[..3], ["call_started", "call_validated", "call_finished"]);
    assert_eq!(told.last().map(String::as_str), Some("done"));
}
