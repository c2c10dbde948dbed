//! Code that the host gives to an agent panics: one call fails, or one run ends with all that was done. Nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use opentool_agent::layers::{Augment, Cache, Redact, Scope};
use opentool_agent::memory::{Conversations, Interrupted, Memory, MemoryError, Place};
use opentool_agent::{
    Agent, AgentError, AgentEvent, Approvals, Dispatcher, ErrorPolicy, HistoryLimit, HostPanic, StopWhen,
    ToolRules, chat,
};
use opentool_core::{
    AssistantMessage, BoxFuture, ChatModel, ChatReply, ChatRequest, Layer, Message, ModelError, Tool,
    ToolCall, ToolError, ToolOutput, ToolSet,
};
use serde_json::json;

use crate::fixtures::{echo, raw, set, texts};

/// A model that wants one call, and then repeats what it got.
fn model() -> chat::Script {
    chat::Script::always(|request| match chat::last_results(request).next() {
        Some(result) => AssistantMessage::text(result.output.to_text()),
        None => AssistantMessage::calls([ToolCall::new("", "echo", json!({"n": 1}))]),
    })
}

fn agent() -> Agent {
    Agent::new(model(), set![echo()])
}

/// The panic that ended the run, and the results that were there.
async fn ended(agent: &Agent) -> (HostPanic, Vec<String>) {
    let error = agent.run("?").await.unwrap_err();
    let AgentError::HostPanicked { panic, run } = error else { panic!("{error:?}") };
    (*panic, texts(run.messages()))
}

const RESULT: &str = r#"{"n":1}"#;

#[tokio::test]
async fn a_rule_of_approval_that_panics_has_not_allowed_the_call() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = {
        let count = Arc::clone(&count);
        raw("echo", move |_, _| {
            count.fetch_add(1, Ordering::SeqCst);
            async { Ok(ToolOutput::new()) }
        })
    };
    let agent = Agent::new(model(), set![counted])
        .approvals(Approvals::new().rule(|request| panic!("no amount in {}", request.tool.name)))
        .observe(|event| {
            if let AgentEvent::CallFinished { failure: Some(failure), .. } = event {
                assert!(
                    failure.detail.contains("a rule of approval panicked: no amount in echo"),
                    "{failure:?}"
                );
            }
        });
    let reply = agent.run("?").await.unwrap();
    assert_eq!(reply.text, "the call was not run: its host failed; the operator has the details");
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_resolver_that_panics_fails_its_call_only() {
    let resolver = |name: &str| -> Option<Arc<dyn Tool>> { panic!("no {name}") };
    let calls = [ToolCall::new("a", "echo", json!({})), ToolCall::new("b", "other", json!({}))];
    let results = Dispatcher::new(set![echo()]).resolver(resolver).dispatch(&calls).await;
    assert_eq!(results[0].output, ToolOutput::json(json!({})));
    assert!(
        results[1].output.is_error && results[1].output.to_text().contains("its host failed"),
        "{results:?}"
    );
}

#[tokio::test]
async fn a_converter_that_panics_fails_its_call_and_shows_nothing_unconverted() {
    let rules = ToolRules::new().convert(|_| panic!("not of this form"));
    let reply = agent().rules("echo", rules).run("?").await.unwrap();
    assert_eq!(
        reply.text,
        "the tool did its work, but its result could not be prepared; its operator has the details"
    );
}

#[tokio::test]
async fn a_policy_of_errors_or_retries_that_panics_gives_the_failure_to_the_caller_or_the_model() {
    let fails = || set![raw("echo", async |_, _| Err(ToolError::failed("it is closed")))];
    let policy = ErrorPolicy::new().rule(|_, _| panic!("which?"));
    let error = Agent::new(model(), fails()).errors(policy).run("?").await.unwrap_err();
    let AgentError::Tool(failure) = &error else { panic!("{error:?}") };
    assert_eq!(failure.error.error.cause::<HostPanic>().expect("the panic").message.as_ref(), "which?");
    assert_eq!(texts(error.run().expect("the run").messages()), ["it is closed"]);

    let rules = ToolRules::new().retries(3).retry_if(|_| panic!("again?"));
    let reply = Agent::new(model(), fails()).rules("echo", rules).run("?").await.unwrap();
    assert_eq!(reply.text, "it is closed");
}

