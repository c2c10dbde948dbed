//! The checked call: every way in which a call can go comes back as one typed result.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use futures_util::FutureExt as _;
use opentool_core::{
    Cancellation, Schema, ToolCall, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolSet, tool_fn,
};
use opentool_schema::{SchemaError, ToolSetExt as _};
use serde_json::{Value, json};

use crate::tools::{Scripted, call, nested, set, with_deep};

fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("nothing in the test waits")
}

fn run(tools: &ToolSet, call: &ToolCall) -> Result<ToolOutput, ToolError> {
    now(tools.call(&ToolContext::new(), call))
}

fn add() -> ToolSet {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Add {
        a: i64,
        b: i64,
    }
    ToolSet::from_tools([tool_fn("add", "Adds.", async |add: Add| {
        add.a.checked_add(add.b).ok_or("too large")
    })])
    .unwrap()
}

#[test]
fn objects_and_text_are_the_same_arguments() {
    let tools = add();
    for arguments in [json!({"a": 2, "b": 3}), json!("{\"a\": 2, \"b\": 3}"), json!(" {\"a\":2,\"b\":3.0}\n")]
    {
        let output = run(&tools, &call("add", arguments)).unwrap();
        assert_eq!(output.structured, Some(json!(5)));
    }
}

#[test]
fn nothing_is_an_empty_object() {
    let tools = set(Scripted::echo(json!({"type": "object", "properties": {}})));
    for arguments in [Value::Null, json!(""), json!(" \n"), json!("null"), json!({}), json!("{}")] {
        assert_eq!(run(&tools, &call("echo", arguments)).unwrap().structured, Some(json!({})));
    }
}

#[test]
fn arguments_arrive_as_they_were_written() {
    let tools = set(Scripted::echo(json!({"type": "object"})));
    let arguments = json!({"z": 1.0, "a": 12_345_678_901_234_567_890_u64, "text": "007 \u{0} é", "n": null});
    let output = run(&tools, &call("echo", arguments.to_string())).unwrap().structured.unwrap();
    assert_eq!(output.to_string(), arguments.to_string());
}

#[test]
fn an_unknown_tool_gets_suggestions() {
    let error = run(&add(), &call("ad", json!({}))).unwrap_err();
    assert_eq!(error.code(), "unknown_tool");
    assert_eq!(error.for_model(), "there is no tool `ad`; did you mean `add`?");
}

#[test]
fn bad_arguments_run_nothing() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&runs);
    let tools = set(Scripted::new("count", json!({"required": ["n"]}), move |_, _| {
        counter.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(ToolOutput::new()) })
    }));
    let error = run(&tools, &call("count", json!({"m": 1}))).unwrap_err();
    assert_eq!(error.for_model(), "invalid arguments, nothing was run:\n- /n: required but missing");
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[test]
fn an_unusable_schema_is_an_error_for_the_operator() {
    let tools = set(Scripted::echo(json!({"type": "strnig"})));
    for _ in 0..2 {
        let error = run(&tools, &call("echo", json!({}))).unwrap_err();
        assert_eq!(error.for_model(), "the tool's input schema is not usable; its operator has the details");
        let source = std::error::Error::source(&error).expect("the operator reads the cause");
        assert!(source.is::<SchemaError>(), "{source}");
        assert!(source.to_string().contains("/type"), "{source}");
    }
}

#[test]
fn a_schema_whose_making_panics_is_an_error() {
    struct Lazy(ToolDefinition);
    impl opentool_core::Tool for Lazy {
        fn definition(&self) -> &ToolDefinition {
            &self.0
        }
        fn call<'a>(
            &'a self,
            _: &'a ToolContext,
            _: opentool_core::Arguments,
        ) -> opentool_core::BoxFuture<'a, Result<ToolOutput, ToolError>> {
            Box::pin(async { Ok(ToolOutput::new()) })
        }
    }
    let definition = ToolDefinition::new("lazy", "").input_schema(Schema::lazy(|| panic!("no schema today")));
    let tools = ToolSet::from_tools([Lazy(definition)]).unwrap();
    for _ in 0..2 {
        assert_eq!(run(&tools, &call("lazy", json!({}))).unwrap_err().code(), "failed");
    }
}

