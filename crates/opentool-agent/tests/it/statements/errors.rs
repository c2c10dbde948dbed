//! S104 to S113: failures of tools, told to the model or given to the caller.

use std::io;

use opentool_agent::{Agent, AgentError, CallFailure, ErrorPolicy, OnError, chat};
use opentool_core::{Tool, ToolError};
use serde_json::json;

use crate::fixtures::{echo, raw, set, texts};

#[derive(Debug, thiserror::Error)]
#[error("sign in again")]
struct Unauthorized;

fn fails() -> impl Tool {
    raw("fails", async |_, arguments| {
        Err(match arguments.get("how").and_then(|how| how.as_str()) {
            Some("empty") => ToolError::from_author(io::Error::other("")),
            Some("sign_in") => ToolError::from_author(Unauthorized),
            _ => ToolError::from_author(io::Error::other("disk full")),
        })
    })
}

fn asks(how: &'static str) -> chat::Script {
    chat::script().calls([("fails", json!({"how": how})), ("echo", json!({}))]).text("sorry")
}

#[tokio::test]
async fn s104_s105_s106_s107_by_default_the_model_reads_what_the_tool_says_whatever_its_type() {
    let failures = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = std::sync::Arc::clone(&failures);
    let agent = Agent::new(asks("disk"), set![fails(), echo()]).observe(move |event| {
        if let opentool_agent::AgentEvent::CallFinished {
            name,
            failure: Some(CallFailure { code, .. }),
            ..
        } = event
        {
            seen.lock().unwrap().push(format!("{name} {code}"));
        }
    });
    let reply = agent.run("?").await.unwrap();
    assert_eq!(texts(&reply.messages), ["disk full", "{}"]);
    assert_eq!(*failures.lock().unwrap(), ["fails failed"], "the operator hears which tool and why");
}

#[tokio::test]
async fn s108_s109_s110_s111_a_policy_gives_them_to_the_caller() {
    let always = ErrorPolicy::new().rule(|_, _| Some(OnError::Raise));
    let error = Agent::new(asks("disk"), set![fails(), echo()]).errors(always).run("?").await.unwrap_err();
    let AgentError::Tool(failure) = error else { panic!("{error}") };
    assert_eq!(failure.error.name, "fails");
    assert_eq!(failure.run.messages().len(), 4, "with everything that was done");
}

#[tokio::test]
async fn s112_a_failure_without_words_still_says_something() {
    let reply = Agent::new(asks("empty"), set![fails(), echo()]).run("?").await.unwrap();
    assert_eq!(texts(&reply.messages)[0], "the tool `fails` failed and did not say why");
}

#[tokio::test]
async fn s113_errors_of_listed_types_always_go_to_the_caller_as_what_they_are() {
    let policy = ErrorPolicy::new().raise::<Unauthorized>();
    let agent = |how| Agent::new(asks(how), set![fails(), echo()]).errors(policy.clone());
    assert_eq!(agent("disk").run("?").await.unwrap().text, "sorry");
    let AgentError::Tool(failure) = agent("sign_in").run("?").await.unwrap_err() else {
        panic!("not raised")
    };
    assert!(failure.error.error.cause::<Unauthorized>().is_some());
}
