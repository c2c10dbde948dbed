//! Calls that need a person: what is asked, what runs meanwhile, and what another process can decide.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use opentool_agent::{
    Agent, AgentError, AgentEvent, Approvals, Decision, Dispatcher, PendingCall, Run, Step, Verdict, chat,
};
use opentool_core::{Annotations, Cancellation, Tool, ToolCall, ToolContext, ToolOutput};
use serde_json::{Value, json};

use crate::fixtures::{Raw, echo, raw, set, texts};

/// A tool that counts how often it ran.
fn counted(name: &'static str, count: &Arc<AtomicUsize>) -> impl Tool + use<> {
    let count = Arc::clone(count);
    raw(name, move |_, arguments| {
        count.fetch_add(1, Ordering::SeqCst);
        async move { Ok(ToolOutput::text(format!("{name} {}", Value::Object(arguments.into_map())))) }
    })
}

fn pending(error: &AgentError) -> Vec<PendingCall> {
    assert!(matches!(error, AgentError::Suspended(_)), "{error}");
    error.run().expect("the run").pending_calls().cloned().collect()
}

/// Through JSON and back, as another process would get it.
fn elsewhere(run: &Run) -> Run {
    serde_json::from_str(&serde_json::to_string(run).unwrap()).unwrap()
}

