//! D1 to D12: what goes wrong elsewhere, and does not here.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use opentool_agent::{
    Agent, AgentError, AgentEvent, Dispatcher, ErrorClass, ErrorPolicy, Finish, Limit, Limits, OnError, chat,
};
use opentool_core::{
    AssistantMessage, BoxError, ChatReply, Message, ToolCall, ToolError, ToolOutput, tool_fn,
};
use opentool_schema::MessageFormat;
use serde_json::{Value, json};

use crate::fixtures::{add, echo, raw, set, texts};

fn call(name: &str, arguments: impl Into<Value>) -> ToolCall {
    ToolCall::new("1", name, arguments)
}

#[tokio::test]
async fn d01_d11_a_text_is_what_the_tool_returned_whatever_it_looks_like() {
    for text in
        ["3 strings processed: [...]", "true story", "-5 degrees", "2026-01-05", "# Header", "{\"a\":1}", ""]
    {
        let tool =
            tool_fn("say", "Says it.", move |(): ()| async move { Ok::<_, BoxError>(text.to_owned()) });
        let output = Dispatcher::new(set![tool]).call(&call("say", json!({}))).await.output;
        assert_eq!(output.to_text(), text);
        assert_eq!(output.structured, Some(json!(text)), "and a text is a text for programs");
    }
}

#[tokio::test]
async fn d02_an_unknown_name_loses_no_work() {
    let model =
        chat::script().calls([("echo", json!({"n": 1})), ("nobody", json!({})), ("echo", json!({"n": 2}))]);
    let reply = Agent::new(model.text("ok"), set![echo()]).run("?").await.unwrap();
    let texts = texts(&reply.messages);
    assert_eq!((texts[0].as_str(), texts[2].as_str()), (r#"{"n":1}"#, r#"{"n":2}"#));
    assert!(texts[1].starts_with("there is no tool `nobody`"));
}

#[tokio::test]
async fn d03_arguments_that_are_no_json_are_told_to_the_model_for_every_kind_of_tool() {
    for name in ["add", "echo"] {
        let output = Dispatcher::new(set![add(), echo()]).call(&call(name, "{\"a\": [1, ")).await.output;
        assert!(output.is_error && output.metadata["error.code"] == "invalid_arguments", "{output:?}");
    }
}

#[tokio::test]
async fn d04_a_missing_argument_is_named_and_an_unknown_one_refused() {
    let dispatcher = Dispatcher::new(set![add()]);
    let missing = dispatcher.call(&call("add", json!({"a": 1}))).await.output;
    assert!(missing.is_error && missing.to_text().contains("/b"), "{}", missing.to_text());
    let unknown = dispatcher.call(&call("add", json!({"a": 1, "b": 2, "colour": "red"}))).await.output;
    assert!(unknown.is_error && unknown.to_text().contains("/colour"), "{}", unknown.to_text());
}

#[tokio::test]
async fn d05_an_error_never_goes_to_the_caller_as_a_direct_result() {
    let fails = raw("fails", async |_, _| Err::<ToolOutput, _>(ToolError::failed("no"))).return_direct();
    let model = chat::script().calls([("fails", json!({}))]).text("I could not.");
    let reply = Agent::new(model, set![fails]).run("?").await.unwrap();
    assert_eq!((reply.finish, reply.text.as_str()), (Finish::Answered, "I could not."));
    assert_eq!(texts(&reply.messages), ["no"], "the model has read it");
}

#[tokio::test]
async fn d06_nothing_is_the_same_text_for_every_kind_of_tool() {
    let closure = tool_fn("nothing", "Does it.", async |(): ()| Ok::<(), BoxError>(()));
    let output = Dispatcher::new(set![closure]).call(&call("nothing", json!({}))).await.output;
    // `#[tool]` functions: `s010` in the facade's tests.
    assert_eq!(output.to_text(), "Done.");
}

#[tokio::test]
async fn d07_a_missing_context_is_no_error_in_the_middle_of_a_loop() {
    let needs = raw("needs", async |_, _| Ok(ToolOutput::new())).define(|tool| tool.needs("tenant"));
    let tools = set![needs, echo()];
    assert!(Agent::new(chat::script(), tools.clone()).run("?").await.is_err(), "before the model is asked");
    let results = Dispatcher::new(tools).dispatch(&[call("needs", json!({})), call("echo", json!({}))]).await;
    assert_eq!(results[0].output.to_text(), "the tool is not set up; its operator has the details");
    assert!(!results[1].output.is_error);
}

#[tokio::test]
async fn d08_every_call_of_an_answer_is_run_and_a_second_answer_is_not_passed_over_in_silence() {
    let ran = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ran);
    let counts = raw("counts", move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(ToolOutput::new()) }
    });
    let model = chat::script().calls((0..9).map(|n| ("counts", json!({"n": n})))).text("ok");
    Agent::new(model, set![counts]).run("?").await.unwrap();
    assert_eq!(ran.load(Ordering::SeqCst), 9);

    // Several answers to one question are never asked for. Where they come all the same, the first is the answer, whether
    // it has calls or not, and it is said that there were others.
    let call = json!({"id": "a", "type": "function", "function": {"name": "counts", "arguments": "{}"}});
    let choice = |message: Value| json!({"message": message, "finish_reason": "stop"});
    let (words, calls) = (choice(json!({"content": "Hi."})), choice(json!({"tool_calls": [call]})));
    for (choices, expected) in [([&words, &calls], 0), ([&calls, &words], 1), ([&calls, &calls], 1)] {
        let parsed =
            opentool_schema::parse_calls(MessageFormat::OpenAiChat, &json!({"choices": choices})).unwrap();
        assert_eq!(parsed.calls.len(), expected);
        assert!(parsed.problems.iter().any(|problem| problem.pointer == "/choices/1"), "{parsed:?}");
    }
}

