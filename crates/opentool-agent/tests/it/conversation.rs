//! Several turns, and what is left when one of them is interrupted.

use std::sync::Arc;

use opentool_agent::{Agent, AgentError, Approvals, Decision, Finish, Step, chat};
use opentool_core::{Annotations, AssistantMessage, Message, ModelError, ToolCall, ToolOutput, ToolSet};
use serde_json::json;

use crate::fixtures::set;
use crate::fixtures::{add, echo, raw, texts};

#[tokio::test]
async fn each_turn_sees_the_ones_before() {
    let model = chat::script()
        .calls([("echo", json!({"pet": 2}))])
        .text("Pet 2 is pending.")
        .then(|request| AssistantMessage::text(format!("I know {} messages.", request.messages.len())));
    let agent = Agent::new(model, set![echo()]).system("You sell pets.");
    let mut conversation = agent.conversation();

    let first = conversation.say("Is there any pending pet?").await.unwrap();
    assert_eq!((first.text.as_str(), first.rounds), ("Pet 2 is pending.", 2));
    let second = conversation.say("What do you know?").await.unwrap();
    assert_eq!((second.text.as_str(), second.rounds), ("I know 6 messages.", 1));
    assert_eq!(conversation.messages(), second.messages);
    let instructions = second.messages.iter().filter(|m| matches!(m, Message::System(_))).count();
    assert_eq!(instructions, 1);
}

#[tokio::test]
async fn a_conversation_moves_between_tasks() {
    let mut conversation = Agent::new(chat::script().text("one").text("two"), ToolSet::new()).conversation();
    conversation.say("?").await.unwrap();
    let elsewhere = tokio::spawn(async move { conversation.say("?").await.unwrap().text });
    assert_eq!(elsewhere.await.unwrap(), "two");
}

#[tokio::test]
async fn a_stored_conversation_goes_on() {
    let agent = Agent::new(chat::script().text("Hello Ada.").text("Ada."), ToolSet::new());
    let reply = agent.run("I am Ada.").await.unwrap();
    let stored = serde_json::to_string(&reply.messages).unwrap();

    let messages: Vec<Message> = serde_json::from_str(&stored).unwrap();
    let mut conversation = agent.conversation().history(messages);
    assert_eq!(conversation.say("Who am I?").await.unwrap().text, "Ada.");
    assert_eq!(conversation.messages().len(), 4);
}

#[tokio::test]
async fn a_turn_that_failed_can_be_tried_again() {
    let model = chat::script()
        .fails(|| ModelError::RateLimited { message: "later".into(), retry_after: None })
        .text("Hi.");
    let mut conversation = Agent::new(model, ToolSet::new()).conversation();
    assert!(matches!(conversation.say("Hello.").await, Err(AgentError::Model(_))));
    assert_eq!(conversation.resume().await.unwrap().text, "Hi.");
    assert_eq!(conversation.messages().len(), 2, "the question is there once");
    assert_eq!(conversation.resume().await.unwrap().text, "Hi.", "and stays answered");
    let nothing = conversation.say(Vec::<Message>::new()).await;
    assert!(matches!(nothing, Err(AgentError::EmptyPrompt)), "saying nothing is not asking again");
}

/// A conversation whose turn was dropped while one of two calls had finished.
async fn interrupted(model: chat::Script) -> opentool_agent::Conversation {
    let begun = Arc::new(tokio::sync::Notify::new());
    let slow = {
        let begun = Arc::clone(&begun);
        let first = std::sync::atomic::AtomicBool::new(true);
        raw("slow", move |_, _| {
            let hangs = first.swap(false, std::sync::atomic::Ordering::SeqCst);
            begun.notify_one();
            async move {
                if hangs {
                    std::future::pending::<()>().await;
                }
                Ok(opentool_core::ToolOutput::text("in the end"))
            }
        })
        .annotated(Annotations::new().read_only(true))
    };
    let agent = Agent::new(model, set![echo(), slow]);
    let mut conversation = agent.conversation();
    tokio::select! {
        _ = conversation.say("?") => panic!("it hangs"),
        () = begun.notified() => {}
    }
    conversation
}

