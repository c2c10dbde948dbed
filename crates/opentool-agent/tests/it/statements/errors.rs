//! S104 to S113: failures of tools, told to the model or given to the caller.

use std::io;

use opentool_agent::{Agent, AgentError, CallFailure, ErrorClass, ErrorPolicy, OnError, chat};
use opentool_core::{Arguments, BoxFuture, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};
use serde_json::json;

use crate::fixtures::{echo, raw, set, texts};

#[derive(Debug, thiserror::Error)]
#[error("sign in again")]
struct Unauthorized;

fn fails() -> impl Tool {
    raw("fails", async |_, arguments| {
        Err(match arguments.get("how").and_then(|how| how.as_str()) {
            Some("empty") => ToolError::from_author(io::Error::other("")),
            Some("blank") => ToolError::from_author(io::Error::other(" \n")),
            Some("sign_in") => ToolError::from_author(Unauthorized),
            _ => ToolError::from_author(io::Error::other("disk full")),
        })
    })
}

fn asks(how: &'static str) -> chat::Script {
    chat::script().calls([("fails", json!({"how": how})), ("echo", json!({}))]).text("sorry")
}

#[tokio::test]
async fn s104_a_failure_has_the_call_the_definition_of_its_tool_and_its_cause() {
    let always = ErrorPolicy::new().rule(|_, _| Some(OnError::Raise));
    let raised = async |name: &'static str| {
        let model = chat::script().calls([("echo", json!({})), (name, json!({"how": "disk"}))]);
        let agent = Agent::new(model, set![fails(), echo()]).errors(always.clone());
        match agent.run("?").await.unwrap_err() {
            AgentError::Tool(failure) => failure.error,
            other => panic!("{other}"),
        }
    };
    let error = raised("fails").await;
    assert_eq!((error.call_id.as_str(), error.name.as_str()), ("call_2", "fails"));
    let tool = error.tool.as_deref().expect("the definition");
    assert_eq!((tool.name.as_str(), tool.description.as_str()), ("fails", "The tool fails."));
    assert_eq!(tool.input_schema, fails().definition().input_schema);
    assert_eq!(error.error.cause::<io::Error>().expect("the cause, by its type").to_string(), "disk full");
    assert_eq!(error.to_string(), "the call `call_2` of the tool `fails` failed: disk full");
    // As the model wrote it, and the tool that is meant.
    let error = raised("Fails").await;
    assert_eq!((error.name.as_str(), error.tool.expect("the definition").name.as_str()), ("Fails", "fails"));
    assert!(raised("nobody").await.tool.is_none(), "there is no such tool");
}

#[tokio::test]
async fn s104_s105_s106_s107_by_default_the_model_reads_what_the_tool_says_whatever_its_type() {
    let failures = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = std::sync::Arc::clone(&failures);
    let agent = Agent::new(asks("disk"), set![fails(), echo()]).observe(move |event| {
        if let opentool_agent::AgentEvent::CallFinished {
            name,
            failure: Some(CallFailure { code, detail, .. }),
            ..
        } = event
        {
            seen.lock().unwrap().push(format!("{name} {code}: {detail}"));
        }
    });
    let reply = agent.run("?").await.unwrap();
    assert_eq!(texts(&reply.messages), ["disk full", "{}"]);
    assert_eq!(
        *failures.lock().unwrap(),
        ["fails failed: disk full"],
        "the operator hears which tool and why"
    );
}

#[tokio::test]
async fn s108_s109_s110_a_policy_gives_them_to_the_caller() {
    let always = ErrorPolicy::new().rule(|_, _| Some(OnError::Raise));
    let error = Agent::new(asks("disk"), set![fails(), echo()]).errors(always).run("?").await.unwrap_err();
    let AgentError::Tool(failure) = error else { panic!("{error}") };
    assert_eq!(failure.error.name, "fails");
    assert_eq!(failure.run.messages().len(), 4, "with everything that was done");
}

/// A tool by hand that does what it should not.
struct Unruly(ToolDefinition);

fn unruly() -> Unruly {
    Unruly(ToolDefinition::new("unruly", "Fails.").input_schema(json!({"type": "object"})))
}

impl Tool for Unruly {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn call<'a>(
        &'a self,
        _cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let how = arguments.get("how").and_then(|how| how.as_str()).unwrap_or_default().to_owned();
        assert_ne!(how, "panics before it waits");
        Box::pin(async move {
            tokio::task::yield_now().await;
            match how.as_str() {
                "panics while it waits" => panic!("a secret of the operator"),
                "its own error" => Err(ToolError::from_author(Unauthorized)),
                "a text" => Err(ToolError::from_author("as you like")),
                "an error of ours" => Err(ToolError::Cancelled),
                _ => Ok(ToolOutput::error("said as an output")),
            }
        })
    }
}

#[tokio::test]
async fn s111_whatever_a_tool_of_ones_own_does_its_failure_is_judged_by_the_policy_and_nothing_escapes() {
    let internal = "the tool failed with an internal error; its operator has the details";
    for (how, class, told) in [
        ("panics before it waits", Some(ErrorClass::Panicked), internal),
        ("panics while it waits", Some(ErrorClass::Panicked), internal),
        ("its own error", Some(ErrorClass::Failed), "sign in again"),
        ("a text", Some(ErrorClass::Failed), "as you like"),
        ("an error of ours", Some(ErrorClass::Cancelled), "the call was cancelled"),
        // It is an answer of the tool, and no failure that a policy could know of.
        ("says so itself", None, "said as an output"),
    ] {
        let asks = || chat::script().calls([("unruly", json!({"how": how})), ("echo", json!({}))]).text("ok");
        let agent = |policy| Agent::new(asks(), set![unruly(), echo()]).errors(policy);
        let reply = agent(ErrorPolicy::new()).run("?").await.unwrap();
        assert_eq!(texts(&reply.messages), [told, "{}"], "{how}");
        let Some(class) = class else { continue };
        let other = ErrorPolicy::new().on(class, OnError::tell_as("Later."));
        assert_eq!(texts(&agent(other).run("?").await.unwrap().messages), ["Later.", "{}"], "{how}");
        let raise = ErrorPolicy::new().on(class, OnError::Raise);
        let AgentError::Tool(failure) = agent(raise).run("?").await.unwrap_err() else { panic!("{how}") };
        assert_eq!(ErrorClass::of(&failure.error.error), class, "{how}");
        assert_eq!(texts(failure.run.messages()), [told, "{}"], "{how}: the others keep theirs");
    }
}

#[tokio::test]
async fn s112_a_failure_without_words_still_says_something() {
    for how in ["empty", "blank"] {
        let reply = Agent::new(asks(how), set![fails(), echo()]).run("?").await.unwrap();
        assert_eq!(texts(&reply.messages)[0], "the tool `fails` failed and did not say why", "{how}");
    }
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