#[test]
fn d09_formats_and_bounds_are_at_the_top_and_inside() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "it is read for its schema")]
    struct Page {
        #[schemars(range(min = 1, max = 50))]
        size: u8,
        offset: i32,
        #[schemars(extend("format" = "date-time"))]
        since: String,
        #[schemars(regex(pattern = "^[a-z]+$"))]
        sort: String,
        inner: Option<Box<Page>>,
    }
    let schema = opentool_core::Schema::input_of::<Page>();
    let root = schema.as_value();
    // `inner` is of the type itself: what its reference leads to holds them too.
    let inner = &root["properties"]["inner"];
    let reference = inner.get("$ref").or_else(|| inner["anyOf"][0].get("$ref")).and_then(Value::as_str);
    let inside = match reference {
        Some(reference) => root.pointer(reference.trim_start_matches('#')).expect("it leads somewhere"),
        None => inner,
    };
    for place in [root, inside] {
        let properties = &place["properties"];
        assert_eq!((&properties["size"]["minimum"], &properties["size"]["maximum"]), (&json!(1), &json!(50)));
        assert_eq!(properties["sort"]["pattern"], "^[a-z]+$", "{root}");
        // `int32` is said in words that every validator knows.
        assert_eq!(
            (&properties["offset"]["minimum"], &properties["offset"]["maximum"]),
            (&json!(i32::MIN), &json!(i32::MAX)),
            "{root}"
        );
        assert_eq!(properties["since"]["format"], "date-time", "{root}");
    }
}