#[tokio::test]
async fn an_observer_that_panics_ends_its_run_with_all_that_was_done() {
    // Two runs share the agent; the observer panics in one of them.
    let calls = Arc::new(AtomicUsize::new(0));
    let agent = {
        let calls = Arc::clone(&calls);
        agent().observe(move |event| {
            if matches!(event, AgentEvent::CallFinished { .. }) {
                assert_ne!(calls.fetch_add(1, Ordering::SeqCst), 0, "the first one");
            }
        })
    };
    let (panic, results) = ended(&agent).await;
    assert_eq!(panic.place, "an observer");
    assert!(panic.message.contains("the first one"), "{panic}");
    assert_eq!(results, [RESULT], "the call has its result");
    assert_eq!(agent.run("?").await.unwrap().text, RESULT, "the agent is whole");
}

#[tokio::test]
async fn an_observer_that_panics_in_the_end_leaves_the_reply_in_the_run() {
    let agent = agent().observe(|event| {
        if let AgentEvent::Finished { .. } = event {
            panic!("too late")
        }
    });
    let error = agent.run("?").await.unwrap_err();
    assert!(matches!(error, AgentError::HostPanicked { .. }));
    assert_eq!(error.to_string(), "an observer panicked: too late");
    assert_eq!(error.into_run().expect("the run").reply().expect("it is over").text, RESULT);
}

#[tokio::test]
async fn rules_about_the_run_that_panic_end_it() {
    let rule = agent().stop_when(StopWhen::new(|turn| panic!("{} rounds", turn.run.rounds())));
    let (panic, results) = ended(&rule).await;
    assert_eq!(panic.to_string(), "a rule that ends turns panicked: 1 rounds");
    assert_eq!(results, [RESULT]);

    let counts = agent().history(HistoryLimit::tokens(10).counted_by(|_| panic!("how many?")));
    assert_eq!(ended(&counts).await.0.to_string(), "what limits the history panicked: how many?");

    let before = vec![
        Message::user("Hello."),
        Message::Assistant(AssistantMessage::text("Hi.")),
        Message::user("Go on."),
    ];
    let summary = HistoryLimit::messages(1).summarize(async |_| panic!("too long"));
    let error = agent().history(summary).run(before.clone()).await.unwrap_err();
    assert_eq!(error.to_string(), "what limits the history panicked: too long");
    assert_eq!(error.run().expect("the run").messages(), before, "nothing was cut");
}

#[tokio::test]
async fn a_person_who_cannot_be_asked_leaves_the_call_waiting() {
    let agent = agent().approvals(Approvals::new().ask_otherwise()).approver(async |_| panic!("no terminal"));
    let error = agent.run("?").await.unwrap_err();
    assert_eq!(error.to_string(), "the approver panicked: no terminal");
    assert_eq!(error.run().expect("the run").pending_calls().count(), 1);
}

#[tokio::test]
async fn a_checkpoint_that_panics_has_written_nothing() {
    let error = agent()
        .checkpoint(|run| -> std::future::Ready<std::io::Result<()>> {
            panic!("{} messages", run.messages().len())
        })
        .run("?")
        .await
        .unwrap_err();
    assert!(matches!(error, AgentError::Checkpoint { .. }));
    let cause = std::error::Error::source(&error).expect("the cause");
    assert_eq!(cause.to_string(), "the checkpoint panicked: 1 messages");
}

/// A model of the host's own, whose second answer panics.
struct Breaks;

impl ChatModel for Breaks {
    fn name(&self) -> &str {
        "breaks"
    }

