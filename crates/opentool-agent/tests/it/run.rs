//! The state machine by hand: what it asks for, what it takes, and what it is as a value.

use opentool_agent::{Agent, Finish, Run, Step, chat};
use opentool_core::{AssistantMessage, ChatReply, Message, ToolCall, ToolOutput, ToolResult, ToolSet};
use serde_json::{Value, json};

use crate::fixtures::set;
use crate::fixtures::{echo, panics};

fn call(id: &str) -> ToolCall {
    ToolCall::new(id, "echo", json!({"id": id}))
}

fn calls(ids: &[&str]) -> ChatReply {
    ChatReply::new(AssistantMessage::calls(ids.iter().map(|id| call(id))))
}

fn result(id: &str) -> ToolResult {
    ToolResult::new(&call(id), ToolOutput::text(format!("result of {id}")))
}

fn answer(text: &str) -> ChatReply {
    ChatReply::new(AssistantMessage::text(text))
}

/// Through JSON and back, as another process would get it.
fn elsewhere(run: &Run) -> Run {
    let there: Run = serde_json::from_str(&serde_json::to_string(run).unwrap()).unwrap();
    assert_eq!(&there, run);
    there
}

fn asked(run: &Run) -> Vec<String> {
    match run.step() {
        Step::Call(calls) => calls.into_iter().map(|call| call.id.clone()).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_run_is_stepped_through_another_process_at_every_point() {
    let tools = ToolSet::new();
    let mut run = elsewhere(&Run::new("Hi."));
    run.answer(calls(&["a", "b", "c"]), &tools).unwrap();
    run = elsewhere(&run);
    assert_eq!(asked(&run), ["a", "b", "c"]);

    run.result(result("c")).unwrap();
    run = elsewhere(&run);
    assert_eq!(asked(&run), ["a", "b"], "what is there is not asked for again");
    assert_eq!(run.messages().len(), 2, "results are appended when all are there");

    run.result(result("a")).unwrap();
    run.result(result("b")).unwrap();
    run = elsewhere(&run);
    let ids: Vec<&str> = run.messages()[2..]
        .iter()
        .map(|message| match message {
            Message::Tool(result) => result.call_id.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ids, ["a", "b", "c"], "in the order of the calls");

    assert!(matches!(run.step(), Step::Ask(_)));
    run.answer(answer("Bye."), &tools).unwrap();
    run = elsewhere(&run);
    assert_eq!(run.step(), Step::Done(Finish::Answered));
    assert_eq!(run.reply().unwrap().text, "Bye.");
}

#[tokio::test]
async fn an_agent_in_another_process_runs_only_what_is_missing() {
    let tools = set![echo(), panics()];
    let mut run = Run::new("Hi.");
    let both = [ToolCall::new("a", "panics", Value::Null), ToolCall::new("b", "echo", json!({}))];
    run.answer(ChatReply::new(AssistantMessage::calls(both)), &tools).unwrap();
    run.result(ToolResult::new(&ToolCall::new("a", "panics", Value::Null), ToolOutput::text("was fine")))
        .unwrap();

    let reply = Agent::new(chat::script().text("Bye."), tools).resume(elsewhere(&run)).await.unwrap();
    let Message::Tool(first) = &reply.messages[2] else { panic!("{:?}", reply.messages) };
    assert_eq!(first.output, ToolOutput::text("was fine"));
    assert_eq!(reply.text, "Bye.");
}

#[test]
fn what_was_not_asked_for_is_refused_and_changes_nothing() {
    let tools = ToolSet::new();
    let mut run = Run::new("Hi.");
    let before = run.clone();
    assert_eq!(
        run.result(result("a")).unwrap_err().to_string(),
        "the run did not ask for a result of the call `a`; it needs an answer of the model"
    );
    assert_eq!(run, before);

    run.answer(calls(&["a", "b"]), &tools).unwrap();
    run.result(result("a")).unwrap();
    assert!(run.result(result("a")).is_err(), "a second result of one call");
    assert!(run.answer(answer("!"), &tools).is_err(), "an answer before the results");
    run.result(result("b")).unwrap();
    run.answer(answer("Bye."), &tools).unwrap();
    assert!(run.answer(answer("!"), &tools).is_err(), "an answer after the end");
}

#[test]
fn a_history_with_holes_becomes_one_that_providers_take() {
    let run = Run::new(vec![
        Message::Tool(result("orphan")),
        Message::user("one"),
        Message::Assistant(calls(&["a", "b"]).message),
        Message::Tool(result("b")),
        Message::Tool(result("b")),
        Message::user("two"),
        // The same id again, as models write that count from the start each time.
        Message::Assistant(calls(&["a", ""]).message),
        Message::Tool(ToolResult::new(&call(""), ToolOutput::text("of the one without"))),
        Message::Tool(ToolResult::new(&call("a"), ToolOutput::text("of the second a"))),
        Message::user("three"),
    ]);
    let seen: Vec<String> = run
        .messages()
        .iter()
        .map(|message| match message {
            Message::Assistant(said) => {
                let ids: Vec<&str> = said.tool_calls.iter().map(|call| call.id.as_str()).collect();
                format!("calls {}", ids.join(" "))
            }
            Message::Tool(result) => format!("{}: {}", result.call_id, result.output.to_text()),
            _ => "said".to_owned(),
        })
        .collect();
    assert_eq!(
        seen,
        [
            "said",
            "calls a b",
            "a: there is no result: the call was not run, or not to its end",
            "b: result of b",
            "said",
            "calls call_3 call_4",
            "call_3: of the second a",
            "call_4: of the one without",
            "said",
        ]
    );
    assert!(matches!(run.step(), Step::Ask(_)));
}

#[test]
fn a_history_may_end_anywhere() {
    let ends = |last: Vec<Message>| Run::new([vec![Message::user("Hi.")], last].concat());
    assert_eq!(ends(vec![Message::Assistant(answer("Bye.").message)]).step(), Step::Done(Finish::Answered));
    let open = ends(vec![Message::Assistant(calls(&["a", "b"]).message), Message::Tool(result("b"))]);
    assert_eq!(asked(&open), ["a"]);
    assert_eq!(open.results().len(), 1);
    let full = ends(vec![Message::Assistant(calls(&["a"]).message), Message::Tool(result("a"))]);
    assert!(matches!(full.step(), Step::Ask(messages) if messages.len() == 3));
}

#[test]
fn the_limit_is_per_turn_and_more_can_be_allowed() {
    let tools = ToolSet::new();
    let mut run = Run::new("Hi.").max_rounds(1);
    let round = |run: &mut Run, id: &str| {
        run.answer(calls(&[id]), &tools).unwrap();
        run.result(result(id)).unwrap();
    };
    round(&mut run, "a");
    assert_eq!(run.step(), Step::Done(Finish::RoundLimit));
    run.allow(2);
    round(&mut run, "b");
    assert!(matches!(run.step(), Step::Ask(_)));
    round(&mut run, "c");
    assert_eq!(run.step(), Step::Done(Finish::RoundLimit));

    run.say("Go on.");
    assert_eq!(run.rounds(), 0);
    round(&mut run, "d");
    assert_eq!(run.step(), Step::Done(Finish::RoundLimit), "what was allowed was for that turn");
}

#[test]
fn a_stored_run_is_short_and_its_defaults_may_be_absent() {
    let run = Run::new("Hi.");
    let stored = serde_json::to_value(&run).unwrap();
    assert_eq!(stored["messages"][0]["role"], "user");
    let read: Run = serde_json::from_value(json!({"messages": stored["messages"]})).unwrap();
    assert_eq!(read, run);
}
