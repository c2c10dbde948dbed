//! Calls that wait for a person, and those that must not overtake them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use opentool_agent::{Agent, AgentError, AgentEvent, Approvals, Decision, Dispatcher, Run, ToolRules, chat};
use opentool_core::{Annotations, Origin, Tool, ToolCall, ToolDefinition, ToolOutput, ToolSet};
use serde_json::{Value, json};

use crate::fixtures::{raw, set, texts};

/// The order in which calls were run, by their ids.
#[derive(Clone, Default)]
struct Ran(Arc<Mutex<Vec<String>>>);

impl Ran {
    fn tool<F>(&self, name: &'static str, define: F) -> impl Tool + use<F>
    where
        F: FnOnce(ToolDefinition) -> ToolDefinition,
    {
        let ran = Arc::clone(&self.0);
        raw(name, move |cx, _| {
            ran.lock().unwrap().push(cx.id().unwrap_or_default().to_owned());
            async { Ok(ToolOutput::text("done")) }
        })
        .define(define)
    }

    /// An API of pets: `get` reads, `patch`, `post` and `drop` change something; `note` is the host's own.
    fn shop(&self) -> ToolSet {
        let api = |hints: Annotations| {
            move |tool: ToolDefinition| {
                tool.annotations(hints).origin(Origin::new("openapi").location("https://shop.example"))
            }
        };
        let plain = |tool: ToolDefinition| tool.origin(Origin::new("rust"));
        set![
            self.tool("get", api(Annotations::new().read_only(true))),
            self.tool("patch", api(Annotations::new().read_only(false).destructive(true))),
            self.tool("post", api(Annotations::new().read_only(false))),
            self.tool("note", plain),
        ]
    }

    fn take(&self) -> String {
        std::mem::take(&mut *self.0.lock().unwrap()).join(" ")
    }
}

/// Through JSON and back, as another process would get it.
fn elsewhere(run: Run) -> Run {
    serde_json::from_str(&serde_json::to_string(&run).unwrap()).unwrap()
}

fn suspended(result: Result<opentool_agent::Reply, AgentError>) -> Run {
    match result {
        Err(AgentError::Suspended(run)) => elsewhere(*run),
        other => panic!("not suspended: {other:?}"),
    }
}

fn waiting(run: &Run) -> String {
    run.pending_calls().map(|call| call.call_id.as_str()).collect::<Vec<_>>().join(" ")
}

/// The calls; who is asked about; what ran before anybody decided, and who waits; then each decision with what ran after.
type Case = (&'static [&'static str], &'static str, &'static str, &'static [(&'static str, &'static str)]);

#[tokio::test]
async fn calls_behind_one_that_waits_for_a_person_wait_with_it_and_run_after_it() {
    let cases: [Case; 7] = [
        (&["patch", "get"], "", "1", &[("1 yes", "1 2")]),
        (&["get", "patch", "get", "get"], "1", "2", &[("2 yes", "2 3 4")]),
        (&["patch", "get"], "", "1", &[("1 no", "2")]),
        // The policy is asked about all of them at once, so that a person sees what there is.
        (&["patch", "get", "post"], "", "1 3", &[("1 yes", "1 2"), ("3 yes", "3")]),
        (&["patch", "get", "post"], "", "1 3", &[("3 yes", ""), ("1 yes", "1 2 3")]),
        (&["post", "get", "note"], "3", "1", &[("1 yes", "1 2")]),
        (&["patch", "note", "post", "get"], "", "1 3", &[("1 all", "1 2"), ("3 yes", "3 4")]),
    ];
    for (names, first, asked, decisions) in cases {
        let ran = Ran::default();
        let model = chat::script().calls(names.iter().map(|name| (*name, json!({})))).text("ok");
        let agent = Agent::new(model.clone(), ran.shop())
            .approvals(Approvals::new().allow(["note"]).ask_unless_read_only());
        let short = |ids: &str| ids.replace("call_", "");
        let mut result = agent.run("?").await;
        assert_eq!(short(&ran.take()), first, "{names:?}");
        for (n, (decision, after)) in decisions.iter().enumerate() {
            let mut run = suspended(result);
            if n == 0 {
                assert_eq!(short(&waiting(&run)), asked, "{names:?}");
            }
            let (id, word) = decision.split_once(' ').unwrap();
            let decided = match word {
                "yes" => Decision::Allow,
                "all" => Decision::AllowTool,
                _ => Decision::deny("no"),
            };
            run.decide(&format!("call_{id}"), decided).unwrap();
            result = agent.resume(elsewhere(run)).await;
            assert_eq!(short(&ran.take()), *after, "{names:?} {decision}");
        }
        let reply = result.unwrap();
        assert_eq!((texts(&reply.messages).len(), model.asked()), (names.len(), 2), "{names:?}");
    }
}

#[tokio::test]
async fn a_rule_of_the_host_holds_while_somebody_is_asked() {
    for (answers, expected) in [(["yes", "yes"], "call_1 call_2 call_3"), (["no", "yes"], "call_2 call_3")] {
        let ran = Ran::default();
        let model = chat::script().calls(["note", "get", "post"].map(|name| (name, json!({})))).text("ok");
        let answers = Arc::new(Mutex::new(answers.into_iter()));
        let agent = Agent::new(model, ran.shop())
            .approvals(Approvals::new().ask(["note", "post"]))
            .rules("note", ToolRules::new().exclusive())
            .approver(move |_| {
                let word = answers.lock().unwrap().next();
                let decision = if word == Some("no") { Decision::deny("no") } else { Decision::Allow };
                async { Some(decision) }
            });
        assert_eq!(agent.run("?").await.unwrap().text, "ok");
        assert_eq!(ran.take(), expected);
    }
}

#[tokio::test]
async fn what_cannot_be_written_down_is_not_overtaken() {
    let ran = Ran::default();
    let writes = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&writes);
    let dispatcher = Dispatcher::new(ran.shop()).checkpoint(move |_| {
        let fails = count.fetch_add(1, Ordering::SeqCst) == 0;
        async move { if fails { Err("the disk is full") } else { Ok(()) } }
    });
    let mut run = Run::new("?");
    let calls = [ToolCall::new("a", "patch", json!({})), ToolCall::new("b", "get", json!({}))];
    run.answer(
        opentool_core::ChatReply::new(opentool_core::AssistantMessage::calls(calls)),
        dispatcher.tools(),
    )
    .unwrap();
    dispatcher.perform(&mut run).await.unwrap_err();
    assert_eq!(ran.take(), "");
    let mut run = elsewhere(run);
    dispatcher.perform(&mut run).await.unwrap();
    assert_eq!(ran.take(), "a b");
}