    fn reply<'a>(&'a self, request: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(async move {
            assert!(request.messages.len() < 2, "only one answer");
            Ok(ChatReply::new(AssistantMessage::calls([ToolCall::new("a", "echo", json!({"n": 1}))])))
        })
    }
}

#[tokio::test]
async fn a_model_that_panics_loses_nothing_of_what_was_done() {
    for agent in [Agent::new(Breaks, set![echo()]), Agent::new(Breaks, set![echo()]).observe(|_| {})] {
        let (panic, results) = ended(&agent).await;
        assert_eq!((panic.place, &*panic.message), ("the model", "only one answer"));
        assert_eq!(results, [RESULT]);
    }
}

#[tokio::test]
async fn layers_whose_closures_panic_fail_the_call() {
    let layered = |layer: &dyn Fn(Arc<dyn Tool>) -> Arc<dyn Tool>| set![layer(Arc::new(echo()))];
    let cache = Cache::per(std::time::Duration::from_secs(1), |_| panic!("whose?")).scope(Scope::All);
    let augment = Augment::new().field("why", "Why.").optional().read(|_| panic!("unreadable"));
    let redact = Redact::with(|_| panic!("unclean"));
    for tools in [
        layered(&|tool| cache.layer(tool)),
        layered(&|tool| augment.layer(tool)),
        layered(&|tool| redact.layer(tool)),
    ] {
        let reply = Agent::new(model(), tools).run("?").await.unwrap();
        assert_eq!(reply.text, "the tool failed with an internal error; its operator has the details");
    }
}

/// A memory of the host's own that breaks where it is told to.
#[derive(Clone)]
struct Broken(&'static str);

impl Memory for Broken {
    fn load<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<Message>, MemoryError>> {
        Box::pin(async { if self.0 == "load" { panic!("no table") } else { Ok(Vec::new()) } })
    }

    fn append<'a>(
        &'a self,
        _: &'a str,
        _: Place,
        _: &'a [Message],
    ) -> BoxFuture<'a, Result<(), MemoryError>> {
        Box::pin(async { panic!("no disk") })
    }

    fn replace<'a>(
        &'a self,
        _: &'a str,
        _: Place,
        _: &'a [Message],
    ) -> BoxFuture<'a, Result<(), MemoryError>> {
        Box::pin(async { panic!("no disk") })
    }

    fn forget<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), MemoryError>> {
        Box::pin(async { Ok(()) })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, MemoryError>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

#[tokio::test]
async fn a_memory_that_panics_does_not_lose_the_reply() {
    let conversations =
        |place| Conversations::new(Agent::new(chat::script().text("Hi."), ToolSet::new()), Broken(place));
    let error = conversations("load").say("a", "Hello.").await.unwrap_err();
    assert!(matches!(error, Interrupted::NotLoaded(_)), "{error:?}");
    let Err(Interrupted::NotKept { reply: Some(reply), source }) =
        conversations("append").say("a", "Hello.").await
    else {
        panic!("it is kept");
    };
    assert_eq!(reply.text, "Hi.");
    assert!(source.to_string().contains("it panicked"), "{source}");
}

#[tokio::test]
async fn a_hundred_runs_of_one_agent_do_not_notice_the_panics_of_others() {
    let agent = agent().observe(|event| {
        if let AgentEvent::CallStarted { arguments, .. } = event {
            assert_eq!(arguments["n"], 1);
        }
    });
    let runs = (0..100).map(|number| {
        let agent = agent.clone().stop_when(StopWhen::new(move |_| {
            assert_ne!(number % 2, 1, "odd");
            false
        }));
        async move { agent.run("?").await }
    });
    let replies = futures_util::future::join_all(runs).await;
    for (number, reply) in replies.into_iter().enumerate() {
        match reply {
            Ok(reply) => assert_eq!((number % 2, reply.text.as_str()), (0, RESULT)),
            Err(AgentError::HostPanicked { run, .. }) => {
                assert_eq!((number % 2, texts(run.messages())), (1, vec![RESULT.to_owned()]));
            }
            Err(other) => panic!("{other:?}"),
        }
    }
}
