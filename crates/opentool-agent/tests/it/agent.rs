//! One turn, from the question to the reply.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use opentool_agent::{Agent, AgentError, Dispatcher, Finish, chat};
use opentool_core::{
    AssistantMessage, BoxFuture, Cancellation, ChatModel, ChatReply, ChatRequest, Content, Message,
    ModelError, StopReason, ToolCall, ToolContext, ToolError, ToolOutput, ToolResult, ToolSet, Usage,
};
use serde_json::{Value, json};

use crate::fixtures::set;
use crate::fixtures::{add, echo, hangs, panics, raw};

fn results(messages: &[Message]) -> Vec<&ToolResult> {
    messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool(result) => Some(result),
            _ => None,
        })
        .collect()
}

fn texts(messages: &[Message]) -> Vec<String> {
    results(messages).into_iter().map(|result| result.output.to_text()).collect()
}

/// A model that never answers.
struct Silent;

impl ChatModel for Silent {
    fn name(&self) -> &'static str {
        "silent"
    }

    fn reply<'a>(&'a self, _: ChatRequest<'a>) -> BoxFuture<'a, Result<ChatReply, ModelError>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_turn_can_take_several_hops_each_of_which_sees_the_one_before() {
    let model = chat::script()
        .calls([("add", json!({"a": 1, "b": 2}))])
        .then(|request| {
            let sum = chat::last_results(request).next().expect("a result").output.structured.clone();
            AssistantMessage::calls([ToolCall::new("next", "add", json!({"a": sum, "b": 10}))])
        })
        .then(|request| {
            let sum = chat::last_results(request).next().expect("a result").output.to_text();
            AssistantMessage::text(format!("It is {sum}."))
        });
    let reply = Agent::new(model, set![add()]).run("What is 1 + 2 + 10?").await.unwrap();

    assert_eq!(reply.text, "It is 13.");
    assert_eq!(reply.to_string(), "It is 13.");
    assert_eq!((reply.finish, reply.rounds), (Finish::Answered, 3));
    let roles: Vec<&str> = reply
        .messages
        .iter()
        .map(|message| match message {
            Message::User(_) => "user",
            Message::Assistant(_) => "assistant",
            Message::Tool(_) => "tool",
            _ => "other",
        })
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "tool", "assistant"]);
}

#[tokio::test]
async fn usage_is_that_of_the_whole_turn() {
    let call = AssistantMessage::calls([ToolCall::new("a", "echo", json!({}))]);
    let model = chat::script()
        .answers(ChatReply::new(call).usage(Usage::new(10, 1)))
        .answers(ChatReply::new(AssistantMessage::text("ok")).usage(Usage::new(20, 2)));
    let reply = Agent::new(model, set![echo()]).run("?").await.unwrap();
    assert_eq!(reply.usage, Usage::new(30, 3));
}

