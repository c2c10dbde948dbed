//! Models that never stop calling, and hosts that stop them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use opentool_agent::{Agent, AgentError, Exceeded, Finish, Limit, Limits, Prices, StopWhen, chat};
use opentool_core::{AssistantMessage, ChatReply, ToolCall, ToolOutput, Usage};
use serde_json::json;

use crate::fixtures::{echo, raw, set, texts};

/// A model that calls for ever, each time with other arguments.
fn tireless(tool: &'static str, at_once: usize) -> chat::Script {
    let count = AtomicUsize::new(0);
    chat::Script::always(move |_| {
        AssistantMessage::calls((0..at_once).map(|_| {
            let n = count.fetch_add(1, Ordering::SeqCst);
            ToolCall::new("", tool, json!({"n": n}))
        }))
    })
}

#[tokio::test]
async fn calls_of_one_tool_and_of_a_turn_are_limited_and_the_work_is_kept() {
    let agent = Agent::new(tireless("echo", 30), set![echo()]);
    let error = agent.run("?").await.unwrap_err();
    assert!(matches!(error, AgentError::CallLimit(_)), "{error}");
    assert_eq!(
        error.to_string(),
        "the limit of 40 calls of `echo` in one turn is reached; no further call of it is run in this turn; allow \
         more with `limits`, or go on: `agent.resume(run)`"
    );
    let run = error.into_run().expect("the run");
    assert_eq!(run.exceeded(), Some(&Exceeded::CallsOfTool { tool: "echo".to_owned(), most: 40 }));
    assert_eq!((run.rounds(), run.calls()), (2, 40));
    let texts = texts(run.messages());
    assert_eq!(texts.len(), 60, "every call has its result");
    assert_eq!(texts[39], r#"{"n":39}"#);
    assert!(texts[40].contains("limit of 40 calls"), "{}", texts[40]);

    // Whoever goes on means it: the count begins again.
    let run = agent.resume(run).await.unwrap_err().into_run().expect("the run");
    assert_eq!(run.calls(), 40);

    let wide = Limits::new().calls_per_tool(Limit::none()).rounds(1_000);
    let error = agent.clone().limits(wide).run("?").await.unwrap_err();
    assert_eq!(error.run().and_then(|run| run.exceeded()), Some(&Exceeded::Calls { most: 150 }));
}

#[tokio::test]
async fn a_limit_can_be_told_to_the_model_which_then_does_without() {
    let model = chat::script()
        .calls([("echo", json!({"n": 1})), ("echo", json!({"n": 2}))])
        .calls([("echo", json!({"n": 3}))])
        .text("I did what I could.");
    let limits = Limits::new().calls_of("echo", Limit::tell(1));
    let reply = Agent::new(model, set![echo()]).limits(limits).run("?").await.unwrap();
    assert_eq!((reply.finish, reply.text.as_str()), (Finish::Answered, "I did what I could."));
    let texts = texts(&reply.messages);
    assert_eq!(texts[0], r#"{"n":1}"#);
    assert!(texts[1].contains("limit of 1 calls of `echo`") && texts[2] == texts[1], "{texts:?}");
}

#[tokio::test]
async fn a_limit_counts_the_calls_of_a_tool_however_its_name_is_written() {
    let none = || json!({});
    let names = [("echo", none()), ("Echo", none()), ("functions.echo", none()), ("\"ECHO\"", none())];
    let model = chat::script().calls(names.clone()).text("Well.");
    let limits = Limits::new().calls_of("echo", Limit::tell(1));
    let reply = Agent::new(model, set![echo()]).limits(limits).run("?").await.unwrap();
    let told = texts(&reply.messages);
    assert_eq!(told[0], "{}");
    assert!(told[1..].iter().all(|text| text.contains("limit of 1 calls of `echo`")), "{told:?}");

    let alike = Limits::new().identical(Limit::tell(1));
    let model = chat::script().calls(names).text("Well.");
    let reply = Agent::new(model, set![echo()]).limits(alike).run("?").await.unwrap();
    assert!(texts(&reply.messages)[1..].iter().all(|text| text.contains("in a row")));
}

#[tokio::test]
async fn the_same_call_again_and_again_is_told_to_the_model_and_can_end_the_turn() {
    let stuck =
        || chat::Script::always(|_| AssistantMessage::calls([ToolCall::new("", "echo", json!({"n": 1}))]));
    let ran = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ran);
    let counts = raw("echo", move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(ToolOutput::new()) }
    });
    let agent = Agent::new(stuck(), set![counts]);
    let error = agent.run("?").await.unwrap_err();
    assert!(matches!(error, AgentError::RoundLimit(_)), "{error}");
    assert_eq!(ran.load(Ordering::SeqCst), 8, "the ninth in a row is refused");
    let told = texts(error.run().expect("the run").messages()).pop().expect("a result");
    assert!(told.contains("8 times in a row with the same arguments"), "{told}");

    let strict = Limits::new().identical(Limit::stop(2));
    let error = Agent::new(stuck(), set![echo()]).limits(strict).run("?").await.unwrap_err();
    let most = error.run().and_then(|run| run.exceeded()).cloned();
    assert_eq!(most, Some(Exceeded::Identical { tool: "echo".to_owned(), most: 2 }));
}

