//! S92 to S103 and S114 to S122: who runs calls, the agent or a loop of one's own, and how tools are found.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use opentool_agent::{
    Agent, AgentError, AgentEvent, Approvals, Dispatcher, Run, Step, StopWhen, Verdict, chat,
};
use opentool_core::{
    AssistantMessage, ChatModel as _, ChatRequest, Message, Tool, ToolCall, ToolContext, ToolOutput, ToolSet,
};
use serde_json::json;

use crate::fixtures::{add, echo, raw, set, texts};

#[tokio::test]
async fn s008_s094_s095_the_agent_runs_the_loop_and_shows_what_happens_inside() {
    let model = chat::script().calls([("echo", json!({"n": 1}))]).text("done");
    let events = Arc::new(std::sync::Mutex::new(0));
    let count = Arc::clone(&events);
    let agent = Agent::new(model, set![echo()]).observe(move |event| {
        if matches!(event, AgentEvent::CallFinished { .. }) {
            *count.lock().unwrap() += 1;
        }
    });
    let reply = agent.run("?").await.unwrap();
    assert_eq!(*events.lock().unwrap(), 1);
    assert_eq!(reply.messages.len(), 4, "the messages in between are in the reply");
}

#[tokio::test]
async fn s092_s099_s100_s101_s103_a_loop_of_ones_own_is_five_lines() {
    let model = chat::script().calls([("add", json!({"a": 1, "b": 2})), ("counts", json!({}))]).text("3");
    let ran = Ran::default();
    let dispatcher = Dispatcher::new(set![add(), ran.counts()]);
    let mut messages = vec![Message::user("1 + 2?")];
    let mut reply = model.reply(ChatRequest::new(&messages, dispatcher.tools())).await.unwrap();
    assert!(reply.has_tool_calls() && ran.times() == 0, "the calls come back, and nothing was run");
    while reply.has_tool_calls() {
        dispatcher.carry_out(&mut messages, reply).await;
        reply = model.reply(ChatRequest::new(&messages, dispatcher.tools())).await.unwrap();
    }
    assert_eq!((reply.message.to_text().as_str(), ran.times()), ("3", 1));
    // The question, the calls, all results in their order, each of its call.
    let [Message::User(_), Message::Assistant(asked), Message::Tool(sum), Message::Tool(count)] =
        &messages[..]
    else {
        panic!("{messages:?}")
    };
    assert_eq!([&sum.call_id, &count.call_id], [&asked.tool_calls[0].id, &asked.tool_calls[1].id]);
    assert_eq!(texts(&messages), ["3", "1"]);
}

/// How often a tool was run.
#[derive(Clone, Default)]
struct Ran(Arc<AtomicUsize>);

impl Ran {
    fn counts(&self) -> impl Tool + use<> {
        let times = Arc::clone(&self.0);
        raw("counts", move |_, _| {
            let times = times.fetch_add(1, Ordering::SeqCst) + 1;
            async move { Ok(ToolOutput::text(times.to_string())) }
        })
    }

