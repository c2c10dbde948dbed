//! Memory: every store keeps the same promises, and a conversation goes on where it was.

mod redis_server;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use opentool_agent::chat::Script;
use opentool_agent::memory::{
    Conversations, InProcess, Interrupted, Memory, MemoryError, Place, Redis, Sqlite,
};
use opentool_agent::{Agent, AgentError, Approvals, Decision, Dispatcher, HistoryLimit, Run, chat};
use opentool_core::{
    AssistantMessage, ChatModel as _, ChatRequest, Content, Message, ModelError, ToolCall, ToolOutput,
    ToolResult, ToolSet,
};
use serde_json::json;

use crate::fixtures::{add, echo, raw, set};

/// A turn with everything that messages have.
fn turn() -> Vec<Message> {
    let call = ToolCall::new("call_1", "add", json!({"a": 1, "b": 2}));
    let output =
        ToolOutput::json(3).block(Content::image(&b"\x89PNG"[..], "image/png")).metadata("http.status", 200);
    let answer = AssistantMessage::calls([call.clone()])
        .reasoning("I add.")
        .keep("anthropic", vec![json!({"type": "thinking", "signature": "abc="})]);
    vec![
        Message::user("What is 1 + 2? \u{0} 'quoted'; -- \"ünï\""),
        Message::Assistant(answer),
        Message::Tool(ToolResult::new(&call, output)),
        Message::Assistant(AssistantMessage::text("3")),
    ]
}

/// What every store promises. `other` is a second access to the same store.
async fn keeps_its_promises(store: impl Memory, other: impl Memory) {
    assert_eq!(store.load("none").await.unwrap(), []);
    let ids = ["a", "A", "ünï'; DROP TABLE message; --", "*", "a:b [x]\\", ""];
    for id in ids {
        store.append(id, Place::End, &turn()).await.unwrap();
        assert_eq!(other.load(id).await.unwrap(), turn(), "{id:?}");
    }
    let mut sorted = ids;
    sorted.sort_unstable();
    assert_eq!(other.list().await.unwrap(), sorted);

    // Only who has seen everything may go on.
    let more = [Message::user("And 2 + 2?")];
    let error = other.append("a", Place::After(3), &more).await.unwrap_err();
    assert!(matches!(error, MemoryError::Conflict { expected: 3, found: 4 }), "{error:?}");
    let error = other.replace("a", Place::After(0), &more).await.unwrap_err();
    assert!(matches!(error, MemoryError::Conflict { expected: 0, found: 4 }), "{error:?}");
    assert_eq!(store.load("a").await.unwrap().len(), 4, "nothing was written");
    other.append("a", Place::After(4), &more).await.unwrap();
    assert_eq!(store.load("a").await.unwrap().len(), 5);
    store.replace("a", Place::After(5), &more).await.unwrap();
    assert_eq!(other.load("a").await.unwrap(), more);
    assert_eq!(other.load("A").await.unwrap().len(), 4, "others stay");

    other.forget("a").await.unwrap();
    other.forget("a").await.unwrap();
    assert_eq!(store.load("a").await.unwrap(), []);
    assert_eq!(store.list().await.unwrap().len(), 5);

    // Many writers, none lost, each turn in one piece.
    let pair = |i: usize| {
        [Message::user(format!("{i}")), Message::Assistant(AssistantMessage::text(format!("{i}")))]
    };
    let writes = (0..20).map(|i| {
        let store = if i % 2 == 0 { &store as &dyn Memory } else { &other };
        async move { store.append("many", Place::End, &pair(i)).await }
    });
    futures_util::future::try_join_all(writes).await.unwrap();
    let all = store.load("many").await.unwrap();
    assert_eq!(all.len(), 40);
    for turn in all.chunks(2) {
        let number = |message: &Message| match message {
            Message::User(blocks) => format!("{blocks:?}"),
            Message::Assistant(answer) => format!("{:?}", answer.content),
            _ => String::new(),
        };
        assert_eq!(number(&turn[0]), number(&turn[1]));
    }
}

#[tokio::test]
async fn a_memory_in_the_process_keeps_its_promises() {
    let memory = InProcess::new();
    keeps_its_promises(memory.clone(), memory).await;
}