#[tokio::test]
async fn a_call_that_a_person_has_to_decide_suspends_the_run_and_nothing_runs_twice() {
    let (found, bought) = (Arc::default(), Arc::default());
    let model = chat::script()
        .calls([("find", json!({"n": 1})), ("buy", json!({"pet": 2})), ("find", json!({"n": 2}))])
        .text("Bought.");
    let agent = Agent::new(model.clone(), set![counted("find", &found), counted("buy", &bought)])
        .approvals(Approvals::new().ask(["buy"]));

    let error = agent.run("Buy pet 2.").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "a person has to decide about a call (`buy`); decide with `run.decide(..)` and go on: `agent.resume(run)`"
    );
    let waiting = pending(&error);
    assert_eq!(waiting.len(), 1);
    assert_eq!((waiting[0].tool.as_str(), &waiting[0].arguments["pet"]), ("buy", &json!(2)));
    assert_eq!((found.load(Ordering::SeqCst), bought.load(Ordering::SeqCst)), (2, 0), "the others ran");

    let mut run = elsewhere(&error.into_run().expect("the run"));
    assert!(matches!(run.step(), Step::Approve(calls) if calls == [&waiting[0]]));
    // Going on without a decision changes nothing.
    run = agent.resume(run).await.unwrap_err().into_run().expect("the run");
    assert_eq!(found.load(Ordering::SeqCst), 2);

    run.decide(&waiting[0].call_id, Decision::Allow).unwrap();
    assert!(run.decide(&waiting[0].call_id, Decision::deny("too late")).is_err(), "decided once");
    let reply = agent.resume(elsewhere(&run)).await.unwrap();
    assert_eq!(reply.text, "Bought.");
    assert_eq!(texts(&reply.messages), [r#"find {"n":1}"#, r#"buy {"pet":2}"#, r#"find {"n":2}"#]);
    assert_eq!((found.load(Ordering::SeqCst), bought.load(Ordering::SeqCst)), (2, 1));
    assert_eq!(model.asked(), 2);
}

#[tokio::test]
async fn a_denied_call_is_a_result_with_the_reason() {
    let bought = Arc::default();
    let model = chat::script().calls([("buy", json!({}))]).then(|request| {
        let text = chat::last_results(request).next().expect("a result").output.to_text();
        opentool_core::AssistantMessage::text(text)
    });
    let agent =
        Agent::new(model, set![counted("buy", &bought)]).approvals(Approvals::new().ask_unless_read_only());
    let mut run = agent.run("Buy.").await.unwrap_err().into_run().expect("the run");
    run.decide("call_1", Decision::deny("the budget is spent")).unwrap();
    let reply = agent.resume(run).await.unwrap();
    assert_eq!(reply.text, "the call was refused: the budget is spent");
    assert_eq!(bought.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn what_was_shown_is_what_runs() {
    // The text that the model wrote is mended; a person sees the mended arguments, and these run.
    let call = ToolCall::new("a", "functions.buy", "{pet: 2,}");
    let model = chat::script()
        .answers(opentool_core::ChatReply::new(opentool_core::AssistantMessage::calls([call])))
        .text("ok");
    let agent =
        Agent::new(model, set![counted("buy", &Arc::default())]).approvals(Approvals::new().ask(["buy"]));
    let error = agent.run("?").await.unwrap_err();
    let shown = pending(&error).remove(0);
    assert_eq!(shown.arguments["pet"], json!(2));
    assert!(!shown.changes.is_empty(), "what was mended is shown");
    let mut run = error.into_run().expect("the run");
    run.decide("a", Decision::Allow).unwrap();
    let reply = agent.resume(run).await.unwrap();
    assert_eq!(texts(&reply.messages), [r#"buy {"pet":2}"#]);
}

#[tokio::test]
async fn what_cannot_run_is_not_asked_about() {
    let model = chat::script().calls([("nobody", json!({})), ("buy", json!([]))]).text("sorry");
    let agent =
        Agent::new(model, set![counted("buy", &Arc::default())]).approvals(Approvals::new().ask_otherwise());
    assert_eq!(agent.run("?").await.unwrap().text, "sorry");
}

#[tokio::test]
async fn somebody_who_is_there_is_asked_while_the_run_waits() {
    let bought = Arc::default();
    let model = chat::script()
        .calls([("buy", json!({"n": 1})), ("buy", json!({"n": 2})), ("buy", json!({"n": 3}))])
        .text("done");
    let decisions = Arc::new(Mutex::new(vec![Decision::Allow, Decision::deny("no"), Decision::Allow]));
    let events: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&events);
    let agent = Agent::new(model, set![counted("buy", &bought)])
        .approvals(Approvals::new().ask(["buy"]))
        .approver(move |_| {
            let decision = decisions.lock().unwrap().pop();
            async move { decision }
        })
        .observe(move |event| match event {
            AgentEvent::ApprovalNeeded { pending } => {
                seen.lock().unwrap().push(format!("? {}", pending.call_id))
            }
            AgentEvent::CallDecided { call_id, .. } => seen.lock().unwrap().push(format!("! {call_id}")),
            AgentEvent::CallFinished { call_id, .. } => seen.lock().unwrap().push(format!(". {call_id}")),
            _ => {}
        });
    let reply = agent.run("?").await.unwrap();
    assert_eq!(bought.load(Ordering::SeqCst), 2);
    assert_eq!(texts(&reply.messages)[1], "the call was refused: no");
    assert_eq!(
        *events.lock().unwrap(),
        [
            "? call_1", "? call_2", "? call_3", "! call_1", "! call_2", ". call_2", "! call_3", ". call_1",
            ". call_3"
        ]
    );
}

#[tokio::test]
async fn somebody_who_does_not_answer_now_leaves_the_run_suspended() {
    let bought = Arc::default();
    let model = chat::script().calls([("buy", json!({"n": 1})), ("buy", json!({"n": 2}))]).text("done");
    let agent = Agent::new(model, set![counted("buy", &bought)])
        .approvals(Approvals::new().ask(["buy"]))
        .approver(|pending| async move { (pending.call_id == "call_1").then_some(Decision::Allow) });
    let error = agent.run("?").await.unwrap_err();
    assert_eq!(pending(&error).len(), 1);
    assert_eq!(bought.load(Ordering::SeqCst), 1, "what was allowed ran");
}

#[tokio::test]
async fn a_tool_can_be_allowed_for_the_rest_of_the_conversation() {
    let bought = Arc::default();
    let model = chat::script()
        .calls([("buy", json!({"n": 1}))])
        .calls([("buy", json!({"n": 2})), ("sell", json!({}))])
        .text("done")
        .calls([("buy", json!({"n": 3}))])
        .text("again");
    let agent = Agent::new(model, set![counted("buy", &bought), counted("sell", &Arc::default())])
        .approvals(Approvals::new().deny(["sell"]).ask(["buy"]));
    let mut conversation = agent.conversation();
    conversation.say("?").await.unwrap_err();
    conversation.decide("call_1", Decision::AllowTool).unwrap();
    assert_eq!(conversation.resume().await.unwrap().text, "done");
    assert_eq!(conversation.say("Again.").await.unwrap().text, "again");
    assert_eq!(bought.load(Ordering::SeqCst), 3);
    assert_eq!(conversation.run().allowed_tools().collect::<Vec<_>>(), ["buy"]);
}

#[tokio::test]
async fn a_tool_that_is_allowed_is_so_for_the_calls_that_wait_beside_it() {
    let both = [("buy", json!({"pet": 2})), ("sell", json!({})), ("buy", json!({"pet": 3}))];
    let (bought, sold) = (Arc::default(), Arc::default());
    let shop = |model| {
        Agent::new(model, set![counted("buy", &bought), counted("sell", &sold)])
            .approvals(Approvals::new().ask_otherwise())
    };
    let agent = shop(chat::script().calls(both.clone()).text("ok"));
    let mut run = agent.run("?").await.unwrap_err().into_run().expect("the run");
    run.decide("call_1", Decision::AllowTool).unwrap();
    let waiting: Vec<&str> = run.pending_calls().map(|call| call.call_id.as_str()).collect();
    assert_eq!(waiting, ["call_2"], "the other tool is another matter");
    run.decide("call_2", Decision::deny("")).unwrap();
    let reply = agent.resume(elsewhere(&run)).await.unwrap();
    assert_eq!(texts(&reply.messages)[2], r#"buy {"pet":3}"#);
    assert_eq!((bought.load(Ordering::SeqCst), sold.load(Ordering::SeqCst)), (2, 0));

    // Who is asked while the run waits is not asked again either.
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let agent = shop(chat::script().calls(both).text("ok")).approver(move |pending| {
        seen.lock().unwrap().push(pending.call_id);
        async { Some(Decision::AllowTool) }
    });
    agent.run("?").await.unwrap();
    assert_eq!(*asked.lock().unwrap(), ["call_1", "call_2"]);
}

#[tokio::test]
async fn what_nobody_decided_about_has_a_result_in_the_next_turn() {
    let model = chat::script().calls([("buy", json!({}))]).text("never mind");
    let agent =
        Agent::new(model, set![counted("buy", &Arc::default())]).approvals(Approvals::new().ask(["buy"]));
    let mut conversation = agent.conversation();
    conversation.say("Buy.").await.unwrap_err();
    let reply = conversation.say("Leave it.").await.unwrap();
    assert!(texts(&reply.messages)[0].contains("there is no result"));
    assert!(conversation.decide("call_1", Decision::Allow).is_err(), "it is too late");
}

fn annotated(
    name: &'static str,
    annotations: Annotations,
) -> Raw<
    impl Fn(
        opentool_core::ToolContext,
        opentool_core::Arguments,
    ) -> std::future::Ready<Result<ToolOutput, opentool_core::ToolError>>,
> {
    raw(name, |_, _| std::future::ready(Ok(ToolOutput::new()))).annotated(annotations)
}

#[tokio::test]
async fn s037_policies_go_by_hints_names_arguments_and_whatever_a_host_knows() {
    let tools = set![
        annotated("reads", Annotations::new().read_only(true)),
        annotated("destroys", Annotations::new().destructive(true)),
        // Contradicts itself: what changes nothing destroys nothing.
        annotated("both", Annotations::new().read_only(true).destructive(true)),
        annotated("silent", Annotations::new()),
    ];
    // MCP has a tool without hints be taken for destructive.
    for (kind, hints, asks) in [
        ("mcp", Annotations::new(), true),
        ("mcp", Annotations::new().destructive(false), false),
        ("mcp", Annotations::new().read_only(true), false),
        ("openapi", Annotations::new(), false),
    ] {
        let origin = opentool_core::Origin::new(kind);
        let tool = annotated("far", hints).define(|definition| definition.origin(origin));
        let dispatcher = Dispatcher::new(set![tool]).approvals(Approvals::new().ask_if_destructive());
        let result = dispatcher.call(&ToolCall::new("a", "far", json!({}))).await;
        assert_eq!(result.output.is_error, asks, "{kind} {hints:?}");
    }
    let verdicts = async |approvals: Approvals| {
        let dispatcher = Dispatcher::new(tools.clone()).approvals(approvals);
        let calls: Vec<ToolCall> = ["reads", "destroys", "both", "silent"]
            .map(|name| ToolCall::new(name, name, json!({"amount": 7})))
            .into();
        let results = dispatcher.dispatch(&calls).await;
        let verdict = |text: String| match text.as_str() {
            "" => "runs",
            "the call was refused: it needs a person's approval, and there is nobody to ask" => "asks",
            _ => "denied",
        };
        results.into_iter().map(|result| verdict(result.output.to_text())).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(Approvals::new()).await, ["runs"; 4]);
    assert_eq!(verdicts(Approvals::new().ask_unless_read_only()).await, ["runs", "asks", "runs", "asks"]);
    assert_eq!(verdicts(Approvals::new().ask_if_destructive()).await, ["runs", "asks", "runs", "runs"]);
    assert_eq!(
        verdicts(Approvals::new().deny_unless_read_only()).await,
        ["runs", "denied", "runs", "denied"]
    );
    assert_eq!(
        verdicts(Approvals::new().allow(["silent"]).deny(["reads"]).ask_otherwise()).await,
        ["denied", "asks", "asks", "runs"],
        "the first rule that speaks decides"
    );
    assert_eq!(
        verdicts(Approvals::new().ask(["reads"]).deny_otherwise()).await,
        ["asks", "denied", "denied", "denied"]
    );
    let spends = Approvals::new().rule(|request| {
        let amount = request.arguments.get("amount")?.as_i64()?;
        (amount > 5 && request.tool.name == "silent").then(|| Verdict::Ask("a lot".to_owned()))
    });
    assert_eq!(verdicts(spends).await, ["runs", "runs", "runs", "asks"]);
}

#[tokio::test]
async fn a_loop_of_ones_own_can_wait_for_people_too() {
    let model = chat::script().calls([("echo", json!({"n": 1}))]).text("done");
    let dispatcher = Dispatcher::new(set![echo()]).approvals(Approvals::new().ask_otherwise());
    let mut run = Run::new("?");
    let text = loop {
        match run.step() {
            Step::Ask(messages) => {
                let request = opentool_core::ChatRequest::new(messages, dispatcher.tools());
                let reply = opentool_core::ChatModel::reply(&model, request).await.unwrap();
                run.answer(reply, dispatcher.tools()).unwrap();
            }
            Step::Call(_) => dispatcher.perform(&mut run).await.unwrap(),
            Step::Approve(calls) => {
                let id = calls[0].call_id.clone();
                run.decide(&id, Decision::Allow).unwrap();
            }
            _ => break run.reply().expect("it is done").text,
        }
    };
    assert_eq!(text, "done");
}

/// The agent of the process that is killed and of the one that goes on. Each call of a tool leaves a line in a file.
fn shop(log: &Path, model: chat::Script) -> Agent {
    let tool = |name: &'static str| {
        let log = log.to_owned();
        raw(name, move |_, _| {
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&log).unwrap();
            writeln!(file, "{name}").unwrap();
            async { Ok(ToolOutput::text("done")) }
        })
    };
    Agent::new(model, set![tool("find"), tool("buy")]).approvals(Approvals::new().ask(["buy"]))
}

/// Not a test by itself: what the process does that [`a_suspended_run_survives_its_process`] kills.
#[tokio::test]
async fn the_process_that_is_killed() {
    let Some(place) = std::env::var_os("OPENTOOL_TEST_SUSPENDED_RUN") else { return };
    let place = Path::new(&place);
    let model = chat::script().calls([("find", json!({})), ("buy", json!({}))]);
    let error = shop(&place.join("log"), model).run("Buy.").await.unwrap_err();
    let run = serde_json::to_vec(error.run().expect("the run")).unwrap();
    std::fs::write(place.join("run.json"), run).unwrap();
    println!("\nsuspended");
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_suspended_run_survives_its_process() {
    let place = tempfile::tempdir().unwrap();
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "approvals::the_process_that_is_killed", "--nocapture"])
        .env("OPENTOOL_TEST_SUSPENDED_RUN", place.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(process.stdout.take().expect("piped"));
    assert!(output.lines().any(|line| line.unwrap() == "suspended"));
    process.kill().unwrap();
    process.wait().unwrap();

    let stored = std::fs::read(place.path().join("run.json")).unwrap();
    let mut run: Run = serde_json::from_slice(&stored).unwrap();
    let id = run.pending_calls().next().expect("a call waits").call_id.clone();
    run.decide(&id, Decision::Allow).unwrap();
    let log = place.path().join("log");
    let reply = shop(&log, chat::script().text("Bought.")).resume(run).await.unwrap();
    assert_eq!(reply.text, "Bought.");
    assert_eq!(std::fs::read_to_string(log).unwrap(), "find\nbuy\n", "each ran once");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_gives_up_does_not_wait_for_people_and_the_decision_can_still_come() {
    for cancelled in [true, false] {
        let (bought, cancellation) = (Arc::default(), Cancellation::new());
        let signal = cancellation.clone();
        let model = chat::script().calls([("buy", json!({"n": 1}))]).text("done");
        let agent = Agent::new(model, set![counted("buy", &bought)]).approvals(Approvals::new().ask(["buy"]));
        let waiting = agent
            .clone()
            .turn_timeout(Duration::from_secs(60))
            .extend_context(ToolContext::new().cancellation(cancellation))
            .approver(move |_| {
                if cancelled {
                    signal.cancel();
                }
                std::future::pending()
            });
        let error = waiting.run("?").await.unwrap_err();
        match cancelled {
            true => assert!(matches!(error, AgentError::Cancelled(_)), "{error}"),
            false => assert!(matches!(error, AgentError::TimedOut(_)), "{error}"),
        }
        let mut run = error.into_run().unwrap();
        run.decide("call_1", Decision::Allow).unwrap();
        assert_eq!(agent.resume(run).await.unwrap().text, "done");
        assert_eq!(bought.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn calls_outside_of_a_run_do_not_wait_for_people_when_the_host_gives_up() {
    for cancelled in [true, false] {
        let (bought, found, asked) = (Arc::default(), Arc::default(), Arc::new(AtomicUsize::new(0)));
        let (cancellation, count) = (Cancellation::new(), Arc::clone(&asked));
        let signal = cancellation.clone();
        let mut cx = ToolContext::new().cancellation(cancellation);
        if !cancelled {
            cx = cx.deadline(std::time::Instant::now() + Duration::from_secs(60));
        }
        let dispatcher = Dispatcher::new(set![counted("buy", &bought), counted("find", &found)])
            .approvals(Approvals::new().ask(["buy"]))
            .context(cx)
            .approver(move |_| {
                count.fetch_add(1, Ordering::SeqCst);
                if cancelled {
                    signal.cancel();
                }
                std::future::pending()
            });
        let call = |id: &str, name: &str| ToolCall::new(id, name, json!({"n": 1}));
        let calls = [call("a", "find"), call("b", "buy"), call("c", "find"), call("d", "buy")];
        let results = dispatcher.dispatch(&calls).await;
        let expected = if cancelled { "the call was cancelled" } else { "no time left" };
        for (place, result) in results.iter().enumerate() {
            let said = result.output.to_text();
            assert_eq!(result.call_id, calls[place].id);
            match place {
                0 | 2 => assert!(!result.output.is_error, "{said}"),
                _ => assert!(result.output.is_error && said.contains(expected), "{said}"),
            }
        }
        assert_eq!((bought.load(Ordering::SeqCst), found.load(Ordering::SeqCst)), (0, 2));
        assert_eq!(asked.load(Ordering::SeqCst), 1, "nobody is asked what no longer matters");
        assert!(dispatcher.call(&call("e", "buy")).await.output.is_error);
        let said = opentool_core::AssistantMessage::calls([call("f", "buy")]);
        let mut messages = vec![opentool_core::Message::user("?")];
        dispatcher.carry_out(&mut messages, opentool_core::ChatReply::new(said)).await;
        assert_eq!(messages.len(), 3);
    }
}