#[tokio::test]
async fn what_a_call_does_wrong_is_told_to_the_model_which_can_mend_it() {
    let model = chat::script()
        .calls([("ad", json!({"a": 1, "b": 2}))])
        .calls([("add", json!({"a": "one", "b": 2}))])
        .answers(ChatReply::new(AssistantMessage::calls([ToolCall::new("x", "add", r#"{"a": 1, "b":"#)])))
        .answers(ChatReply::new(AssistantMessage::calls([ToolCall::new("y", "add", r#"{"a": 1, "b": 2}"#)])))
        .text("3");
    let reply = Agent::new(model, set![add()]).run("1 + 2?").await.unwrap();

    let results = results(&reply.messages);
    let failed: Vec<(bool, &Value)> = results
        .iter()
        .map(|r| (r.output.is_error, r.output.metadata.get("error.code").unwrap_or(&Value::Null)))
        .collect();
    assert_eq!(
        failed,
        [
            (true, &json!("unknown_tool")),
            (true, &json!("invalid_arguments")),
            (true, &json!("invalid_arguments")),
            (false, &Value::Null),
        ]
    );
    let texts = texts(&reply.messages);
    assert!(texts[0].contains("did you mean `add`"), "{}", texts[0]);
    assert!(texts[1].contains("/a"), "{}", texts[1]);
    assert_eq!(texts[3], "3");
}

#[tokio::test]
async fn calls_without_ids_and_with_ids_used_before_get_their_own() {
    let answer = |ids: [&str; 3]| {
        let calls = ids.map(|id| ToolCall::new(id, "echo", json!({"id": id})));
        ChatReply::new(AssistantMessage::calls(calls))
    };
    let model =
        chat::script().answers(answer(["", "a", "a"])).answers(answer(["a", "call_2", ""])).text("done");
    let reply = Agent::new(model, set![echo()]).run("?").await.unwrap();

    let ids: Vec<&str> = results(&reply.messages).iter().map(|result| result.call_id.as_str()).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), 6, "{ids:?}");
    assert_eq!(ids[1], "a", "the first one keeps its id");
    // Results still belong to their calls.
    assert_eq!(texts(&reply.messages)[..3], [r#"{"id":""}"#, r#"{"id":"a"}"#, r#"{"id":"a"}"#]);
}

#[tokio::test]
async fn the_limit_of_rounds_keeps_the_work_and_the_run_can_go_on() {
    let again = || ("add", json!({"a": 1, "b": 1}));
    let model = chat::script().calls([again()]).calls([again()]).calls([again()]).text("enough");
    let agent = Agent::new(model, set![add()]).max_rounds(2);

    let error = agent.run("Count.").await.unwrap_err();
    assert!(matches!(error, AgentError::RoundLimit(_)), "{error}");
    assert_eq!(
        error.to_string(),
        "no final answer after 2 rounds; allow more with `max_rounds`, or go on: `agent.resume(run)`"
    );
    let run = error.into_run().expect("the run");
    assert_eq!(texts(run.messages()), ["2", "2"], "the calls of the last round were run");

    let reply = agent.resume(run).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.rounds), ("enough", 4));
    assert_eq!(texts(&reply.messages), ["2", "2", "2"]);
}

#[tokio::test]
async fn a_model_that_fails_leaves_a_run_that_can_go_on() {
    let model = chat::script()
        .calls([("add", json!({"a": 1, "b": 2}))])
        .fails(|| ModelError::RateLimited { message: "slow down".into(), retry_after: None })
        .text("3");
    let agent = Agent::new(model.clone(), set![add()]);

    let error = agent.run("1 + 2?").await.unwrap_err();
    assert_eq!(error.to_string(), "the model's service asks to slow down: slow down");
    let AgentError::Model(failure) = &error else { panic!("{error:?}") };
    assert!(matches!(failure.error, ModelError::RateLimited { .. }));
    assert_eq!(texts(error.run().expect("the run").messages()), ["3"]);

    let reply = agent.resume(error.into_run().expect("the run")).await.unwrap();
    assert_eq!(reply.text, "3");
    assert_eq!(results(&reply.messages).len(), 1, "the call is not run again");
}

fn direct(name: &str) -> impl opentool_core::Tool {
    raw(name, async |_, arguments| match arguments.get("fail") {
        Some(_) => Err(ToolError::failed("it failed")),
        None => Ok(ToolOutput::json(json!({"here": true}))),
    })
    .return_direct()
}

#[tokio::test]
async fn results_go_to_the_caller_if_all_tools_of_the_answer_return_directly() {
    let model = chat::script()
        .calls([("echo", json!({}))])
        .text("not these")
        .calls([("one", json!({})), ("two", json!({}))]);
    let agent = Agent::new(model, set![direct("one"), direct("two"), echo()]);
    let mut conversation = agent.conversation();
    conversation.say("?").await.unwrap();
    let reply = conversation.say("?").await.unwrap();
    assert_eq!((reply.finish, reply.rounds), (Finish::ReturnDirect, 1));
    assert_eq!(reply.text, "{\"here\":true}\n{\"here\":true}");
    let structured: Vec<_> = reply.results().map(|result| result.output.structured.clone()).collect();
    assert_eq!(structured, vec![Some(json!({"here": true})); 2]);
}

#[tokio::test]
async fn results_go_to_the_model_if_one_tool_does_not_return_directly_or_one_call_failed() {
    let mixed = chat::script().calls([("one", json!({})), ("echo", json!({}))]).text("mixed");
    let reply = Agent::new(mixed, set![direct("one"), echo()]).run("?").await.unwrap();
    assert_eq!((reply.finish, reply.text.as_str()), (Finish::Answered, "mixed"));

    let failed = chat::script().calls([("one", json!({})), ("one", json!({"fail": 1}))]).text("sorry");
    let reply = Agent::new(failed, set![direct("one")]).run("?").await.unwrap();
    assert_eq!((reply.finish, reply.text.as_str()), (Finish::Answered, "sorry"));
}

#[tokio::test]
async fn no_call_of_an_answer_that_was_cut_off_is_run() {
    // What was cut may look whole: some providers end the arguments of the last call themselves.
    let calls = [ToolCall::new("a", "echo", r#"{"n":1}"#), ToolCall::new("b", "echo", r#"{"n":"#)];
    // Nothing of the arguments came: an empty text would else mean "none".
    let empty = [ToolCall::new("c", "echo", "")];
    let model = chat::script()
        .answers(ChatReply::new(AssistantMessage::calls(calls)).stop(StopReason::Length))
        .answers(ChatReply::new(AssistantMessage::calls(empty)).stop(StopReason::Length))
        .answers(ChatReply::new(AssistantMessage::text("I sto")).stop(StopReason::Length));
    let reply = Agent::new(model, set![echo()]).run("?").await.unwrap();

    let texts = texts(&reply.messages);
    assert_eq!(texts.len(), 3);
    assert!(texts.iter().all(|text| text.contains("length limit")), "{texts:?}");
    assert_eq!((reply.finish, reply.text.as_str()), (Finish::CutOff, "I sto"));
}

#[tokio::test]
async fn a_refusal_runs_nothing() {
    let refused = AssistantMessage::calls([ToolCall::new("a", "panics", json!({}))]).say("I will not.");
    let model = chat::script().answers(ChatReply::new(refused).stop(StopReason::Refusal));
    let reply = Agent::new(model, set![panics()]).run("?").await.unwrap();
    assert_eq!((reply.finish, reply.text.as_str()), (Finish::Refused, "I will not."));
    assert_eq!(results(&reply.messages).len(), 0);
}

#[tokio::test]
async fn a_loop_of_ones_own_runs_calls_of_whole_answers_only() {
    let dispatcher = Dispatcher::new(set![echo()]);
    for (stop, expected) in [
        (StopReason::ToolCalls, r#"{"n":1}"#),
        (StopReason::End, r#"{"n":1}"#),
        (StopReason::Length, "length limit"),
        (StopReason::Refusal, "refused"),
        (StopReason::Other("pause_turn".into()), "pause_turn"),
    ] {
        let calls = [ToolCall::new("a", "echo", json!({"n": 1}))];
        let mut added = Vec::new();
        dispatcher.carry_out(&mut added, ChatReply::new(AssistantMessage::calls(calls)).stop(stop)).await;
        let texts = texts(&added);
        assert!(texts.len() == 1 && texts[0].contains(expected), "{texts:?}");
    }
}

#[tokio::test]
async fn a_loop_of_ones_own_gets_results_that_can_be_told_apart() {
    let dispatcher = Dispatcher::new(set![echo()]);
    let mut messages = vec![Message::user("?")];
    // Answers without ids, and with one of an answer before: in the whole conversation none is there twice.
    for ids in [["same", "", "same", ""], ["", "same", "call_1", ""], ["", "", "", ""]] {
        let calls = ids.map(|id| ToolCall::new(id, "echo", json!({})));
        dispatcher.carry_out(&mut messages, ChatReply::new(AssistantMessage::calls(calls))).await;
    }
    let asked: Vec<&str> = messages
        .iter()
        .filter_map(|message| match message {
            Message::Assistant(answer) => Some(answer.tool_calls.iter().map(|call| call.id.as_str())),
            _ => None,
        })
        .flatten()
        .collect();
    let given: Vec<&str> = results(&messages).into_iter().map(|result| result.call_id.as_str()).collect();
    assert_eq!(asked, given);
    let distinct: std::collections::BTreeSet<&str> = given.iter().copied().collect();
    assert!(distinct.len() == 12 && !distinct.contains(""), "{given:?}");
}

#[tokio::test]
async fn dropping_the_run_cancels_the_calls() {
    let started = Arc::new(tokio::sync::Notify::new());
    let seen: Arc<Mutex<Option<Cancellation>>> = Arc::default();
    let tool = {
        let (started, seen) = (Arc::clone(&started), Arc::clone(&seen));
        raw("hangs", move |cx, _| {
            *seen.lock().unwrap() = Some(cx.cancel_signal().clone());
            started.notify_one();
            std::future::pending()
        })
    };
    let agent = Agent::new(chat::script().calls([("hangs", json!({}))]), set![tool]);
    tokio::select! {
        _ = agent.run("?") => panic!("it hangs"),
        () = started.notified() => {}
    }
    let signal = seen.lock().unwrap().take().expect("the tool ran");
    assert!(signal.is_cancelled(), "work that the tool started elsewhere hears of it");
}

#[tokio::test]
async fn cancelling_ends_the_run_with_everything_done_so_far() {
    let signal = Cancellation::new();
    let trigger = signal.clone();
    let cancels = raw("cancels", move |_, _| {
        trigger.cancel();
        async { Ok(ToolOutput::text("cancelled it")) }
    });
    let model = chat::script().calls([("cancels", json!({})), ("hangs", json!({}))]).text("never");
    let agent = Agent::new(model, set![cancels, hangs()]).context(ToolContext::new().cancellation(signal));

    let error = agent.run("?").await.unwrap_err();
    assert!(matches!(error, AgentError::Cancelled(_)), "{error}");
    let run = error.into_run().expect("the run");
    assert_eq!(texts(run.messages()), ["cancelled it", "the call was cancelled"]);
}

#[tokio::test]
async fn cancelling_ends_a_question_that_is_under_way() {
    let signal = Cancellation::new();
    let agent = Agent::new(Silent, ToolSet::new()).context(ToolContext::new().cancellation(signal.clone()));
    let running = tokio::spawn(async move { agent.run("?").await });
    // On this single-threaded runtime the run is waiting for the model when this goes on.
    tokio::task::yield_now().await;
    signal.cancel();
    assert!(matches!(running.await.unwrap(), Err(AgentError::Cancelled(_))));
}

#[tokio::test(start_paused = true)]
async fn the_deadline_of_the_host_ends_the_run_with_everything_done_so_far() {
    let in_two_seconds = || tokio::time::Instant::now().into_std() + Duration::from_secs(2);
    let model = chat::script().calls([("echo", json!({})), ("hangs", json!({}))]).text("too late");
    let agent = Agent::new(model.clone(), set![echo(), hangs()])
        .context(ToolContext::new().deadline(in_two_seconds()));
    let error = agent.run("?").await.unwrap_err();
    assert!(matches!(error, AgentError::TimedOut(_)), "{error}");
    assert_eq!(texts(error.run().expect("the run").messages())[0], "{}");
    assert_eq!(model.asked(), 1, "nothing is asked that nobody waits for");

    let silent = Agent::new(Silent, ToolSet::new()).context(ToolContext::new().deadline(in_two_seconds()));
    assert!(matches!(silent.run("?").await, Err(AgentError::TimedOut(_))));
}

#[tokio::test]
async fn instructions_stand_first_and_those_of_the_conversation_win() {
    let agent = |text: &str| Agent::new(chat::script().text(text), ToolSet::new()).system("Be short.");
    let reply = agent("Hi.").run("Hello.").await.unwrap();
    assert_eq!(reply.messages[0], Message::system("Be short."));

    let reply = agent("Hi.").run(vec![Message::system("Be long."), Message::user("Hello.")]).await.unwrap();
    assert_eq!(reply.messages[0], Message::system("Be long."));
    assert_eq!(reply.messages.len(), 3);
}

#[tokio::test]
async fn a_prompt_is_a_text_or_blocks_or_messages_but_not_nothing() {
    let agent = Agent::new(chat::Script::always(|_| AssistantMessage::text("ok")), ToolSet::new());
    agent.run(String::from("text")).await.unwrap();
    agent.run(vec![Content::text("What is this?"), Content::image(&b"png"[..], "image/png")]).await.unwrap();
    let reply = agent.run(Message::user("message")).await.unwrap();
    agent.run(reply.messages).await.unwrap();

    let nothing = agent.run(Vec::<Message>::new()).await.unwrap_err();
    assert!(matches!(nothing, AgentError::EmptyPrompt), "{nothing}");
    let nothing = agent.clone().system("Be short.").run(Vec::<Content>::new()).await.unwrap_err();
    assert!(matches!(nothing, AgentError::EmptyPrompt), "{nothing}");
}

#[tokio::test]
async fn the_facts_of_the_host_reach_the_tool_and_not_the_model() {
    struct Tenant(&'static str);
    let whoami = raw("whoami", async |cx, _| {
        Ok(ToolOutput::text(cx.get::<Tenant>().map_or("nobody", |tenant| tenant.0)))
    });
    let model = chat::script().calls([("whoami", json!({}))]).then(|request| {
        assert!(!format!("{:?}", request.messages[0]).contains("acme"));
        AssistantMessage::text(chat::last_results(request).next().expect("a result").output.to_text())
    });
    let agent = Agent::new(model, set![whoami]).context(ToolContext::new().fact(Tenant("acme")));
    assert_eq!(agent.run("Who am I?").await.unwrap().text, "acme");
}

#[tokio::test]
async fn many_runs_share_one_agent_on_many_threads() {
    let model = chat::Script::always(|request| match chat::last_results(request).next() {
        Some(result) => AssistantMessage::text(result.output.to_text()),
        None => {
            let Some(Message::User(said)) = request.messages.first() else { panic!("no question") };
            let Some(Content::Text(text)) = said.first() else { panic!("no text") };
            AssistantMessage::calls([ToolCall::new("", "echo", json!({"said": text}))])
        }
    });
    // A trait object is a model too.
    let model: Arc<dyn ChatModel> = Arc::new(model);
    let agent = Agent::new(model, set![echo()]).timeout(Duration::from_secs(5));
    let runs: Vec<_> = (0..1_000)
        .map(|i| {
            let agent = agent.clone();
            tokio::spawn(async move { agent.run(format!("{i}")).await })
        })
        .collect();
    for (i, run) in runs.into_iter().enumerate() {
        assert_eq!(run.await.unwrap().unwrap().text, format!("{{\"said\":\"{i}\"}}"));
    }
}

#[test]
fn errors_are_small_and_show_nothing_that_was_said() {
    assert!(size_of::<AgentError>() <= 64);
    let agent = Agent::new(chat::script(), ToolSet::new());
    let run = agent.start("a secret");
    assert!(!format!("{run:?} {agent:?}").contains("a secret"));
}

#[tokio::test]
async fn a_model_that_answers_nothing_ends_the_turn_and_does_not_spoil_the_next() {
    let model = chat::script().answers(ChatReply::new(AssistantMessage::default())).then(|request| {
        let answers =
            request.messages.iter().filter(|message| matches!(message, Message::Assistant(_))).count();
        AssistantMessage::text(format!("{answers} answers before"))
    });
    let mut conversation = Agent::new(model, ToolSet::new()).conversation();
    let reply = conversation.say("?").await.unwrap();
    assert_eq!((reply.finish, reply.text.as_str()), (Finish::Empty, ""));
    assert_eq!(conversation.say("Hello?").await.unwrap().text, "0 answers before");
}

#[tokio::test]
async fn a_model_that_invents_tools_hears_so_until_its_rounds_are_over() {
    let count = std::sync::atomic::AtomicUsize::new(0);
    let model = chat::Script::always(move |_| {
        let n = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        AssistantMessage::calls([ToolCall::new("", format!("invented_{n}"), json!({}))])
    });
    let error = Agent::new(model, set![echo()]).run("?").await.unwrap_err();
    let run = error.into_run().expect("the run");
    assert_eq!((run.rounds(), texts(run.messages()).len()), (25, 25));
    assert!(texts(run.messages()).iter().all(|text| text.starts_with("there is no tool `invented_")));
}