#[tokio::test]
async fn a_memory_in_a_file_keeps_its_promises() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.db");
    let (one, two) = (Sqlite::open(&file).await.unwrap(), Sqlite::open(&file).await.unwrap());
    keeps_its_promises(one, two).await;
    let again = Sqlite::open(&file).await.unwrap();
    assert_eq!(again.load("A").await.unwrap(), turn(), "after the file was closed");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let other = folder.path().join("other.txt");
    std::fs::write(&other, "This is no database, and it is long enough to be one, says its header.").unwrap();
    assert!(matches!(Sqlite::open(&other).await, Err(MemoryError::Unavailable { .. })));
    assert!(matches!(
        Sqlite::open(folder.path().join("no/folder.db")).await,
        Err(MemoryError::Unavailable { .. })
    ));
}

#[tokio::test]
async fn a_memory_in_redis_keeps_its_promises() {
    let Some(server) = redis_server::start() else { return };
    let (one, two) = (Redis::connect(&server.url).await.unwrap(), Redis::connect(&server.url).await.unwrap());
    keeps_its_promises(one.clone().prefix("x*:"), two.prefix("x*:")).await;
    assert_eq!(one.list().await.unwrap(), Vec::<String>::new(), "another prefix is another memory");

    let short = one.clone().expire_after(Duration::from_millis(1));
    short.append("gone", Place::End, &turn()).await.unwrap();
    while !short.load("gone").await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    let error = Redis::connect("redis://user:hunter2@127.0.0.1:1/").await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
}

/// The manual's loop: what is said, each answer and the results of each round are stored one by one; afterwards a
/// question is answered from memory.
#[tokio::test]
async fn s102_a_loop_of_ones_own_with_a_memory() {
    let memory = InProcess::new();
    let dispatcher = Dispatcher::new(set![add()]);
    let model = chat::script().calls([("add", json!({"a": 6, "b": 8}))]).text("14").then(|request| {
        let asked = request.messages.iter().find_map(|message| match message {
            Message::User(blocks) => Some(format!("You asked: {blocks:?}")),
            _ => None,
        });
        AssistantMessage::text(asked.unwrap_or_default())
    });
    let id = "conversation-1";
    let ask = async |prompt: &str| {
        memory.append(id, Place::End, &[Message::user(prompt)]).await.unwrap();
        loop {
            let messages = memory.load(id).await.unwrap();
            let answer = model.reply(ChatRequest::new(&messages, dispatcher.tools())).await.unwrap().message;
            memory.append(id, Place::End, &[Message::Assistant(answer.clone())]).await.unwrap();
            if answer.tool_calls.is_empty() {
                break answer.to_text();
            }
            let results: Vec<Message> =
                dispatcher.dispatch(&answer.tool_calls).await.into_iter().map(Message::Tool).collect();
            memory.append(id, Place::End, &results).await.unwrap();
        }
    };
    assert_eq!(ask("What is 6 + 8?").await, "14");
    assert!(ask("What did I ask you earlier?").await.contains("What is 6 + 8?"));
    assert_eq!(memory.load(id).await.unwrap().len(), 6);
}

/// Says back how many messages it was given, and the first thing that a person said.
fn witness() -> Script {
    Script::always(|request| {
        let first = request.messages.iter().find_map(|message| match message {
            Message::User(blocks) => {
                Some(blocks.iter().cloned().fold(ToolOutput::new(), ToolOutput::block).to_text())
            }
            _ => None,
        });
        AssistantMessage::text(format!("{} {}", request.messages.len(), first.unwrap_or_default()))
    })
}

#[tokio::test]
async fn a_conversation_goes_on_in_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.db");
    let open = async |system: &str| {
        let agent = Agent::new(witness(), ToolSet::new()).system(system);
        Conversations::new(agent, Sqlite::open(&file).await.unwrap())
    };
    assert_eq!(open("Be brief.").await.say("ada", "I am Ada.").await.unwrap().text, "2 I am Ada.");
    let later = open("Be kind.").await;
    let reply = later.say("ada", "Who am I?").await.unwrap();
    assert_eq!(reply.text, "4 I am Ada.");
    assert_eq!(
        reply.messages[0],
        Message::system("Be kind."),
        "instructions are the agent's, not the memory's"
    );
    assert_eq!(later.memory().load("ada").await.unwrap().len(), 4);
    assert_eq!(later.say("bob", "I am Bob.").await.unwrap().text, "2 I am Bob.");
}

