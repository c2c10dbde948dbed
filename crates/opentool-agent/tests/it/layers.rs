//! Layers around tools, through the checked call and the dispatcher as hosts use them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use opentool_agent::layers::{Approve, Augment, Cache, RateLimit, Redact, Retry, Scope, Timeout};
use opentool_agent::{Approvals, Decision, Dispatcher, chat};
use opentool_core::{
    Annotations, Arguments, BoxFuture, Cancellation, ChatModel as _, ChatRequest, EventSink, Failure, Layer,
    Message, ModelError, Tool, ToolCall, ToolContext, ToolDefinition, ToolError, ToolEvent, ToolOutput,
    ToolSet, Upstream,
};
use opentool_schema::ToolSetExt as _;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::fixtures::{raw, set};

/// A tool of these hints that counts its calls and answers by the count.
struct Counting<F> {
    definition: ToolDefinition,
    calls: Arc<AtomicU32>,
    answer: F,
}

fn counting<F>(hints: Annotations, answer: F) -> (Counting<F>, Arc<AtomicU32>)
where
    F: Fn(u32, &ToolContext, &Arguments) -> Result<ToolOutput, ToolError> + Send + Sync + 'static,
{
    let definition =
        ToolDefinition::new("count", "Counts.").input_schema(json!({"type": "object"})).annotations(hints);
    let calls = Arc::new(AtomicU32::new(0));
    (Counting { definition, calls: Arc::clone(&calls), answer }, calls)
}

impl<F> Tool for Counting<F>
where
    F: Fn(u32, &ToolContext, &Arguments) -> Result<ToolOutput, ToolError> + Send + Sync + 'static,
{
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let count = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let answer = (self.answer)(count, cx, &arguments);
        Box::pin(std::future::ready(answer))
    }
}

fn read_only() -> Annotations {
    Annotations::new().read_only(true)
}

async fn call(tools: &ToolSet, arguments: Value) -> Result<ToolOutput, ToolError> {
    tools.call(&ToolContext::new(), ToolCall::new("1", "count", arguments)).await
}

#[tokio::test(start_paused = true)]
async fn a_slow_tool_is_ended_and_hears_of_it() {
    let seen: Arc<Mutex<Option<Cancellation>>> = Arc::default();
    let keep = Arc::clone(&seen);
    let slow = raw("count", move |cx: ToolContext, _| {
        *keep.lock().unwrap() = Some(cx.cancel_signal().clone());
        assert!(cx.ends_at().is_some());
        std::future::pending()
    });
    let tools = set![slow].layer(&Timeout::new(Duration::from_secs(2))).unwrap();
    let error = call(&tools, json!({})).await.unwrap_err();
    assert_eq!(error.for_model(), "the tool gave no answer within 2 s");
    assert!(seen.lock().unwrap().as_ref().unwrap().is_cancelled());
}

fn down(status: Option<u16>) -> ToolError {
    let mut upstream = Upstream::new("down");
    upstream.status = status;
    upstream.into()
}

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_called_again_where_it_does_no_harm() {
    let flaky = |count: u32| if count < 3 { Err(down(Some(503))) } else { Ok(ToolOutput::text("up")) };
    for (hints, scope, attempts) in [
        (read_only(), Scope::Harmless, 3),
        (Annotations::new().idempotent(true), Scope::Harmless, 3),
        (Annotations::new(), Scope::Harmless, 1),
        (Annotations::new().read_only(false), Scope::All, 3),
    ] {
        let (tool, calls) = counting(hints, move |count, _, _| flaky(count));
        let tools = set![tool].layer(&Retry::new().scope(scope)).unwrap();
        let output = call(&tools, json!({})).await;
        assert_eq!(calls.load(Ordering::Relaxed), attempts, "{hints:?} {scope:?}");
        if attempts == 3 {
            assert_eq!(output.unwrap().metadata["attempts"], 3);
        }
    }
    for error in [|| down(Some(404)), || ToolError::failed("no"), || ToolError::Refused("no".into())] {
        let (tool, calls) = counting(read_only(), move |_, _, _| Err(error()));
        call(&set![tool].layer(&Retry::new()).unwrap(), json!({})).await.unwrap_err();
        assert_eq!(calls.load(Ordering::Relaxed), 1, "{:?} does not pass", error());
    }
}

