//! Who hears of a failed call, and in which words.

use std::io;

use opentool_agent::{
    Agent, AgentError, Dispatcher, ErrorClass, ErrorPolicy, OnError, PerformError, Run, Step, ToolRules, chat,
};
use opentool_core::{AssistantMessage, ChatReply, ToolCall, ToolError, ToolOutput, ToolSet};
use serde_json::json;

use crate::fixtures::{echo, panics, raw, set, texts};

/// What the author of a tool has for errors.
#[derive(Debug, thiserror::Error)]
#[error("the shop is closed")]
struct Closed(#[source] io::Error);

fn tools() -> ToolSet {
    set![
        raw("buy", async |_, _| {
            let cause = io::Error::new(io::ErrorKind::ConnectionRefused, "db-7 refused");
            Err(ToolError::from_author(Closed(cause)))
        }),
        raw("plain", async |_, _| Err(ToolError::from_author(io::Error::other("no route")))),
        echo(),
        panics(),
    ]
}

fn asks(names: &[&'static str]) -> chat::Script {
    chat::script().calls(names.iter().map(|name| (*name, json!({})))).text("I see.")
}

#[tokio::test]
async fn the_model_hears_of_failures_unless_the_policy_says_otherwise() {
    let reply = Agent::new(asks(&["buy", "panics"]), tools()).run("?").await.unwrap();
    assert_eq!(
        texts(&reply.messages),
        ["the shop is closed", "the tool failed with an internal error; its operator has the details"]
    );
}

#[tokio::test]
async fn errors_of_a_type_go_to_the_caller_with_everything_that_was_done() {
    let policy = ErrorPolicy::new().raise::<io::Error>();
    let agent = Agent::new(asks(&["echo", "buy", "plain", "echo"]), tools()).errors(policy);
    let error = agent.run("?").await.unwrap_err();
    assert_eq!(error.to_string(), "the call `call_2` of the tool `buy` failed: the shop is closed");
    assert_eq!(std::error::Error::source(&error).expect("its cause").to_string(), "db-7 refused");
    let AgentError::Tool(failure) = error else { panic!("{error:?}") };
    let cause: &io::Error = failure.error.error.cause().expect("the cause, by its type");
    assert_eq!(cause.kind(), io::ErrorKind::ConnectionRefused);
    assert!(failure.error.error.cause::<Closed>().is_some(), "what the author returned, too");
    assert_eq!(texts(failure.run.messages()), ["{}", "the shop is closed", "no route", "{}"]);
    // Whoever goes on all the same goes on: nothing is run again.
    assert_eq!(agent.resume(failure.run).await.unwrap().text, "I see.");
}

#[tokio::test]
async fn a_class_of_failures_is_told_in_other_words_or_raised() {
    let policy = ErrorPolicy::new()
        .on(ErrorClass::Panicked, OnError::Raise)
        .rule(|tool, _| (tool == "buy").then(|| OnError::tell_as("Try tomorrow.")))
        .on(ErrorClass::UnknownTool, OnError::tell_as("Use the tools you have."));
    let agent = Agent::new(asks(&["buy", "nobody", "plain"]), tools()).errors(policy.clone());
    let reply = agent.run("?").await.unwrap();
    assert_eq!(texts(&reply.messages), ["Try tomorrow.", "Use the tools you have.", "no route"]);
    let error = Agent::new(asks(&["panics"]), tools()).errors(policy).run("?").await.unwrap_err();
    assert!(matches!(error, AgentError::Tool(_)));

    let own = ToolRules::new().on_error(ErrorClass::Failed, OnError::Raise);
    let agent = Agent::new(asks(&["plain"]), tools()).rules("plain", own);
    assert!(matches!(agent.run("?").await.unwrap_err(), AgentError::Tool(_)));
}

#[tokio::test]
async fn what_is_always_raised_is_raised_whatever_other_rules_say() {
    let failed = ErrorClass::Failed;
    let policies = [
        ErrorPolicy::new().on(failed, OnError::Tell).raise::<io::Error>(),
        ErrorPolicy::new().rule(|_, _| Some(OnError::tell_as("never mind"))).raise::<io::Error>(),
        ErrorPolicy::new().raise::<io::Error>(),
    ];
    for policy in policies {
        let agent = Agent::new(asks(&["plain"]), tools())
            .errors(policy)
            .rules("plain", ToolRules::new().on_error(failed, OnError::Tell));
        let error = agent.run("?").await.expect_err("raised");
        assert!(matches!(error, AgentError::Tool(_)), "{error}");
    }
}

#[tokio::test]
async fn a_loop_of_ones_own_gets_raised_failures_too() {
    let dispatcher = Dispatcher::new(tools()).errors(ErrorPolicy::new().raise::<io::Error>());
    let mut run = Run::new("?");
    let calls = [ToolCall::new("a", "buy", json!({})), ToolCall::new("b", "echo", json!({}))];
    run.answer(ChatReply::new(AssistantMessage::calls(calls.clone())), dispatcher.tools()).unwrap();
    let Err(PerformError::Raised(raised)) = dispatcher.perform(&mut run).await else {
        panic!("nothing is raised")
    };
    assert_eq!((raised.call_id.as_str(), raised.name.as_str()), ("a", "buy"));
    assert!(matches!(run.step(), Step::Ask(_)), "every call has its result");
    let results = dispatcher.dispatch(&calls).await;
    assert_eq!(results[1].output, ToolOutput::json(json!({})));
}