#[tokio::test]
async fn what_was_done_before_a_failure_is_kept() {
    let runs = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&runs);
    let order = raw("order", move |_, _| {
        count.fetch_add(1, Ordering::Relaxed);
        async { Ok(ToolOutput::text("ordered")) }
    });
    let model = chat::script()
        .calls([("order", json!({}))])
        .fails(|| ModelError::Rejected { status: 500, message: "down".into() })
        .text("It is ordered.");
    let conversations = Conversations::new(Agent::new(model, set![order]), InProcess::new());
    let error = conversations.say("1", "Order it.").await.unwrap_err();
    assert!(matches!(error, Interrupted::Agent(_)), "{error:?}");
    let kept = conversations.memory().load("1").await.unwrap();
    assert!(matches!(&kept[..], [Message::User(_), Message::Assistant(_), Message::Tool(_)]), "{kept:?}");
    assert_eq!(conversations.say("1", "Well?").await.unwrap().text, "It is ordered.");
    assert_eq!(runs.load(Ordering::Relaxed), 1, "not ordered twice");
}

#[tokio::test]
async fn turns_of_one_conversation_come_one_after_the_other() {
    let conversations = Conversations::new(Agent::new(witness(), ToolSet::new()), InProcess::new());
    let says = (0..10).map(|i| {
        let conversations = conversations.clone();
        async move { conversations.say("1", format!("{i}")).await }
    });
    let replies = futures_util::future::try_join_all(says).await.unwrap();
    let mut lengths: Vec<usize> = replies.iter().map(|reply| reply.messages.len()).collect();
    lengths.sort_unstable();
    assert_eq!(lengths, (1..=10).map(|turn| turn * 2).collect::<Vec<_>>());
}