    fn times(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn s096_s097_s098_whether_calls_are_run_is_for_the_host_to_say() {
    let ran = Ran::default();
    let asks = || chat::script().calls([("counts", json!({"n": 1}))]).text("done");
    let agent = |model: &chat::Script| Agent::new(model.clone(), set![ran.counts()]);
    // By default every call of an answer is run, and what has none is the end.
    let model = asks();
    agent(&model).run("?").await.unwrap();
    assert_eq!((ran.times(), model.asked()), (1, 2));
    agent(&chat::script().text("done")).run("?").await.unwrap();
    assert_eq!(ran.times(), 1);

    // A predicate, given when the agent is built, that sees the call and what the host knows.
    let wants = |request: &opentool_agent::CallRequest<'_>| {
        assert_eq!((request.call.name.as_str(), request.arguments.get("n")), ("counts", Some(&json!(1))));
        request.context.get_value("may").is_none().then(|| Verdict::Ask("for another process".to_owned()))
    };
    let model = asks();
    let decides = agent(&model).approvals(Approvals::new().rule(wants));
    let error = decides.run("?").await.unwrap_err();
    let AgentError::Suspended(run) = &error else { panic!("{error}") };
    let held: Vec<&str> = run.pending_calls().map(|call| call.tool.as_str()).collect();
    assert_eq!(
        (held, ran.times(), model.asked()),
        (vec!["counts"], 1, 1),
        "the call comes back, and is not run"
    );
    let may = ToolContext::new().value("may", true);
    decides.extend_context(may).resume(error.into_run().unwrap()).await.unwrap_err();
    assert_eq!(ran.times(), 1, "a call that waits for a person waits whatever the rule would say now");
    let may = ToolContext::new().value("may", true);
    agent(&asks()).approvals(Approvals::new().rule(wants)).extend_context(may).run("?").await.unwrap();
    assert_eq!(ran.times(), 2);
    let model = asks();
    let reply = agent(&model).approvals(Approvals::new().deny_otherwise()).run("?").await.unwrap();
    assert!(texts(&reply.messages)[0].starts_with("the call was refused"), "the model hears of it");
    assert_eq!((ran.times(), model.asked()), (2, 2));

    // A rule about rounds, and about what was answered.
    let model = asks();
    agent(&model).stop_when(StopWhen::rounds(1)).run("?").await.unwrap();
    assert_eq!((ran.times(), model.asked()), (3, 1), "the model is not asked again");

    // Switched off: stepped by hand, nothing is run that the host does not run.
    let model = asks();
    let by_hand = agent(&model);
    let mut run = by_hand.start("?");
    let Step::Ask(messages) = run.step() else { panic!("it asks first") };
    let answer = model.reply(ChatRequest::new(messages, by_hand.tools())).await.unwrap();
    assert!(answer.has_tool_calls());
    run.answer(answer, by_hand.tools()).unwrap();
    assert!(matches!(run.step(), Step::Call(calls) if calls.len() == 1));
    assert_eq!(ran.times(), 3);
}

#[tokio::test]
async fn s102_a_memory_that_holds_the_tools_messages_answers_what_was_asked_earlier() {
    let model = chat::script().calls([("echo", json!({"n": 6}))]).text("It is 6.").then(|request| {
        let asked = request.messages.iter().find_map(|message| match message {
            Message::User(said) => said.first().cloned(),
            _ => None,
        });
        let results = request.messages.iter().filter(|message| matches!(message, Message::Tool(_))).count();
        AssistantMessage::text(format!("You asked {asked:?}; {results} result."))
    });
    let agent = Agent::new(model, set![echo()]);
    // The memory is a list of messages here; what a turn adds is stored as it is.
    let mut memory: Vec<Message> = Vec::new();
    for question in ["What is 2 * 3?", "What did I ask you earlier?"] {
        let prompt = [memory.clone(), vec![Message::user(question)]].concat();
        let reply = agent.run(prompt).await.unwrap();
        memory.extend_from_slice(&reply.messages[memory.len()..]);
    }
    let Some(Message::Assistant(last)) = memory.last() else { panic!("no answer") };
    assert_eq!(last.to_text(), "You asked Some(Text(\"What is 2 * 3?\")); 1 result.");
}

fn found(name: &str) -> Option<Arc<dyn Tool>> {
    let text = format!("found {name}");
    (name == "hidden" || name == "other").then(|| -> Arc<dyn Tool> {
        Arc::new(raw(name, move |_, _| std::future::ready(Ok(ToolOutput::text(text.as_str())))))
    })
}

#[tokio::test]
async fn s114_s115_s117_s119_s120_s121_resolvers_are_asked_in_order_after_the_request_and_only_if_there_are_any()
 {
    let calls = ["hidden", "echo", "stored"].map(|name| ToolCall::new(name, name, json!({})));
    let stored: ToolSet = set![
        raw("stored", async |_, _| Ok(ToolOutput::text("of the set"))),
        raw("echo", async |_, _| Ok(ToolOutput::text("not asked for: it is in the request"))),
        raw("hidden", async |_, _| { Ok(ToolOutput::text("of the set")) })
    ];
    let dispatcher = Dispatcher::new(set![echo()]);
    let run = async |dispatcher: &Dispatcher| {
        let results = dispatcher.dispatch(&calls).await;
        results.into_iter().map(|result| result.output.to_text()).collect::<Vec<_>>()
    };
    let closed = run(&dispatcher).await;
    assert!(closed[0].starts_with("there is no tool `hidden`") && closed[2].starts_with("there is no tool"));
    let dispatcher = dispatcher.resolver(found).resolver(stored);
    assert_eq!(run(&dispatcher).await, ["found hidden", "{}", "of the set"]);

    let model = chat::script().calls([("other", json!({}))]).text("ok");
    let reply = Agent::new(model, ToolSet::new()).resolver(found).run("?").await.unwrap();
    assert_eq!(texts(&reply.messages), ["found other"], "in the agent's loop as well");
}

#[tokio::test]
async fn s118_a_set_to_resolve_from_cannot_hold_a_name_twice() {
    assert!(set![echo()].merge(set![echo()]).is_err());
}

#[tokio::test]
async fn s122_a_name_that_nobody_finds_is_a_result_with_what_was_probably_meant() {
    let model = chat::script().calls([("ehco", json!({})), ("add", json!({"a": 1, "b": 1}))]).text("ok");
    let agent = Agent::new(model, set![echo(), add()]).resolver(found);
    let reply = agent.run("?").await.unwrap();
    assert_eq!(texts(&reply.messages), ["there is no tool `ehco`; did you mean `echo`?", "2"]);
}

#[test]
fn s093_s103_the_caller_may_do_it_all() {
    // A run needs neither an agent, nor a dispatcher, nor a model: its answers and results come from anybody.
    let mut run = Run::new("?");
    let call = opentool_core::ToolCall::new("a", "nobodys_tool", json!({}));
    let asks = opentool_core::ChatReply::new(opentool_core::AssistantMessage::calls([call.clone()]));
    run.answer(asks, &ToolSet::new()).unwrap();
    run.result(opentool_core::ToolResult::new(&call, opentool_core::ToolOutput::text("by hand"))).unwrap();
    let ends = opentool_core::ChatReply::new(opentool_core::AssistantMessage::text("ok"));
    run.answer(ends, &ToolSet::new()).unwrap();
    let reply = run.into_reply().unwrap();
    assert_eq!((reply.text.as_str(), texts(&reply.messages)), ("ok", vec!["by hand".to_owned()]));
}