#[tokio::test]
async fn a_turn_whose_future_was_dropped_keeps_what_finished_and_goes_on() {
    let model = chat::script().calls([("echo", json!({"n": 1})), ("slow", json!({}))]).text("done");
    let mut conversation = interrupted(model).await;
    assert_eq!(conversation.run().results().len(), 1, "the finished call is kept");

    let reply = conversation.resume().await.unwrap();
    let texts: Vec<String> = reply.messages[2..4]
        .iter()
        .map(|message| match message {
            Message::Tool(result) => result.output.to_text(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(texts, [r#"{"n":1}"#, "in the end"]);
}

#[tokio::test]
async fn after_an_interrupted_turn_the_next_one_sees_which_calls_have_no_result() {
    let model = chat::script().calls([("echo", json!({"n": 1})), ("slow", json!({}))]).text("never mind");
    let mut conversation = interrupted(model).await;
    let reply = conversation.say("Leave it.").await.unwrap();
    assert_eq!(reply.text, "never mind");
    let Message::Tool(lost) = &reply.messages[3] else { panic!("{:?}", reply.messages) };
    assert!(lost.output.is_error);
    assert_eq!(reply.messages[4], Message::user("Leave it."));
}

#[tokio::test]
async fn what_the_model_had_said_when_it_was_stopped_stays() {
    let model = chat::script().fails(|| ModelError::Protocol("it broke off".into())).then(|request| {
        let last = &request.messages[request.messages.len() - 2];
        AssistantMessage::text(format!("{last:?} {}", request.messages.len()))
    });
    let mut conversation = Agent::new(model, ToolSet::new()).conversation();
    conversation.say("Tell me of cats.").await.unwrap_err();
    conversation.break_off("Cats are").unwrap();
    assert!(matches!(conversation.run().step(), Step::Done(Finish::Stopped)));
    assert!(conversation.break_off("again").is_err(), "the turn is over");
    let reply = conversation.say("Go on.").await.unwrap();
    assert!(reply.text.contains("Cats are… [interrupted]") && reply.text.ends_with(" 3"), "{}", reply.text);
}

#[tokio::test]
async fn a_conversation_is_kept_with_the_results_that_are_there() {
    let model = chat::script().calls([("pay", json!({})), ("hangs", json!({}))]);
    let pays = raw("pay", async |_, _| Ok("paid".into()));
    let mut conversation = Agent::new(model, set![pays, crate::fixtures::hangs()]).conversation();
    tokio::select! {
        _ = conversation.say("Pay.") => unreachable!("a tool hangs"),
        () = async { for _ in 0..100 { tokio::task::yield_now().await } } => {}
    }
    let kept = conversation.run().to_messages();
    assert!(
        matches!(kept.last(), Some(Message::Tool(result)) if result.output.to_text() == "paid"),
        "{kept:?}"
    );

    let seen = chat::script().text("ok");
    let mut goes_on = Agent::new(seen, ToolSet::new()).conversation().history(kept);
    let reply = goes_on.say("And?").await.unwrap();
    let results = crate::fixtures::texts(&reply.messages);
    assert_eq!(results[0], "paid");
    assert!(results[1].contains("there is no result"), "{results:?}");
}

#[tokio::test]
async fn the_next_turn_has_the_tools_of_then() {
    let model = chat::script()
        .calls([("echo", json!({"n": 1}))])
        .text("one")
        .calls([("echo", json!({})), ("add", json!({"a": 1, "b": 2}))])
        .text("two");
    let ask = Approvals::new().ask(["echo"]);
    let agent = Agent::new(model, set![echo()]).approvals(ask);
    let mut conversation = agent.conversation();
    assert!(matches!(conversation.say("?").await, Err(AgentError::Suspended(_))));
    // What waits for a person may be gone when it is allowed.
    conversation.replace_tools(set![add()]);
    conversation.decide("call_1", Decision::Allow).unwrap();
    conversation.resume().await.unwrap();
    conversation.say("?").await.unwrap();
    let texts = texts(conversation.messages());
    assert!(texts.len() == 3 && texts[..2].iter().all(|text| text.contains("no tool")), "{texts:?}");
    assert_eq!(texts[2], "3");
}

#[tokio::test]
async fn what_a_person_allowed_does_not_hold_for_a_tool_that_is_defined_anew() {
    let model = chat::Script::always(|_| AssistantMessage::calls([ToolCall::new("", "echo", json!({}))]));
    let agent = Agent::new(model, set![echo()]).approvals(Approvals::new().ask(["echo"]));
    let mut conversation = agent.conversation();
    conversation.say("?").await.unwrap_err();
    conversation.decide("call_1", Decision::AllowTool).unwrap();
    // The same tool, listed again: neither the call nor the tool is asked about again.
    conversation.replace_tools(set![echo()]);
    assert_eq!(conversation.run().pending_calls().count(), 0);
    assert_eq!(conversation.run().allowed_tools().count(), 1);
    let other = raw("echo", async |_, _| Ok(ToolOutput::text("gone"))).define(|mut tool| {
        tool.description = "DELETES the account.".to_owned();
        tool
    });
    let other = set![other];
    assert_eq!(opentool_agent::redefined(agent.tools(), &other), ["echo"]);
    conversation.replace_tools(other);
    assert_eq!(conversation.run().pending_calls().count(), 1, "it did not run yet");
    assert_eq!(conversation.run().allowed_tools().count(), 0);
    let error = conversation.resume().await.unwrap_err();
    assert!(matches!(error, AgentError::Suspended(_)), "{error}");
}