/// Another process writes while the model thinks.
#[tokio::test]
async fn a_turn_that_somebody_else_overtook_is_not_mixed_in() {
    let memory = InProcess::new();
    let other = memory.clone();
    let slow = raw("slow", move |_, _| {
        let other = other.clone();
        async move {
            other.append("1", Place::End, &[Message::user("Me first.")]).await.unwrap();
            Ok(ToolOutput::text("done"))
        }
    });
    let model = chat::script().calls([("slow", json!({}))]).text("Done.");
    let conversations = Conversations::new(Agent::new(model, set![slow]), memory.clone());
    let error = conversations.say("1", "Go.").await.unwrap_err();
    let Interrupted::NotKept { source, reply } = error else { panic!("{error:?}") };
    assert!(matches!(*source, MemoryError::Conflict { expected: 0, found: 1 }), "{source:?}");
    assert_eq!(reply.unwrap().text, "Done.");
    assert_eq!(memory.load("1").await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_file_may_be_opened_by_many_at_once() {
    for _ in 0..40 {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("memory.db");
        let opening = (0..8).map(|_| Sqlite::open(&file));
        futures_util::future::try_join_all(opening).await.unwrap();
    }
}

/// A shop that asks before it sells, what it has sold, and its conversations, twice: as two processes have them.
fn shop(calls: usize, answers: [&str; 2]) -> (Arc<AtomicU32>, [Conversations; 2], InProcess) {
    let (sold, memory) = (Arc::new(AtomicU32::new(0)), InProcess::new());
    let of = |answer: &str| {
        let count = Arc::clone(&sold);
        let buy = raw("buy", move |_, _| {
            count.fetch_add(1, Ordering::Relaxed);
            async {
                tokio::task::yield_now().await;
                Ok(ToolOutput::text("sold"))
            }
        });
        let wanted = (0..calls).map(|n| ("buy", json!({"n": n})));
        let answer = answer.to_owned();
        let model = chat::script().calls(wanted).then(move |_| AssistantMessage::text(answer.clone()));
        let agent = Agent::new(model, set![buy]).approvals(Approvals::new().ask(["buy"]));
        Conversations::new(agent, memory.clone())
    };
    let both = [of(answers[0]), of(answers[1])];
    (sold, both, memory)
}

async fn suspended(turn: impl Future<Output = Result<opentool_agent::Reply, Interrupted>>) -> Run {
    match turn.await.unwrap_err() {
        Interrupted::Agent(error) => match *error {
            AgentError::Suspended(run) => *run,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

fn is_conflict(result: &Result<opentool_agent::Reply, Interrupted>) -> bool {
    matches!(result, Err(Interrupted::NotKept { source, .. }) if matches!(**source, MemoryError::Conflict { .. }))
}

#[tokio::test]
async fn a_call_that_was_allowed_runs_once_although_two_resume_its_run() {
    let (sold, [here, there], memory) = shop(1, ["Sold.", "Sold."]);
    let mut run = suspended(here.say("1", "Buy it.")).await;
    run.decide("call_1", Decision::Allow).unwrap();
    // Somebody has the model's script at the same place.
    let _ = there.say("2", "Buy it.").await;
    let (one, two) = tokio::join!(here.resume("1", run.clone()), there.resume("1", run.clone()));
    assert_eq!(sold.load(Ordering::Relaxed), 1);
    assert!(one.is_ok() && is_conflict(&two), "{one:?} {two:?}");
    assert!(is_conflict(&here.resume("1", run).await));
    assert_eq!(sold.load(Ordering::Relaxed), 1);
    assert_eq!(memory.load("1").await.unwrap().len(), 4);
}

#[tokio::test]
async fn a_run_that_is_suspended_again_is_resumed_from_there_only() {
    let (sold, [here, _], memory) = shop(2, ["Both sold.", ""]);
    let first = suspended(here.say("1", "Buy both.")).await;
    // Without a decision nothing happens, as often as one likes.
    let mut first = suspended(here.resume("1", first)).await;
    // The second call first: results are noted as they come.
    first.decide("call_2", Decision::Allow).unwrap();
    let mut second = suspended(here.resume("1", first.clone())).await;
    assert!(is_conflict(&here.resume("1", first).await), "it went on");
    assert_eq!(sold.load(Ordering::Relaxed), 1);
    second.decide("call_1", Decision::Allow).unwrap();
    let reply = here.resume("1", second).await.unwrap();
    assert_eq!((reply.text.as_str(), sold.load(Ordering::Relaxed)), ("Both sold.", 2));
    assert_eq!(memory.load("1").await.unwrap(), reply.messages);
}

/// An agent that summarises, and asks before it echoes.
fn forgetful(model: Script, most: usize) -> Agent {
    let limit = HistoryLimit::messages(most).summarize(async |_| Ok("much".to_owned()));
    Agent::new(model, set![echo()]).history(limit).system("Be brief.")
}

/// How many messages are kept, and whether a summary is among them.
async fn kept(memory: &InProcess) -> (usize, bool) {
    let messages = memory.load("1").await.unwrap();
    (messages.len(), format!("{messages:?}").contains("Summary of the conversation"))
}

#[tokio::test]
async fn what_is_kept_stays_whole_although_the_agent_summarises() {
    let memory = InProcess::new();
    let answers = ["a1", "a2", "a3", "a4"];
    let model = answers.into_iter().fold(chat::script(), Script::text);
    let conversations = Conversations::new(forgetful(model, 4), memory.clone());
    for question in ["q1", "q2", "q3", "q4"] {
        conversations.say("1", question).await.unwrap();
    }
    assert_eq!(kept(&memory).await, (8, false));

    // Also what is summarised within its own turn.
    let rounds = (0..8).fold(chat::script(), |model, _| model.calls([("echo", json!({}))])).text("end");
    let conversations = Conversations::new(forgetful(rounds, 6), memory.clone());
    let reply = conversations.say("1", "q5").await.unwrap();
    assert!(reply.messages.len() < 10, "{}", reply.messages.len());
    assert_eq!(kept(&memory).await, (8 + 18, false));
    let ids = memory.load("1").await.unwrap().into_iter().filter_map(|message| match message {
        Message::Tool(result) => Some(result.call_id),
        _ => None,
    });
    assert_eq!(ids.collect::<std::collections::BTreeSet<_>>().len(), 8, "each call has its own id");
}

#[tokio::test]
async fn a_run_that_was_summarised_is_resumed() {
    let memory = InProcess::new();
    let model = chat::script().text("a1").text("a2").calls([("echo", json!({}))]).text("done");
    let agent = forgetful(model, 4).approvals(Approvals::new().ask(["echo"]));
    let conversations = Conversations::new(agent, memory.clone());
    for question in ["q1", "q2"] {
        conversations.say("1", question).await.unwrap();
    }
    let run = suspended(conversations.say("1", "q3")).await;
    // As another process has it.
    let mut run: Run = serde_json::from_value(serde_json::to_value(&run).unwrap()).unwrap();
    run.decide("call_1", Decision::Allow).unwrap();
    assert_eq!(conversations.resume("1", run).await.unwrap().text, "done");
    assert_eq!(kept(&memory).await, (8, false));
}

#[tokio::test]
async fn a_run_is_resumed_once_whatever_was_decided() {
    for decision in [Decision::deny("no"), Decision::Allow] {
        let (noted, memory) = (Arc::new(AtomicU32::new(0)), InProcess::new());
        let of = |model: Script| {
            let count = Arc::clone(&noted);
            let note = raw("note", move |_, _| {
                count.fetch_add(1, Ordering::Relaxed);
                async {
                    tokio::task::yield_now().await;
                    Ok(ToolOutput::text("noted"))
                }
            });
            let agent = Agent::new(model, set![note, echo()]).approvals(Approvals::new().ask(["echo"]));
            Conversations::new(agent, memory.clone())
        };
        let mut run = suspended(of(chat::script().calls([("echo", json!({}))])).say("1", "Buy.")).await;
        run.decide("call_1", decision).unwrap();
        let goes_on = || of(chat::script().calls([("note", json!({}))]).text("end"));
        let (here, there) = (goes_on(), goes_on());
        let (one, two) = tokio::join!(here.resume("1", run.clone()), there.resume("1", run));
        assert_eq!(noted.load(Ordering::Relaxed), 1);
        assert!(one.is_ok() && is_conflict(&two), "{one:?} {two:?}");
    }
}

#[tokio::test]
async fn a_resumed_run_that_fails_can_be_resumed_again() {
    let memory = InProcess::new();
    let model = chat::script()
        .calls([("echo", json!({}))])
        .fails(|| ModelError::Rejected { status: 500, message: "down".into() })
        .text("end");
    let agent = Agent::new(model, set![echo()]).approvals(Approvals::new().ask(["echo"]));
    let conversations = Conversations::new(agent, memory);
    let mut run = suspended(conversations.say("1", "Buy.")).await;
    run.decide("call_1", Decision::deny("no")).unwrap();
    let error = conversations.resume("1", run).await.unwrap_err();
    let Interrupted::Agent(error) = error else { panic!("{error:?}") };
    let run = error.into_run().expect("the run");
    assert_eq!(conversations.resume("1", run).await.unwrap().text, "end");
}

#[tokio::test]
async fn a_tool_that_asks_its_own_conversation_is_told_at_once() {
    let slot: Arc<std::sync::OnceLock<Conversations>> = Arc::default();
    let own = Arc::clone(&slot);
    let again = raw("again", move |_, arguments| {
        let own = Arc::clone(&own);
        async move {
            let id = if arguments.is_empty() { "1" } else { "other" };
            let said = own.get().unwrap().say(id, "inner").await;
            Ok(ToolOutput::text(match said {
                Ok(reply) => reply.text,
                Err(error) => format!("{error:?}"),
            }))
        }
    });
    let model = chat::script()
        .calls([("again", json!({}))])
        .calls([("again", json!({"n": 1}))])
        .text("inner answer")
        .text("end");
    let agent = Agent::new(model, set![again]).timeout(None);
    let conversations = Conversations::new(agent, InProcess::new());
    slot.set(conversations.clone()).ok();
    let reply = conversations.say("1", "?").await.unwrap();
    let results = crate::fixtures::texts(&reply.messages);
    assert_eq!(results, ["InTurn", "inner answer"], "another conversation is another matter");
}