#[tokio::test]
async fn another_call_in_between_begins_the_count_of_identical_ones_anew() {
    let one = || ("echo", json!({"n": 1}));
    let model =
        chat::script().calls([one(), one()]).calls([("echo", json!({"n": 2})), one(), one()]).text("ok");
    let limits = Limits::new().identical(Limit::stop(2));
    assert_eq!(Agent::new(model, set![echo()]).limits(limits).run("?").await.unwrap().text, "ok");
}

#[tokio::test]
async fn the_same_calls_together_again_and_again_are_told_too() {
    let pair = |n: usize| {
        let [a, b] = [1, 2].map(|n| ToolCall::new("", "echo", json!({"n": n})));
        // In whatever order.
        AssistantMessage::calls(if n.is_multiple_of(2) { [a, b] } else { [b, a] })
    };
    let stuck = || {
        let round = AtomicUsize::new(0);
        chat::Script::always(move |_| pair(round.fetch_add(1, Ordering::SeqCst)))
    };
    let strict = Limits::new().identical(Limit::stop(2));
    let error = Agent::new(stuck(), set![echo()]).limits(strict).run("?").await.unwrap_err();
    let run = error.run().expect("the run");
    assert_eq!((run.exceeded(), run.calls()), (Some(&Exceeded::IdenticalAnswers { most: 2 }), 4));
    let told = texts(run.messages());
    assert_eq!(told[..4].iter().filter(|text| text.contains("limit")).count(), 0);
    assert!(told[4..].iter().all(|text| text.contains("together 2 times in a row")), "{told:?}");

    let error = Agent::new(stuck(), set![echo()]).run("?").await.unwrap_err();
    let AgentError::RoundLimit(run) = error else { panic!("{error}") };
    assert_eq!(run.calls(), 16, "eight times two; then the model is told");

    // Another answer in between begins the count anew; so does a single call.
    let [a, b, c] = [1, 2, 3].map(|n| ("echo", json!({"n": n})));
    let both = || [a.clone(), b.clone()];
    let model = chat::script().calls(both()).calls([c]).calls(both()).text("ok");
    let limits = Limits::new().identical(Limit::stop(1));
    assert_eq!(Agent::new(model, set![echo()]).limits(limits).run("?").await.unwrap().text, "ok");
}

#[tokio::test]
async fn a_rule_about_a_tool_holds_however_the_model_writes_its_name() {
    for name in ["echo", "Echo", "functions.echo"] {
        let model = chat::script().calls([(name, json!({}))]);
        let agent = Agent::new(model, set![echo()]).stop_when(StopWhen::tool_called("echo"));
        assert_eq!(agent.run("?").await.unwrap().finish, Finish::Stopped, "{name}");
    }
}

#[tokio::test]
async fn limits_count_through_a_run_that_is_stored() {
    let model = chat::script()
        .calls([("echo", json!({"n": 1}))])
        .fails(|| opentool_core::ModelError::Protocol("?".into()))
        .calls([("echo", json!({"n": 2}))]);
    let agent = Agent::new(model, set![echo()]).limits(Limits::new().calls(1));
    let run = agent.run("?").await.unwrap_err().into_run().expect("the run");
    let run = serde_json::from_str(&serde_json::to_string(&run).unwrap()).unwrap();
    let error = agent.resume(run).await.unwrap_err();
    assert_eq!(error.run().and_then(|run| run.exceeded()), Some(&Exceeded::Calls { most: 1 }));
}