#[tokio::test(start_paused = true)]
async fn in_a_loop_of_ones_own_people_are_asked_one_after_the_other_while_nothing_runs() {
    let notes: Arc<Mutex<Vec<String>>> = Arc::default();
    let note = |text: String, notes: &Arc<Mutex<Vec<String>>>| notes.lock().unwrap().push(text);
    let slow = |name: &'static str| {
        let notes = Arc::clone(&notes);
        raw(name, move |cx, _| {
            let (notes, id) = (Arc::clone(&notes), cx.id().unwrap_or_default().to_owned());
            async move {
                note(format!("+{id}"), &notes);
                tokio::time::sleep(std::time::Duration::from_secs(1)).await; // the slow part
                note(format!("-{id}"), &notes);
                Ok(ToolOutput::text("done"))
            }
        })
    };
    let told = Arc::clone(&notes);
    let dispatcher = |all: bool| {
        let told = Arc::clone(&told);
        Dispatcher::new(set![slow("buy"), slow("find")]).approvals(Approvals::new().ask(["buy"])).approver(
            move |call| {
                let told = Arc::clone(&told);
                async move {
                    note(format!("?{}", call.call_id), &told);
                    tokio::time::sleep(std::time::Duration::from_secs(5)).await; // the slow part: a person
                    note(format!("!{}", call.call_id), &told);
                    Some(if all { Decision::AllowTool } else { Decision::Allow })
                }
            },
        )
    };
    let calls =
        [("a", "buy"), ("b", "find"), ("c", "buy")].map(|(id, name)| ToolCall::new(id, name, json!({})));
    let results = dispatcher(false).dispatch(&calls).await;
    assert!(results.iter().all(|result| !result.output.is_error), "{results:?}");
    let take = || std::mem::take(&mut *notes.lock().unwrap()).join(" ");
    assert_eq!(take(), "+b -b ?a !a ?c !c +a +c -a -c");
    // Who allows the tool is not asked about its other calls.
    dispatcher(true).dispatch(&calls).await;
    assert_eq!(take(), "+b -b ?a !a +a +c -a -c");
    // Two loops share one person.
    let (one, two) = (dispatcher(false), dispatcher(false).approver(|_| async { None }));
    let other = one.clone();
    drop(two);
    tokio::join!(one.dispatch(&calls[..1]), other.dispatch(&calls[2..]));
    let said = take();
    assert!(said.starts_with("?a !a "), "{said}");
    assert!(!said.contains("?a ?c"), "{said}");
}

#[tokio::test]
async fn events_of_calls_that_wait_behind_another_come_once() {
    let ran = Ran::default();
    let told: Arc<Mutex<Vec<Value>>> = Arc::default();
    let seen = Arc::clone(&told);
    let model = chat::script().calls(["patch", "get"].map(|name| (name, json!({})))).text("ok");
    let agent = Agent::new(model, ran.shop())
        .approvals(Approvals::new().ask_unless_read_only())
        .approver(|_| async { Some(Decision::Allow) })
        .observe(move |event| match event {
            AgentEvent::CallStarted { call_id, .. } => seen.lock().unwrap().push(json!(["+", call_id])),
            AgentEvent::CallFinished { call_id, .. } => seen.lock().unwrap().push(json!(["-", call_id])),
            _ => {}
        });
    agent.run("?").await.unwrap();
    let expected = [["+", "call_1"], ["-", "call_1"], ["+", "call_2"], ["-", "call_2"]];
    assert_eq!(json!(*told.lock().unwrap()), json!(expected));
}
