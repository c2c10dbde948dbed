//! Runs whose process died, or whose future was dropped, while a call was under way: what is written down, and what
//! becomes of the call.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use opentool_agent::{
    Agent, AgentError, Approvals, Decision, Dispatcher, ErrorClass, ErrorPolicy, OnError, OnInterrupted,
    PerformError, Run, Step, ToolRules, chat,
};
use opentool_core::{
    Annotations, AssistantMessage, ChatReply, Message, Tool, ToolCall, ToolError, ToolOutput, ToolSet,
};
use serde_json::json;

use crate::fixtures::{echo, raw, set, texts};

const INTERRUPTED: &str = "the call was interrupted, and whether it did its work is not known; it was not made again: \
                           find out how things stand before you call it once more";

/// Through JSON and back, as another process would get it.
fn elsewhere(run: &Run) -> Run {
    serde_json::from_str(&serde_json::to_string(run).unwrap()).unwrap()
}

fn counted(name: &'static str, hints: Annotations, count: &Arc<AtomicUsize>) -> impl Tool + use<> {
    let count = Arc::clone(count);
    let tool = raw(name, move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(ToolOutput::text("done")) }
    });
    tool.annotated(hints)
}

/// A run of another process that died after the call of `buy` had begun.
fn died(tools: &ToolSet) -> Run {
    died_in("buy", tools)
}

/// The same, where the model wrote the name so.
fn died_in(name: &str, tools: &ToolSet) -> Run {
    let mut run = Run::new("Buy it.");
    let call = ToolCall::new("a", name, json!({"pet": 2}));
    run.answer(ChatReply::new(AssistantMessage::calls([call])), tools).unwrap();
    run.begin("a").unwrap();
    elsewhere(&run)
}

#[tokio::test]
async fn a_call_that_had_begun_is_not_made_again_as_if_nothing_had_been() {
    let again = Annotations::new;
    for (hints, rule, runs) in [
        (again(), None, 0),
        (again().destructive(false), None, 0),
        (again().read_only(true), None, 1),
        (again().idempotent(true), None, 1),
        (again(), Some(OnInterrupted::Again), 1),
        (again().read_only(true), Some(OnInterrupted::Tell), 0),
    ] {
        let count = Arc::default();
        let tools = set![counted("buy", hints, &count)];
        let mut agent = Agent::new(chat::script().text("ok"), tools.clone());
        if let Some(rule) = rule {
            agent = agent.rules("buy", ToolRules::new().on_interrupted(rule));
        }
        let reply = agent.resume(died(&tools)).await.unwrap();
        assert_eq!(count.load(Ordering::SeqCst), runs, "{hints:?} {rule:?}");
        assert_eq!(texts(&reply.messages), [if runs == 1 { "done" } else { INTERRUPTED }]);
        let Message::Tool(result) = &reply.messages[2] else { panic!("{:?}", reply.messages) };
        assert_eq!(result.output.is_error, runs == 0);
    }
}

#[tokio::test]
async fn what_is_said_about_a_tool_holds_however_the_model_wrote_its_name() {
    for (rule, general, runs) in
        [(OnInterrupted::Tell, OnInterrupted::Again, 0), (OnInterrupted::Again, OnInterrupted::Tell, 1)]
    {
        let count = Arc::default();
        let tools = set![counted("buy", Annotations::new(), &count)];
        let agent = Agent::new(chat::script().text("ok"), tools.clone())
            .on_interrupted(general)
            .rules("buy", ToolRules::new().on_interrupted(rule));
        agent.resume(died_in("Buy", &tools)).await.unwrap();
        assert_eq!(count.load(Ordering::SeqCst), runs, "{rule:?}");
    }
}

