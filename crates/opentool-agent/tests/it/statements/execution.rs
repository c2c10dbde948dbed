//! S92 to S103 and S114 to S122: who runs calls, the agent or a loop of one's own, and how tools are found.

use std::sync::Arc;

use opentool_agent::{Agent, AgentEvent, Dispatcher, Run, Step, StopWhen, chat};
use opentool_core::{
    AssistantMessage, ChatModel as _, ChatRequest, Message, Tool, ToolCall, ToolOutput, ToolSet,
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
    let model = chat::script().calls([("add", json!({"a": 1, "b": 2})), ("echo", json!({}))]).text("3");
    let dispatcher = Dispatcher::new(set![add(), echo()]);
    let mut messages = vec![Message::user("1 + 2?")];
    let mut reply = model.reply(ChatRequest::new(&messages, dispatcher.tools())).await.unwrap();
    while reply.has_tool_calls() {
        messages.extend(dispatcher.carry_out(reply).await);
        reply = model.reply(ChatRequest::new(&messages, dispatcher.tools())).await.unwrap();
    }
    assert_eq!(reply.message.to_text(), "3");
    assert_eq!(texts(&messages), ["3", "{}"], "the question, the calls, all results in their order");
}

#[tokio::test]
async fn s096_s097_s098_whether_calls_are_run_is_for_the_host_to_say() {
    let model = chat::script().calls([("echo", json!({}))]);
    let agent = Agent::new(model.clone(), set![echo()]);
    // Stepped by hand, nothing is run that the host does not run.
    let mut run = agent.start("?");
    let Step::Ask(messages) = run.step() else { panic!("it asks first") };
    let answer = model.reply(ChatRequest::new(messages, agent.tools())).await.unwrap();
    run.answer(answer, agent.tools()).unwrap();
    assert!(matches!(run.step(), Step::Call(calls) if calls.len() == 1));
    // And by a rule the agent stops after the first results.
    let model = chat::script().calls([("echo", json!({}))]);
    let stops = Agent::new(model.clone(), set![echo()]).stop_when(StopWhen::rounds(1));
    stops.run("?").await.unwrap();
    assert_eq!(model.asked(), 1);
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
fn s093_s126_every_part_can_be_replaced() {
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