#[tokio::test(start_paused = true)]
async fn no_wait_is_begun_that_is_longer_than_the_call_has() {
    let (tool, calls) = counting(read_only(), |_, _, _| Err(down(None)));
    let retry = Retry::new().attempts(9).first_wait(Duration::from_secs(4));
    let dispatcher = Dispatcher::new(set![tool].layer(&retry).unwrap()).timeout(Duration::from_secs(10));
    let begin = Instant::now();
    let result = dispatcher.call(&ToolCall::new("1", "count", json!({}))).await;
    assert_eq!(result.output.to_text(), "down", "the failure, not the time limit");
    assert!(begin.elapsed() < Duration::from_secs(10));
    // Waits are shorter by chance: a third attempt may fit, a fourth cannot.
    let calls = calls.load(Ordering::Relaxed);
    assert!((2..=3).contains(&calls), "{calls}");
}

#[tokio::test(start_paused = true)]
async fn results_are_kept_by_arguments_for_as_long_as_they_are_good() {
    let (tool, calls) = counting(read_only(), |count, _, _| Ok(ToolOutput::json(count)));
    let cache = Cache::shared(Duration::from_secs(60));
    let tools = set![tool].layer(&cache).unwrap();
    let get = async |arguments: Value| {
        let output = call(&tools, arguments).await.unwrap();
        (output.structured.unwrap(), output.metadata.contains_key("cached_ms"))
    };
    assert_eq!(get(json!({"a": {"x": 1, "y": 2}, "b": 2})).await, (json!(1), false));
    assert_eq!(get(json!({"b": 2, "a": {"y": 2, "x": 1}})).await, (json!(1), true), "the order says nothing");
    assert_eq!(get(json!({"a": 1})).await, (json!(2), false));
    tokio::time::advance(Duration::from_secs(61)).await;
    assert_eq!(get(json!({"a": 1})).await, (json!(3), false), "too old");
    cache.clear();
    assert_eq!(get(json!({"a": 1})).await, (json!(4), false), "forgotten");
    assert_eq!(calls.load(Ordering::Relaxed), 4);
}

#[tokio::test]
async fn a_cache_has_bounds_and_keeps_no_failure_and_no_deed() {
    let n = |i: u32| json!({"n": i});
    let (tool, calls) = counting(read_only(), |count, _, _| Ok(ToolOutput::json(count)));
    let tools = set![tool].layer(&Cache::shared(Duration::from_secs(60)).entries(2)).unwrap();
    for i in [1, 2, 1, 3, 1, 2] {
        call(&tools, n(i)).await.unwrap();
    }
    assert_eq!(calls.load(Ordering::Relaxed), 4, "2 was not asked for the longest, and went");

    let (tool, calls) = counting(read_only(), |_, _, _| Ok(ToolOutput::text("x".repeat(600))));
    let tools = set![tool].layer(&Cache::shared(Duration::from_secs(60)).bytes(2_000)).unwrap();
    for i in [1, 2, 3, 3, 1] {
        call(&tools, n(i)).await.unwrap();
    }
    assert_eq!(calls.load(Ordering::Relaxed), 4, "no more than two fit");

    let (tool, calls) = counting(read_only(), |count, _, _| match count {
        1 => Err(ToolError::failed("no")),
        2 => Ok(ToolOutput::error("no")),
        _ => Ok(ToolOutput::text("yes")),
    });
    let tools = set![tool].layer(&Cache::shared(Duration::from_secs(60))).unwrap();
    for _ in 0..4 {
        let _ = call(&tools, n(1)).await;
    }
    assert_eq!(calls.load(Ordering::Relaxed), 3, "failures are not kept");

    let (tool, calls) = counting(Annotations::new(), |_, _, _| Ok(ToolOutput::text("done")));
    let tools = set![tool].layer(&Cache::shared(Duration::from_secs(60))).unwrap();
    call(&tools, n(1)).await.unwrap();
    call(&tools, n(1)).await.unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 2, "what changes something is done every time");
}