/// A run that dies again and again in the middle of the same call.
#[tokio::test]
async fn a_call_that_was_interrupted_twice_is_asked_about_twice() {
    let count = Arc::default();
    let tools = set![counted("buy", Annotations::new(), &count)];
    let agent = Agent::new(chat::script().text("ok"), tools.clone()).on_interrupted(OnInterrupted::Ask);
    let mut run = died(&tools);
    for _ in 0..3 {
        let suspended = agent.resume(run).await.unwrap_err();
        run = suspended.into_run().expect("it waits for a person");
        run.decide("a", Decision::Allow).unwrap();
        assert!(run.decide("a", Decision::Allow).is_err(), "a decision is made once");
        run.begin("a").unwrap();
        run = elsewhere(&run);
        assert_eq!(count.load(Ordering::SeqCst), 0, "what was allowed before does not hold any more");
    }
    let mut run = agent.resume(run).await.unwrap_err().into_run().unwrap();
    run.decide("a", Decision::Allow).unwrap();
    agent.resume(elsewhere(&run)).await.unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn what_nobody_knows_is_an_error_of_its_own_kind() {
    let count = Arc::default();
    let tools = set![counted("buy", Annotations::new(), &count)];
    let agent = Agent::new(chat::script().text("never"), tools.clone())
        .errors(ErrorPolicy::new().on(ErrorClass::Interrupted, OnError::Raise));
    let error = agent.resume(died(&tools)).await.unwrap_err();
    let AgentError::Tool(failure) = &error else { panic!("{error:?}") };
    assert!(matches!(failure.error.error, ToolError::Interrupted), "{error}");
    let run = error.into_run().expect("the run");
    let Message::Tool(result) = &run.messages()[2] else { panic!("{:?}", run.messages()) };
    assert_eq!(result.output.metadata["error.code"], "interrupted");
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_person_can_decide_whether_an_interrupted_call_is_made_again() {
    let count = Arc::default();
    let tools = set![counted("buy", Annotations::new(), &count)];
    let agent =
        Agent::new(chat::script().text("ok").text("ok"), tools.clone()).on_interrupted(OnInterrupted::Ask);
    let suspended = async || agent.resume(died(&tools)).await.unwrap_err().into_run().expect("the run");

    let mut run = elsewhere(&suspended().await);
    let pending = run.pending_calls().next().expect("a call waits").clone();
    assert_eq!((pending.tool.as_str(), &pending.arguments["pet"]), ("buy", &json!(2)));
    assert!(pending.reason.contains("may have done its work"), "{}", pending.reason);
    run.decide("a", Decision::Allow).unwrap();
    assert_eq!(texts(&agent.resume(run).await.unwrap().messages), ["done"]);
    assert_eq!(count.load(Ordering::SeqCst), 1);

    let mut run = suspended().await;
    run.decide("a", Decision::deny("it is in the bank's list")).unwrap();
    let reply = agent.resume(run).await.unwrap();
    assert_eq!(texts(&reply.messages), ["the call was refused: it is in the bank's list"]);
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn what_a_person_allowed_before_is_asked_about_again() {
    let count = Arc::default();
    let tools = set![counted("buy", Annotations::new(), &count)];
    let agent = Agent::new(chat::script().calls([("buy", json!({}))]), tools)
        .approvals(Approvals::new().ask(["buy"]))
        .on_interrupted(OnInterrupted::Ask);
    let mut run = agent.run("?").await.unwrap_err().into_run().expect("the run");
    assert!(run.begin("call_1").is_err(), "it waits for a person");
    run.decide("call_1", Decision::Allow).unwrap();
    run.begin("call_1").unwrap();
    let run = agent.resume(elsewhere(&run)).await.unwrap_err().into_run().expect("the run");
    assert_eq!(run.pending_calls().count(), 1);
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

#[test]
fn only_a_call_that_is_asked_for_can_begin() {
    let tools = set![echo()];
    let mut run = Run::new("?");
    let before = run.clone();
    assert_eq!(
        run.begin("a").unwrap_err().to_string(),
        "the run did not ask for the beginning of the call `a`; it needs an answer of the model"
    );
    assert_eq!(run, before);
    let mut run = died(&tools);
    assert_eq!(run.begun_calls().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["buy"]);
    run.say("Never mind.");
    assert_eq!(run.begun_calls().count(), 0);
    assert!(matches!(run.step(), Step::Ask(_)));
}

/// A tool of a dropped turn is in the same place as one of a process that died.
#[tokio::test]
async fn a_call_that_was_dropped_is_not_made_again_either() {
    let begun = Arc::new(tokio::sync::Notify::new());
    let count = Arc::new(AtomicUsize::new(0));
    let transfer = {
        let (begun, count) = (Arc::clone(&begun), Arc::clone(&count));
        raw("transfer", move |_, _| {
            count.fetch_add(1, Ordering::SeqCst);
            begun.notify_one();
            std::future::pending()
        })
    };
    let model = chat::script().calls([("transfer", json!({}))]).text("I do not know.");
    let mut conversation = Agent::new(model, set![transfer]).conversation();
    tokio::select! {
        _ = conversation.say("?") => panic!("it hangs"),
        () = begun.notified() => {}
    }
    let reply = conversation.resume().await.unwrap();
    assert_eq!(texts(&reply.messages), [INTERRUPTED]);
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

/// What a checkpoint was given: calls that had begun, results that were there, messages.
type Written = Arc<Mutex<Vec<(usize, usize, usize)>>>;

/// Writes into the list, and fails from the given write on.
fn written(
    list: &Written,
    fails_at: usize,
) -> impl Fn(&Run) -> std::future::Ready<std::io::Result<()>> + use<> {
    let list = Arc::clone(list);
    move |run| {
        let mut list = list.lock().unwrap();
        if list.len() >= fails_at {
            return std::future::ready(Err(std::io::Error::other("the disk is full")));
        }
        list.push((run.begun_calls().count(), run.results().len(), run.messages().len()));
        std::future::ready(Ok(()))
    }
}

#[tokio::test]
async fn every_step_is_written_down_before_the_next_one() {
    let list = Written::default();
    let seen = Arc::clone(&list);
    let look = raw("look", move |_, _| {
        let last = seen.lock().unwrap().last().copied();
        async move { Ok(ToolOutput::text(format!("{last:?}"))) }
    });
    let model = chat::script().calls([("look", json!({}))]).text("Bye.");
    let agent = Agent::new(model, set![look]).checkpoint(written(&list, usize::MAX));
    let reply = agent.run("?").await.unwrap();
    assert_eq!(
        texts(&reply.messages),
        ["Some((1, 0, 2))"],
        "that the call begins was written before it began"
    );
    // The question, the wish for a call, its beginning, its result, the answer.
    assert_eq!(*list.lock().unwrap(), [(0, 0, 1), (0, 0, 2), (1, 0, 2), (0, 0, 3), (0, 0, 4)]);
}

#[tokio::test]
async fn nothing_begins_that_could_not_be_written_down() {
    let (list, count) = (Written::default(), Arc::default());
    let tools = set![counted("buy", Annotations::new(), &count)];
    let model = chat::script().calls([("buy", json!({})), ("buy", json!({}))]).text("ok");
    let agent = Agent::new(model, tools);

    // The disk is full when the second call begins.
    let error = agent.clone().concurrency(1).checkpoint(written(&list, 4)).run("?").await.unwrap_err();
    assert!(matches!(error, AgentError::Checkpoint { .. }), "{error:?}");
    assert_eq!(error.to_string(), "the run could not be written down, and goes no further");
    assert_eq!(std::error::Error::source(&error).expect("the cause").to_string(), "the disk is full");
    assert_eq!(count.load(Ordering::SeqCst), 1, "the second one did not begin");
    let run = error.into_run().expect("the run");
    assert_eq!((run.results().len(), run.begun_calls().count()), (1, 0));

    let reply = agent.resume(elsewhere(&run)).await.unwrap();
    assert_eq!((reply.text.as_str(), count.load(Ordering::SeqCst)), ("ok", 2), "once each");
}

#[tokio::test]
async fn a_result_that_could_not_be_written_down_is_in_the_run_all_the_same() {
    let (list, count) = (Written::default(), Arc::default());
    let dispatcher =
        Dispatcher::new(set![counted("buy", Annotations::new(), &count)]).checkpoint(written(&list, 1));
    let mut run = Run::new("?");
    let call = ToolCall::new("a", "buy", json!({}));
    run.answer(ChatReply::new(AssistantMessage::calls([call])), dispatcher.tools()).unwrap();
    let error = dispatcher.perform(&mut run).await.unwrap_err();
    assert!(matches!(error, PerformError::Checkpoint(_)), "{error:?}");
    assert_eq!(texts(run.messages()), ["done"]);
}

/// The agent of the process that is killed and of the one that goes on. Each call of a tool leaves a line in a file; all
/// but `rate` hang the first time.
fn bank(place: &Path, model: chat::Script) -> Agent {
    let tool = |name: &'static str, hints: Annotations| {
        let log = place.join("log");
        let tool = raw(name, move |_, _| {
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&log).unwrap();
            writeln!(file, "{name}").unwrap();
            let first =
                std::fs::read_to_string(&log).unwrap().lines().filter(|line| *line == name).count() == 1;
            async move {
                if first && name != "rate" {
                    println!("\nin the call of {name}");
                    std::future::pending::<()>().await;
                }
                Ok(ToolOutput::text(format!("{name}: done")))
            }
        });
        tool.annotated(hints)
    };
    let read_only = Annotations::new().read_only(true);
    Agent::new(
        model,
        set![tool("rate", read_only), tool("transfer", Annotations::new()), tool("balance", read_only)],
    )
}

/// Not a test by itself: what the process does that [`a_run_survives_a_process_that_dies_in_mid_call`] kills.
#[tokio::test]
async fn the_process_that_is_killed_in_mid_call() {
    let Some(place) = std::env::var_os("OPENTOOL_TEST_INTERRUPTED_RUN") else { return };
    let place = Path::new(&place).to_owned();
    let model = chat::script().calls(["rate", "transfer", "balance"].map(|name| (name, json!({}))));
    let agent = bank(&place, model).checkpoint(move |run| {
        let (json, place) = (serde_json::to_vec(run), place.clone());
        let counts = format!("written {} {}", run.results().len(), run.begun_calls().count());
        async move {
            std::fs::write(place.join("run.new"), json?)?;
            std::fs::rename(place.join("run.new"), place.join("run.json"))?;
            println!("\n{counts}");
            std::io::Result::Ok(())
        }
    });
    let _ = agent.run("Transfer 100 euros.").await;
}

#[tokio::test]
async fn a_run_survives_a_process_that_dies_in_mid_call() {
    let place = tempfile::tempdir().unwrap();
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "interrupted::the_process_that_is_killed_in_mid_call", "--nocapture"])
        .env("OPENTOOL_TEST_INTERRUPTED_RUN", place.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut awaited = vec!["written 1 2", "in the call of transfer", "in the call of balance"];
    for line in BufReader::new(process.stdout.take().expect("piped")).lines() {
        let line = line.unwrap();
        awaited.retain(|wanted| *wanted != line);
        if awaited.is_empty() {
            break;
        }
    }
    assert_eq!(awaited, <[&str; 0]>::default());
    // SIGKILL: nothing of it can tidy up.
    process.kill().unwrap();
    process.wait().unwrap();

    let run: Run = serde_json::from_slice(&std::fs::read(place.path().join("run.json")).unwrap()).unwrap();
    assert_eq!(run.begun_calls().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["transfer", "balance"]);
    let agent = bank(place.path(), chat::script().text("I do not know whether it was transferred."));
    let reply = agent.resume(run).await.unwrap();
    assert_eq!(texts(&reply.messages), ["rate: done", INTERRUPTED, "balance: done"]);
    let log = std::fs::read_to_string(place.path().join("log")).unwrap();
    assert_eq!(
        log, "rate\ntransfer\nbalance\nbalance\n",
        "the transfer was made once, whatever became of it"
    );
}