#[test]
fn panics_before_and_inside_the_future_are_errors() {
    let before = Scripted::new("t", json!(true), |_, _| panic!("before"));
    let inside = Scripted::new("t", json!(true), |_, _| Box::pin(async { panic!("{}", "inside") }));
    for (tool, text) in [(before, "before"), (inside, "inside")] {
        match run(&set(tool), &call("t", json!({}))) {
            Err(ToolError::Panicked(told)) => assert_eq!(&*told, text),
            other => panic!("{other:?}"),
        }
    }
}

/// A future that panics when it is dropped.
struct Bomb {
    ready: bool,
}

impl Future for Bomb {
    type Output = Result<ToolOutput, ToolError>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        if self.ready { Poll::Ready(Ok(ToolOutput::text("made it"))) } else { Poll::Pending }
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[test]
fn a_panic_of_the_drop_does_not_take_the_result_along() {
    let tools = set(Scripted::new("t", json!(true), |_, _| Box::pin(Bomb { ready: true })));
    assert_eq!(run(&tools, &call("t", json!({}))).unwrap().to_text(), "made it");
}

#[test]
fn a_panic_of_the_drop_does_not_break_a_cancellation() {
    let tools = set(Scripted::new("t", json!(true), |_, _| Box::pin(Bomb { ready: false })));
    let signal = Cancellation::new();
    let cx = ToolContext::new().cancellation(signal.clone());
    let asked = call("t", json!({}));
    let mut running = Box::pin(tools.call(&cx, &asked));
    let mut poll = Context::from_waker(Waker::noop());
    assert!(running.as_mut().poll(&mut poll).is_pending());
    signal.cancel();
    assert!(matches!(running.as_mut().poll(&mut poll), Poll::Ready(Err(ToolError::Cancelled))));
    // The same where the host simply lets go of the call.
    let other = ToolContext::new();
    let mut abandoned = Box::pin(tools.call(&other, &asked));
    assert!(abandoned.as_mut().poll(&mut poll).is_pending());
    drop(abandoned);
}

#[test]
fn a_panic_payload_that_panics_is_survived() {
    struct Payload;
    impl Drop for Payload {
        fn drop(&mut self) {
            panic!("again");
        }
    }
    let tools = set(Scripted::new("t", json!(true), |_, _| std::panic::panic_any(Payload)));
    assert_eq!(run(&tools, &call("t", json!({}))).unwrap_err().code(), "panicked");
}

#[test]
fn a_cancelled_call_does_not_start() {
    let signal = Cancellation::new();
    signal.cancel();
    let cx = ToolContext::new().cancellation(signal);
    let tools = set(Scripted::new("t", json!(true), |_, _| panic!("ran")));
    assert!(matches!(now(tools.call(&cx, &call("t", json!({})))), Err(ToolError::Cancelled)));
}

#[test]
fn an_answer_is_always_an_output() {
    let tools = add();
    let cx = ToolContext::new();
    let good = now(tools.answer(&cx, &call("add", json!({"a": 1, "b": 1}))));
    assert_eq!((good.is_error, good.structured), (false, Some(json!(2))));
    for (name, arguments, code) in [
        ("sub", json!({}), "unknown_tool"),
        ("add", json!({"a": 1}), "invalid_arguments"),
        ("add", json!({"a": i64::MAX, "b": 1}), "failed"),
    ] {
        let bad = now(tools.answer(&cx, &call(name, arguments)));
        assert!(bad.is_error && !bad.to_text().is_empty());
        assert_eq!(bad.metadata.get("error"), Some(&json!(code)));
    }
}

#[test]
fn check_gives_what_the_tool_would_get() {
    let tools = add();
    let arguments = tools.check(&call("add", "{\"b\": 2, \"a\": 1}")).unwrap();
    assert_eq!(Value::Object(arguments.into_map()).to_string(), "{\"b\":2,\"a\":1}");
}

#[test]
fn deep_arguments_are_refused_and_nothing_overflows() {
    let tools = set(Scripted::echo(json!({"type": "object"})));
    let arrays = (0..10_000).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    for deep in [nested(10_000), json!({"a": null}), arrays] {
        let mut asked = call("echo", deep);
        match run(&tools, &asked) {
            Err(ToolError::InvalidArguments(error)) => {
                assert!(matches!(error.problems[0].rule.as_str(), "depth" | "type"), "{error}");
            }
            Ok(_) => assert_eq!(asked.arguments, json!({"a": null})),
            Err(other) => panic!("{other}"),
        }
        with_deep(asked.arguments.take(), |_| ());
    }
}
