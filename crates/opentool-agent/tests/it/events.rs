//! What a watcher is told, and in which order.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use opentool_agent::{Agent, AgentEvent, Approvals, Decision, Finish, Limit, Limits, Run, chat};
use opentool_core::{
    AssistantMessage, BoxFuture, ChatReply, EventSink, Failure, Progress, ToolCall, ToolContext, ToolEvent,
    ToolOutput,
};
use serde_json::{Value, json};

use crate::fixtures::raw;
use crate::fixtures::set;

#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<AgentEvent>>>);

impl Seen {
    fn watch(&self) -> impl Fn(&AgentEvent) + Send + Sync + 'static {
        let events = Arc::clone(&self.0);
        move |event| events.lock().unwrap().push(event.clone())
    }

    fn json(&self) -> Vec<Value> {
        self.0.lock().unwrap().iter().map(|event| serde_json::to_value(event).unwrap()).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn everything_is_told_in_the_order_in_which_it_happens() {
    let works = raw("works", async |cx, _| {
        cx.sent("GET https://api.example/pet/2").await;
        cx.progress(Progress::new(1.0).total(2.0).message("half")).await;
        cx.partial("first half").await;
        tokio::time::advance(Duration::from_millis(250)).await;
        Ok(ToolOutput::text("both halves").metadata("http.status", 200))
    });
    let call = ToolCall::new("a", "works", r#"{"pet": 2}"#);
    let model = chat::script()
        .answers(ChatReply::new(AssistantMessage::calls([call]).say("Let me look.")))
        .text("Here.");
    let seen = Seen::default();
    Agent::new(model, set![works]).observe(seen.watch()).run("?").await.unwrap();

    assert_eq!(
        seen.json(),
        [
            json!({"event": "round_started", "round": 1}),
            json!({"event": "text_delta", "text": "Let me look."}),
            json!({"event": "call_writing", "index": 0, "name": "works"}),
            json!({"event": "arguments_delta", "index": 0, "text": "{\"pet\": 2}"}),
            json!({"event": "text", "text": "Let me look."}),
            json!({"event": "call_started", "call_id": "a", "name": "works", "arguments": {"pet": 2}}),
            json!({"event": "call_validated", "call_id": "a", "name": "works", "arguments": {"pet": 2}}),
            json!({"event": "call_sent", "call_id": "a", "name": "works",
                   "request": "GET https://api.example/pet/2"}),
            json!({"event": "call_progress", "call_id": "a", "name": "works", "done": 1.0, "total": 2.0,
                   "message": "half"}),
            json!({"event": "call_partial", "call_id": "a", "name": "works",
                   "output": {"content": [{"type": "text", "value": "first half"}]}}),
            json!({"event": "call_finished", "call_id": "a", "name": "works",
                   "output": {"content": [{"type": "text", "value": "both halves"}],
                              "metadata": {"http.status": 200}},
                   "duration_ms": 250.0}),
            json!({"event": "round_started", "round": 2}),
            json!({"event": "text_delta", "text": "Here."}),
            json!({"event": "text", "text": "Here."}),
            json!({"event": "finished", "finish": "answered", "rounds": 2,
                   "usage": {"input_tokens": 0, "output_tokens": 0}}),
        ]
    );
}

#[tokio::test]
async fn the_operator_reads_the_cause_that_the_model_does_not() {
    let fails = raw("fails", async |_, _| {
        let cause = std::io::Error::other("password of db-7 was refused");
        Err(Failure::new("the shop is closed").source(cause).into())
    });
    let model = chat::script().calls([("fails", json!({}))]).then(|request| {
        let text = chat::last_results(request).next().expect("a result").output.to_text();
        AssistantMessage::text(text)
    });
    let seen = Seen::default();
    let reply = Agent::new(model, set![fails]).observe(seen.watch()).run("?").await.unwrap();
    assert_eq!(reply.text, "the shop is closed");

    let finished = seen.json().into_iter().find(|event| event["event"] == "call_finished").unwrap();
    assert_eq!(
        finished["failure"],
        json!({"code": "failed", "detail": "the shop is closed: password of db-7 was refused"})
    );
    assert!(!serde_json::to_string(&reply.messages).unwrap().contains("db-7"));
}

#[tokio::test]
async fn a_turn_at_its_limit_is_told_too_and_several_may_watch() {
    let model = chat::script().calls([("nothing", json!({}))]);
    let (one, two) = (Seen::default(), Seen::default());
    let agent = Agent::new(model, set![]).max_rounds(1).observe(one.watch()).observe(two.watch());
    agent.run("?").await.unwrap_err();
    let last = one.0.lock().unwrap().last().cloned();
    assert!(
        matches!(last, Some(AgentEvent::Finished { finish: Finish::RoundLimit, rounds: 1, .. })),
        "{last:?}"
    );
    assert_eq!(one.json().len(), two.json().len());
}

#[tokio::test]
async fn the_receiver_of_the_host_still_gets_what_tools_tell() {
    struct Host(Arc<Mutex<usize>>);
    impl EventSink for Host {
        fn send(&self, _: ToolEvent) -> BoxFuture<'_, ()> {
            *self.0.lock().unwrap() += 1;
            Box::pin(std::future::ready(()))
        }
    }
    let works = raw("works", async |cx, _| {
        cx.progress(1.0).await;
        cx.sent("GET https://api.example/").await;
        Ok(ToolOutput::new())
    });
    let count = Arc::new(Mutex::new(0));
    let model = chat::script().calls([("works", json!({}))]).text("ok");
    Agent::new(model, set![works])
        .context(ToolContext::new().events(Host(Arc::clone(&count))))
        .observe(|_| {})
        .run("?")
        .await
        .unwrap();
    assert_eq!(*count.lock().unwrap(), 2);
}

/// The events of calls, each as what happened to which call, and why it failed.
fn of_calls(events: &[Value]) -> Vec<String> {
    let calls = events.iter().filter(|event| event["call_id"].is_string());
    calls
        .filter(|event| !["call_validated", "approval_needed"].contains(&event["event"].as_str().unwrap()))
        .map(|event| {
            let failure = event["failure"]["code"].as_str().unwrap_or_default();
            format!("{} {} {failure}", event["event"].as_str().unwrap(), event["call_id"].as_str().unwrap())
        })
        .collect()
}

#[tokio::test]
async fn what_a_limit_refuses_is_told_as_every_call_that_failed() {
    let model = || chat::script().calls([("echo", json!({})), ("echo", json!({}))]).text("ok");
    let agent = |seen: &Seen| {
        let limits = Limits::new().identical(Limit::tell(1));
        Agent::new(model(), set![crate::fixtures::echo()]).limits(limits).observe(seen.watch())
    };
    let called = Seen::default();
    agent(&called).run("?").await.unwrap();
    let events = called.json();
    assert_eq!(
        of_calls(&events),
        ["call_finished call_2 limit_reached", "call_started call_1 ", "call_finished call_1 "]
    );
    let refused = events.iter().find(|event| !event["failure"].is_null()).unwrap();
    assert!(refused["output"].to_string().contains("in a row with the same arguments"), "{refused}");

    // The same where the turn is a stream, and where the call is the last one of the turn.
    let streamed = Seen::default();
    let mut stream = agent(&streamed).limits(Limits::new().calls(1)).stream("?");
    let mut came = Vec::new();
    while let Some(event) = stream.next().await {
        came.extend(event.ok().map(|event| serde_json::to_value(event).unwrap()));
    }
    assert_eq!(
        of_calls(&came).iter().filter(|event| event.ends_with("limit_reached")).count(),
        1,
        "{came:?}"
    );
    assert_eq!(of_calls(&came), of_calls(&streamed.json()));
}

#[tokio::test]
async fn what_a_person_denies_is_told_once_whoever_decided() {
    let model = || chat::script().calls([("echo", json!({}))]).text("ok");
    let expected = ["call_decided call_1 ", "call_finished call_1 refused"];
    let denied = || Decision::deny("not today");
    let agent = |seen: &Seen| {
        Agent::new(model(), set![crate::fixtures::echo()])
            .approvals(Approvals::new().ask_otherwise())
            .observe(seen.watch())
    };

    let asked = Seen::default();
    agent(&asked).approver(move |_| async move { Some(denied()) }).run("?").await.unwrap();
    assert_eq!(of_calls(&asked.json()), expected);

    let conversed = Seen::default();
    let mut conversation = agent(&conversed).conversation();
    conversation.say("?").await.unwrap_err();
    conversation.decide("call_1", denied()).unwrap();
    assert_eq!(of_calls(&conversed.json()), expected);
    conversation.resume().await.unwrap();
    assert_eq!(of_calls(&conversed.json()), expected, "and not again");

    // Another process decided, which had nobody who watches.
    let elsewhere = Seen::default();
    let agent = agent(&elsewhere);
    let mut run = agent.run("?").await.unwrap_err().into_run().unwrap();
    run.decide("call_1", denied()).unwrap();
    let run: Run = serde_json::from_value(serde_json::to_value(&run).unwrap()).unwrap();
    agent.resume(run).await.unwrap();
    assert_eq!(of_calls(&elsewhere.json()), &expected[1..]);
}