#[tokio::test]
async fn nobody_gets_the_result_of_another_tenant() {
    struct Tenant(&'static str);
    let (tool, calls) = counting(read_only(), |_, cx, _| {
        Ok(ToolOutput::text(cx.get::<Tenant>().map_or("nobody", |tenant| tenant.0)))
    });
    let cache =
        Cache::per(Duration::from_secs(60), |cx| cx.get::<Tenant>().map(|tenant| tenant.0.to_owned()));
    let tools = set![tool].layer(&cache).unwrap();
    let ask = async |cx: ToolContext| {
        tools.call(&cx, ToolCall::new("1", "count", json!({}))).await.unwrap().to_text()
    };
    for tenant in ["a", "b", "a", "b"] {
        assert_eq!(ask(ToolContext::new().fact(Tenant(tenant))).await, tenant);
    }
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    ask(ToolContext::new()).await;
    ask(ToolContext::new()).await;
    assert_eq!(calls.load(Ordering::Relaxed), 4, "without an owner nothing is kept");
}

#[tokio::test(start_paused = true)]
async fn calls_come_no_faster_than_the_limit_for_all_tools_together() {
    let limit = RateLimit::new(2, Duration::from_secs(1));
    let tool = |name: &str| raw(name, async |_, _| Ok(ToolOutput::text("ok")));
    let tools = set![tool("a"), tool("b")].layer(&limit).unwrap();
    let begin = Instant::now();
    let mut times = Vec::new();
    for name in ["a", "b", "a", "b", "a"] {
        tools.call(&ToolContext::new(), ToolCall::new("1", name, json!({}))).await.unwrap();
        times.push(begin.elapsed().as_millis());
    }
    // Two at once, then one every half second. Tokio's clock counts in whole milliseconds.
    for (time, expected) in times.iter().zip([0, 0, 500, 1_000, 1_500]) {
        assert!(time.abs_diff(expected) <= 2, "{times:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_turn_comes_too_late_is_refused_at_once() {
    let tool = raw("count", async |_, _| Ok(ToolOutput::text("ok")));
    let limit = RateLimit::new(1, Duration::from_secs(60)).longest_wait(Duration::ZERO);
    let tools = set![tool].layer(&limit).unwrap();
    call(&tools, json!({})).await.unwrap();
    let error = call(&tools, json!({})).await.unwrap_err();
    assert_eq!(error.for_model(), "the call was refused: too many calls; try again in 60 s");
    tokio::time::advance(Duration::from_secs(60)).await;
    call(&tools, json!({})).await.unwrap();

    let model = RateLimit::new(1, Duration::from_secs(60))
        .longest_wait(Duration::from_secs(5))
        .model(chat::script().text("one").text("two"));
    let (messages, none) = ([Message::user("?")], ToolSet::new());
    let ask = ChatRequest::new(&messages, &none);
    assert!(model.stream(ask).all(async |event| event.is_ok()).await);
    let error = model.reply(ask).await.unwrap_err();
    assert!(matches!(error, ModelError::RateLimited { retry_after: Some(_), .. }), "{error:?}");
    assert!(error.is_transient());
}

/// Keeps what tools tell.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<ToolEvent>>>);

impl EventSink for Kept {
    fn send(&self, event: ToolEvent) -> BoxFuture<'_, ()> {
        self.0.lock().unwrap().push(event);
        Box::pin(std::future::ready(()))
    }
}

#[tokio::test]
async fn secrets_reach_no_reader_whichever_way_they_come() {
    let tool = raw("count", async |cx: ToolContext, arguments: Arguments| {
        cx.partial("part: sk-proj-0123456789abcdefXYZ").await;
        cx.sent("GET /?host=tulip").await;
        if arguments.contains_key("fail") {
            let cause: opentool_core::BoxError = "the operator reads tulip".into();
            return Err(Failure::new("tulip is down").source(cause).into());
        }
        Ok(ToolOutput::text("host tulip")
            .block(opentool_core::Content::Json(json!({"password": "x"})))
            .structured(json!({"list": ["Bearer abcdefgh123"], "n": 1})))
    });
    let tools = set![tool].layer(&Redact::secrets().text("tulip")).unwrap();
    let kept = Kept::default();
    let cx = ToolContext::new().events(kept.clone());
    let output = tools.call(&cx, ToolCall::new("1", "count", json!({}))).await.unwrap();
    assert_eq!(output.to_text(), "host [secret]\n{\"password\":\"[secret]\"}");
    assert_eq!(output.structured, Some(json!({"list": ["Bearer [secret]"], "n": 1})));
    let events = format!("{:?}", kept.0.lock().unwrap());
    assert!(events.contains("part: [secret]") && events.contains("host=[secret]"), "{events}");
    let error = tools.call(&cx, ToolCall::new("1", "count", json!({"fail": true}))).await.unwrap_err();
    assert_eq!(error.for_model(), "[secret] is down");
    assert!(
        std::error::Error::source(&error).unwrap().to_string().contains("tulip"),
        "the operator's text stays"
    );

    let own = Redact::with(|text| text.contains("Ada").then(|| text.replace("Ada", "A."))).text("Paris");
    let tool = raw("count", async |_, _| Ok(ToolOutput::json(json!({"Ada": "Ada in Paris"}))));
    let output = call(&set![tool].layer(&own).unwrap(), json!({})).await.unwrap();
    assert_eq!(output.to_text(), "{\"A.\":\"A. in [secret]\"}");
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Thought {
    /// Why the call is made.
    reason: String,
    /// How sure the model is.
    sure: Option<Sure>,
}

#[derive(serde::Deserialize, schemars::JsonSchema, PartialEq, Debug)]
#[serde(rename_all = "snake_case")]
enum Sure {
    Very,
    Hardly,
}

#[tokio::test]
async fn fields_for_the_model_are_offered_read_and_taken_out() {
    let seen: Arc<Mutex<Vec<(String, Thought, usize)>>> = Arc::default();
    let keep = Arc::clone(&seen);
    let layer = Augment::of::<Thought>().read(move |filled| {
        let thought = filled.parse().unwrap();
        keep.lock().unwrap().push((filled.tool.name.clone(), thought, filled.arguments.len()));
    });
    let tools = set![crate::fixtures::add(), crate::fixtures::echo()].layer(&layer).unwrap();
    let schema = tools.get("add").unwrap().definition().input_schema.as_value().clone();
    assert_eq!(
        schema["properties"].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["reason", "sure", "a", "b"]
    );
    assert_eq!(schema["required"], json!(["reason", "a", "b"]));

    let ask = async |name: &str, arguments: Value| {
        tools.call(&ToolContext::new(), ToolCall::new("1", name, arguments)).await
    };
    let output = ask("add", json!({"reason": "sum", "sure": "very", "a": 1, "b": 2})).await.unwrap();
    assert_eq!(output.to_text(), "3");
    let output = ask("echo", json!({"reason": "look", "x": 1})).await.unwrap();
    assert_eq!(output.to_text(), "{\"x\":1}", "the tool gets its own arguments only");
    {
        let seen = seen.lock().unwrap();
        assert_eq!((seen[0].0.as_str(), seen[0].1.reason.as_str(), seen[0].2), ("add", "sum", 2));
        assert_eq!((&seen[0].1.sure, &seen[1].1.sure), (&Some(Sure::Very), &None));
    }
    let error = ask("add", json!({"a": 1, "b": 2})).await.unwrap_err();
    assert!(error.for_model().contains("reason"), "{}", error.for_model());
    let error = ask("add", json!({"reason": "r", "sure": "maybe", "a": 1, "b": 2})).await.unwrap_err();
    assert!(error.for_model().contains("/sure"), "{}", error.for_model());
}

#[tokio::test]
async fn an_argument_of_the_same_name_stays_the_tools_own() {
    let layer = Augment::new().field("a", "Why.").optional();
    let tool = layer.layer(Arc::new(crate::fixtures::add()));
    let tools = ToolSet::from_tools([tool]).unwrap();
    let schema = tools.get("add").unwrap().definition().input_schema.as_value().clone();
    assert_eq!(schema["properties"].as_object().unwrap().keys().collect::<Vec<_>>(), ["a_", "a", "b"]);
    let output = tools
        .call(&ToolContext::new(), ToolCall::new("1", "add", json!({"a_": "because", "a": 2, "b": 2})))
        .await
        .unwrap();
    assert_eq!(output.to_text(), "4");
}

#[tokio::test]
async fn calls_that_no_agent_makes_are_approved_by_a_layer() {
    let (tool, calls) = counting(Annotations::new(), |count, _, _| Ok(ToolOutput::json(count)));
    let rules = Approvals::new()
        .rule(|request| {
            let dry = request.arguments.get("dry") == Some(&json!(true));
            dry.then_some(opentool_agent::Verdict::Allow)
        })
        .ask(["count"]);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let tools = set![tool];
    let called = async |tools: &ToolSet, arguments: Value| {
        let cx = ToolContext::new().call_id("c1");
        tools
            .call(&cx, ToolCall::new("c1", "count", arguments))
            .await
            .map_err(|error| error.for_model().to_string())
    };

    let nobody = tools.layer(&Approve::new(rules.clone())).unwrap();
    assert!(called(&nobody, json!({"dry": true})).await.is_ok());
    let refused = called(&nobody, json!({"dry": false})).await.unwrap_err();
    assert!(refused.contains("nobody to ask"), "{refused}");
    assert_eq!(calls.load(Ordering::Relaxed), 1, "what is refused does not run");

    let seen = Arc::clone(&asked);
    let answers = Mutex::new(
        [None, Some(Decision::deny("not on a Sunday")), Some(Decision::Allow), Some(Decision::AllowTool)]
            .into_iter(),
    );
    let somebody = Approve::new(rules).approver(move |call| {
        seen.lock().unwrap().push((call.call_id, call.arguments["n"].clone()));
        let answer = answers.lock().unwrap().next().expect("is not asked again once the tool is allowed");
        async move { answer }
    });
    let tools = tools.layer(&somebody).unwrap();
    assert!(called(&tools, json!({"n": 1})).await.unwrap_err().contains("nobody"));
    assert!(called(&tools, json!({"n": 2})).await.unwrap_err().contains("not on a Sunday"));
    for n in 3..6 {
        assert!(called(&tools, json!({"n": n})).await.is_ok(), "{n}");
    }
    let id = |n: i64| ("c1".to_owned(), json!(n));
    assert_eq!(*asked.lock().unwrap(), [id(1), id(2), id(3), id(4)]);
    assert_eq!(calls.load(Ordering::Relaxed), 4);
}

#[tokio::test]
async fn fields_are_offered_beside_arguments_that_allow_no_more() {
    let closed =
        json!({"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": false});
    let tree = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"$ref": "#"}}, "maxProperties": 2});
    for (schema, apart) in [
        (closed.clone(), false),
        (json!({"type": "object", "allOf": [{"required": ["a"]}]}), false),
        (json!({"type": "object", "allOf": [closed.clone()]}), true),
        (json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": closed.clone()}}), true),
        (json!({"type": "object", "properties": {"a": {"type": "integer"}}, "maxProperties": 1}), true),
        (tree, true),
    ] {
        let tool = raw("t", async |_, arguments| Ok(ToolOutput::json(Value::Object(arguments.into_map()))))
            .define(|tool| tool.input_schema(schema.clone()));
        let tools = set![tool].layer(&Augment::new().field("reason", "Why.")).unwrap();
        let ask = async |arguments: Value| {
            let output = tools.call(&ToolContext::new(), ToolCall::new("1", "t", arguments)).await;
            output.map(|output| output.to_text()).map_err(|error| error.for_model())
        };
        let (good, bad) = match apart {
            false => (json!({"reason": "r", "a": 1}), json!({"reason": "r", "a": "x"})),
            true => (
                json!({"reason": "r", "arguments": {"a": 1}}),
                json!({"reason": "r", "arguments": {"a": 1, "c": 1, "d": 1}}),
            ),
        };
        assert_eq!(ask(good).await.unwrap(), r#"{"a":1}"#, "{schema}");
        if schema.get("allOf").is_none() || apart {
            assert!(ask(bad).await.is_err(), "{schema}");
        }
        if schema.pointer("/properties/b").is_some() {
            let deep = json!({"reason": "r", "arguments": {"a": 1, "b": {"a": "x"}}});
            assert!(ask(deep).await.is_err(), "the reference follows");
        }
    }
}

#[tokio::test]
async fn secrets_in_places_and_types_reach_no_reader() {
    use opentool_core::Content;
    let (uri, mime) = ("https://a/?token=tulip".to_owned(), Some("image/png; n=tulip".to_owned()));
    let blocks = vec![
        Content::BlobResource { uri: uri.clone(), mime: mime.clone(), data: b"x"[..].into() },
        Content::TextResource { uri: uri.clone(), mime: mime.clone(), text: "tulip".to_owned() },
        Content::ResourceLink { uri, name: "tulip".to_owned(), mime },
        Content::image(&b"x"[..], "image/tulip"),
        Content::audio(&b"x"[..], "audio/tulip"),
    ];
    for layer in [
        Redact::secrets().text("tulip"),
        Redact::with(|text| text.contains("tulip").then(|| text.replace("tulip", "[secret]"))),
    ] {
        let tools = set![raw("count", {
            let blocks = blocks.clone();
            move |_, _| {
                let mut output = ToolOutput::text("see");
                output.content.extend(blocks.clone());
                std::future::ready(Ok(output))
            }
        })]
        .layer(&layer)
        .unwrap();
        let said = format!("{:?}", call(&tools, json!({})).await.unwrap());
        assert!(!said.contains("tulip"), "{said}");
    }
}

#[tokio::test]
async fn without_the_fields_arguments_fit_the_tool_itself_or_it_is_not_run() {
    let any =
        json!({"type": "object", "properties": {"id": {"type": "integer"}, "all": {"type": "boolean"}}});
    let with = |more: Value| {
        let mut schema = any.clone();
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    for (schema, bad, good) in [
        (with(json!({"minProperties": 1})), json!({"reason": "x"}), json!({"reason": "x", "id": 1})),
        (
            with(json!({"anyOf": [{"minProperties": 1}]})),
            json!({"reason": "x"}),
            json!({"reason": "x", "all": true}),
        ),
        (
            with(json!({"dependentRequired": {"id": ["all"]}})),
            json!({"reason": "x", "id": 1}),
            json!({"reason": "x", "id": 1, "all": true}),
        ),
    ] {
        let tool = raw("t", async |_, arguments: Arguments| {
            Ok(ToolOutput::json(Value::Object(arguments.into_map())))
        })
        .define(|tool| tool.input_schema(schema.clone()));
        let filled: Arc<Mutex<usize>> = Arc::default();
        let counts = Arc::clone(&filled);
        let layer = Augment::new().field("reason", "Why.").read(move |_| *counts.lock().unwrap() += 1);
        let tools = set![tool].layer(&layer).unwrap();
        let ask = async |arguments: Value| {
            tools.call(&ToolContext::new(), ToolCall::new("1", "t", arguments)).await
        };
        let error = ask(bad).await.unwrap_err();
        assert!(matches!(error, ToolError::InvalidArguments(_)), "{schema}: {error:?}");
        assert_eq!(*filled.lock().unwrap(), 0, "nobody hears of a call that is not made");
        assert!(ask(good).await.is_ok(), "{schema}");
    }
}