/// How many rounds a turn takes that a rule ends.
async fn rounds_until(rule: StopWhen) -> u32 {
    let model = chat::Script::always(|request| {
        let n = request.messages.len();
        let tool = if n > 4 { "second" } else { "first" };
        AssistantMessage::calls([ToolCall::new("", tool, json!({"n": n}))]).say(format!("message {n}"))
    });
    let slow = |name| {
        raw(name, async |_, _| {
            tokio::time::advance(Duration::from_secs(10)).await;
            Ok(ToolOutput::text("ok"))
        })
    };
    let reply =
        Agent::new(Metered(model), set![slow("first"), slow("second")]).stop_when(rule).run("?").await;
    let reply = reply.unwrap();
    assert_eq!(reply.finish, Finish::Stopped);
    assert_eq!(
        texts(&reply.messages).len() as u32,
        reply.rounds,
        "the calls of the last answer have results"
    );
    reply.rounds
}

/// A model whose answers cost 100 tokens.
struct Metered(chat::Script);

impl opentool_core::ChatModel for Metered {
    fn name(&self) -> &'static str {
        "metered"
    }

    fn reply<'a>(
        &'a self,
        request: opentool_core::ChatRequest<'a>,
    ) -> opentool_core::BoxFuture<'a, Result<ChatReply, opentool_core::ModelError>> {
        Box::pin(async move { Ok(self.0.reply(request).await?.usage(Usage::new(90, 10).cached(80))) })
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_ends_a_turn_by_its_own_rules() {
    assert_eq!(rounds_until(StopWhen::rounds(2)).await, 2);
    assert_eq!(rounds_until(StopWhen::tool_called("second")).await, 3);
    assert_eq!(rounds_until(StopWhen::text_contains("message 3")).await, 2);
    assert_eq!(rounds_until(StopWhen::tokens(250)).await, 3);
    assert_eq!(rounds_until(StopWhen::elapsed(Duration::from_secs(40))).await, 4);
    // 10 read at 1, 80 from the cache at 0.1, 10 written at 10: 118 a round, per million.
    let prices = Prices::per_million(1.0, 10.0).cached(0.1).cache_write(2.0);
    assert_eq!(rounds_until(StopWhen::cost(0.000_2, prices)).await, 2);
    assert_eq!(rounds_until(StopWhen::new(|turn| turn.run.calls() == 5)).await, 5);
    assert_eq!(rounds_until(StopWhen::rounds(9).or(StopWhen::rounds(3))).await, 3);
}

#[tokio::test]
async fn a_turn_that_a_rule_ended_can_go_on() {
    let model = chat::script().calls([("echo", json!({}))]).calls([("echo", json!({"n": 1}))]).text("ok");
    let agent = Agent::new(model, set![echo()]).stop_when(StopWhen::rounds(1));
    let mut conversation = agent.conversation();
    assert_eq!(conversation.say("?").await.unwrap().finish, Finish::Stopped);
    assert_eq!(conversation.resume().await.unwrap().finish, Finish::Stopped);
    assert_eq!(conversation.resume().await.unwrap().text, "ok");
}

#[tokio::test(start_paused = true)]
async fn a_turn_as_a_whole_has_a_time_limit() {
    let hangs = raw("hangs", async |_, _| std::future::pending().await);
    let model = chat::script().calls([("hangs", json!({})), ("echo", json!({}))]).text("too late");
    let agent = Agent::new(model.clone(), set![hangs, echo()]).turn_timeout(Duration::from_secs(5));
    let started = tokio::time::Instant::now();
    let error = agent.run("?").await.unwrap_err();
    assert!(matches!(error, AgentError::TimedOut(_)), "{error}");
    assert_eq!(started.elapsed(), Duration::from_secs(5));
    assert_eq!(texts(error.run().expect("the run").messages())[1], "{}");
    assert_eq!(model.asked(), 1);
}