#[tokio::test]
async fn d10_a_limit_is_told_as_any_failure_is() {
    let asks = || chat::script().calls([("echo", json!({"n": 1})), ("echo", json!({"n": 2}))]).text("ok");
    let agent = |policy| {
        let limits = Limits::new().calls(Limit::tell(1));
        Agent::new(asks(), set![echo()]).limits(limits).errors(policy)
    };
    let reply = agent(ErrorPolicy::new()).run("?").await.unwrap();
    let Message::Tool(refused) = &reply.messages[3] else { panic!("no result") };
    assert!(refused.output.is_error, "providers are told that it is an error");
    assert_eq!(refused.output.metadata["error.code"], "limit_reached");
    assert_eq!(refused.call_id, "call_2", "and it is the result of that call");
    // Every provider takes it as the result of a call; Gemini wants an object.
    for format in MessageFormat::all() {
        let written = opentool_schema::write_results(*format, std::slice::from_ref(refused));
        let written = serde_json::to_value(&written).unwrap();
        assert!(written.to_string().contains("the limit of 1 calls"), "{format:?}: {written}");
        if *format == MessageFormat::Gemini {
            let response = &written[0]["parts"][0]["functionResponse"]["response"];
            assert!(response.is_object(), "{written}");
        }
    }

    // The policy says who hears of it, and in which words.
    let policy = ErrorPolicy::new().on(ErrorClass::LimitReached, OnError::tell_as("That will do."));
    let failures = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&failures);
    let told = agent(policy).observe(move |event| {
        if let AgentEvent::CallFinished { output, failure: Some(failure), .. } = event {
            seen.lock().unwrap().push(format!("{} {} {}", output.to_text(), failure.code, failure.detail));
        }
    });
    assert_eq!(texts(&told.run("?").await.unwrap().messages), [r#"{"n":1}"#, "That will do."]);
    let failures = std::mem::take(&mut *failures.lock().unwrap());
    assert_eq!(failures.len(), 1);
    assert!(failures[0].starts_with("That will do. limit_reached the limit of 1 calls"), "{failures:?}");

    let raise = || ErrorPolicy::new().on(ErrorClass::LimitReached, OnError::Raise);
    for limits in [Limits::new().calls(Limit::tell(1)), Limits::new().calls_of("echo", Limit::tell(0))] {
        let AgentError::Tool(failure) = agent(raise()).limits(limits.clone()).run("?").await.unwrap_err()
        else {
            panic!("not raised with {limits:?}")
        };
        assert_eq!(ErrorClass::of(&failure.error.error), ErrorClass::LimitReached);
        assert_eq!(texts(failure.run.messages()).len(), 2, "every call has its result");
        let later = Agent::new(chat::script().text("ok"), set![echo()]);
        assert_eq!(later.resume(failure.run).await.unwrap().text, "ok");
    }
}

#[tokio::test]
async fn d12_a_text_is_one_block_of_text_wherever_it_goes() {
    let tool = tool_fn("say", "Says it.", async |(): ()| Ok::<_, BoxError>("rain".to_owned()));
    let output = Dispatcher::new(set![tool]).call(&call("say", json!({}))).await.output;
    let result = opentool_core::ToolResult::new(&call("say", json!({})), output);
    // In text a result stands in JSON, like a call.
    for format in MessageFormat::all().iter().filter(|format| **format != MessageFormat::Text) {
        let written = opentool_schema::write_results(*format, std::slice::from_ref(&result));
        let written = serde_json::to_string(&written).unwrap();
        assert!(written.contains(r#""rain""#) && !written.contains(r#"\"rain\""#), "{format:?}: {written}");
        if *format == MessageFormat::Mcp {
            assert!(written.contains(r#""text":"rain""#), "{written}");
        }
    }
}

#[tokio::test]
async fn b08_a_stream_and_a_call_tell_the_same_events() {
    use futures_util::StreamExt as _;

    let model = || {
        let calls =
            AssistantMessage::calls([call("echo", json!({"n": 1}))]).say("Let me see.").reasoning("Hm.");
        chat::script().answers(ChatReply::new(calls)).text("ok")
    };
    let called: Arc<std::sync::Mutex<Vec<Value>>> = Arc::default();
    let seen = Arc::clone(&called);
    let known = |event: &AgentEvent| {
        let mut event = serde_json::to_value(event).unwrap();
        event.as_object_mut().expect("an object").remove("duration_ms");
        event
    };
    Agent::new(model(), set![echo()])
        .observe(move |event| seen.lock().unwrap().push(known(event)))
        .run("?")
        .await
        .unwrap();
    let mut streamed: Vec<Value> =
        Agent::new(model(), set![echo()]).stream("?").map(|event| known(&event.unwrap())).collect().await;
    let last = streamed.pop().expect("events");
    assert_eq!((&last["event"], &last["reply"]["text"]), (&json!("done"), &json!("ok")));
    assert_eq!(streamed, *called.lock().unwrap());
    assert!(streamed.iter().any(|event| event["event"] == "reasoning_delta"));
}
