//! What a host says about single tools: beside what they run, how long, how often, and what becomes of their results.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use opentool_agent::{Agent, AgentEvent, Dispatcher, ToolRules, chat};
use opentool_core::{
    Annotations, Cancellation, Content, Origin, Tool, ToolCall, ToolContext, ToolError, ToolOutput, Upstream,
};
use serde_json::{Value, json};

use crate::fixtures::{add, echo, raw, set};

/// Notes of tools when they begin and when they end.
#[derive(Clone, Default)]
struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    /// A tool that takes a second.
    fn tool(&self, name: &'static str, annotations: Annotations) -> impl Tool + use<> {
        self.tool_of(name, annotations, Origin::default())
    }

    /// The same, from elsewhere.
    fn tool_of(&self, name: &'static str, annotations: Annotations, origin: Origin) -> impl Tool + use<> {
        let notes = Arc::clone(&self.0);
        raw(name, move |cx, _| {
            let notes = Arc::clone(&notes);
            async move {
                let id = cx.id().unwrap_or_default().to_owned();
                notes.lock().unwrap().push(format!("+{id}"));
                tokio::time::sleep(Duration::from_secs(1)).await; // the slow part
                notes.lock().unwrap().push(format!("-{id}"));
                Ok(ToolOutput::text(id))
            }
        })
        .annotated(annotations)
        .define(|definition| definition.origin(origin))
    }

    fn read(&self) -> String {
        std::mem::take(&mut *self.0.lock().unwrap()).join(" ")
    }
}

/// One call of each, by name; the ids are a, b, c, …
fn calls(names: &[&str]) -> Vec<ToolCall> {
    names.iter().zip('a'..).map(|(name, id)| ToolCall::new(id, *name, json!({}))).collect()
}

#[tokio::test(start_paused = true)]
async fn what_may_destroy_something_runs_alone_and_what_only_reads_overlaps() {
    let diary = Diary::default();
    let reads = Annotations::new().read_only(true);
    let dispatcher = Dispatcher::new(set![
        diary.tool("read", reads),
        diary.tool("delete", Annotations::new().destructive(true)),
        diary.tool("both", reads.destructive(true)),
    ]);
    let ids: Vec<String> = dispatcher
        .dispatch(&calls(&["read", "both", "delete", "read", "delete", "read"]))
        .await
        .into_iter()
        .map(|result| result.output.to_text())
        .collect();
    assert_eq!(ids, ["a", "b", "c", "d", "e", "f"]);
    assert_eq!(diary.read(), "+a +b -a -b +c -c +d -d +e -e +f -f");

    // Whatever the model calls it, and wherever it is found.
    dispatcher.dispatch(&calls(&["Delete", "functions.delete", "READ"])).await;
    assert_eq!(diary.read(), "+a -a +b -b +c -c");
    let found = set![diary.tool("remove", Annotations::new().destructive(true))];
    dispatcher.clone().resolver(found).dispatch(&calls(&["read", "remove", "remove"])).await;
    assert_eq!(diary.read(), "+a -a +b -b +c -c");

    let dispatcher = dispatcher.rules("delete", ToolRules::new().overlapping());
    dispatcher.dispatch(&calls(&["Delete", "delete"])).await;
    assert_eq!(diary.read(), "+a +b -a -b");
    dispatcher.dispatch(&calls(&["delete", "delete"])).await;
    assert_eq!(diary.read(), "+a +b -a -b");
}

#[tokio::test]
async fn what_scripts_and_pictures_need_stays_and_json_stays_json() {
    let cases = [
        ("a\u{202e}b\u{2066}c", "abc"),
        ("x\u{e0049}\u{e0067}y", "xy"),
        ("a\u{9b}31mb\u{7f}", "a31mb"),
        ("می\u{200c}خواهم 👩\u{200d}🚀 क्\u{200d} ", "می\u{200c}خواهم 👩\u{200d}🚀 क्\u{200d} "),
        ("\u{200f}שלום\u{200e} co\u{ad}operate", "\u{200f}שלום\u{200e} co\u{ad}operate"),
        (
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}!",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}!",
        ),
        ("a\u{200d}\u{200c}b❤\u{fe0f}\u{fe0e}\u{fe01}", "ab❤\u{fe0f}"),
    ];
    for (written, read) in cases {
        let body = json!({"note": written, "n": 1}).to_string();
        let tool = raw("get", move |_, _| std::future::ready(Ok(ToolOutput::text(body.clone()))))
            .define(|definition| definition.origin(Origin::new("openapi")));
        let result = Dispatcher::new(set![tool]).call(&ToolCall::new("a", "get", json!({}))).await;
        let value: Value = serde_json::from_str(&result.output.to_text()).expect("JSON");
        assert_eq!(value, json!({"note": read, "n": 1}), "{written:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn imported_tools_that_may_change_something_keep_the_order_of_their_source() {
    let diary = Diary::default();
    let tool =
        |name, kind: &str, place: &str, hints| diary.tool_of(name, hints, Origin::new(kind).location(place));
    let (reads, silent) = (Annotations::new().read_only(true), Annotations::new());
    let dispatcher = Dispatcher::new(set![
        tool("get", "openapi", "shop", reads),
        tool("post", "openapi", "shop", silent),
        tool("other", "openapi", "bank", silent),
        tool("mcp", "mcp", "shop", silent),
        tool("own", "rust", "", silent),
    ]);
    for (names, order) in [
        (&["post", "get", "get"][..], "+a -a +b +c -b -c"),
        (&["get", "post", "post"][..], "+a -a +b -b +c -c"),
        (&["post", "other", "mcp", "own", "own"][..], "+a +b +c +d +e -a -b -c -d -e"),
        (&["mcp", "mcp"][..], "+a -a +b -b"),
    ] {
        dispatcher.dispatch(&calls(names)).await;
        assert_eq!(diary.read(), order, "{names:?}");
    }
    let rules = ToolRules::new().overlapping();
    dispatcher.rules("mcp", rules).dispatch(&calls(&["mcp", "mcp"])).await;
    assert_eq!(diary.read(), "+a +b -a -b");
}

#[tokio::test(start_paused = true)]
async fn tools_that_touch_the_same_things_take_turns() {
    let diary = Diary::default();
    let plain = Annotations::new();
    let dispatcher = Dispatcher::new(set![
        diary.tool("pay", plain),
        diary.tool("balance", plain),
        diary.tool("mail", plain),
        diary.tool("clock", plain),
    ])
    .rules("pay", ToolRules::new().writes("accounts"))
    .rules("balance", ToolRules::new().reads("accounts"))
    .rules("mail", ToolRules::new().reads("accounts").writes("outbox"));

    dispatcher.dispatch(&calls(&["balance", "mail", "pay", "clock", "balance"])).await;
    assert_eq!(diary.read(), "+a +b +d -a -b -d +c -c +e -e", "readers together, the writer between them");
    dispatcher.dispatch(&calls(&["mail", "mail"])).await;
    assert_eq!(diary.read(), "+a -a +b -b", "two writers of one thing");

    let alone = dispatcher.rules("clock", ToolRules::new().exclusive());
    alone.dispatch(&calls(&["balance", "clock", "balance"])).await;
    assert_eq!(diary.read(), "+a -a +b -b +c -c");
}

#[tokio::test(start_paused = true)]
async fn a_hundred_calls_wait_together() {
    let diary = Diary::default();
    let agent = Dispatcher::new(set![diary.tool("work", Annotations::new())]).concurrency(100);
    let started = tokio::time::Instant::now();
    assert_eq!(agent.dispatch(&calls(&["work"; 100])).await.len(), 100);
    assert_eq!(started.elapsed(), Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn one_at_a_time_is_in_the_order_of_the_calls() {
    let diary = Diary::default();
    let dispatcher = Dispatcher::new(set![diary.tool("work", Annotations::new())]).concurrency(1);
    dispatcher.dispatch(&calls(&["work", "work", "work"])).await;
    assert_eq!(diary.read(), "+a -a +b -b +c -c");
}

#[tokio::test(start_paused = true)]
async fn a_tool_has_its_own_limit_over_all_runs_and_waiting_costs_no_time() {
    let diary = Diary::default();
    let dispatcher = Dispatcher::new(set![diary.tool("work", Annotations::new())])
        .rules("work", ToolRules::new().at_a_time(1).timeout(Duration::from_millis(1_500)));
    let other = dispatcher.clone();
    let (ours, theirs) = (calls(&["work", "work"]), [ToolCall::new("z", "work", json!({}))]);
    let (mut results, more) = tokio::join!(dispatcher.dispatch(&ours), other.dispatch(&theirs));
    results.extend(more);
    assert!(results.iter().all(|result| !result.output.is_error), "{results:?}");
    let diary = diary.read();
    let running: Vec<&str> = diary.split(' ').collect();
    assert!(running.chunks(2).all(|pair| pair[0][1..] == pair[1][1..]), "{diary}");

    // A host that gives up does not wait for its turn.
    let signal = Cancellation::new();
    signal.cancel();
    let given_up = dispatcher.context(ToolContext::new().cancellation(signal));
    assert!(given_up.call(&ours[0]).await.output.to_text().contains("cancelled"));
}

#[tokio::test(start_paused = true)]
async fn a_tool_has_its_own_time() {
    let hangs = || raw("slow", async |_, _| std::future::pending().await);
    let dispatcher = Dispatcher::new(set![hangs()])
        .timeout(Duration::from_secs(1))
        .rules("slow", ToolRules::new().timeout(Duration::from_secs(90)));
    let text = dispatcher.call(&calls(&["slow"])[0]).await.output.to_text();
    assert_eq!(text, "the tool gave no answer within 90 s");
    let soon = tokio::time::Instant::now().into_std() + Duration::from_secs(3);
    let dispatcher = dispatcher.context(ToolContext::new().deadline(soon));
    let text = dispatcher.call(&calls(&["slow"])[0]).await.output.to_text();
    assert_eq!(text, "the tool gave no answer within 3 s", "the request's limit holds as well");
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_may_pass_is_tried_again_without_the_model() {
    let tries = Arc::new(AtomicUsize::new(0));
    let flaky = |status: u16| {
        let tries = Arc::clone(&tries);
        raw("flaky", move |_, _| {
            let attempt = tries.fetch_add(1, Ordering::SeqCst);
            async move {
                if attempt < 2 {
                    return Err(Upstream::new("come back later").status(status).into());
                }
                Ok(ToolOutput::text("here"))
            }
        })
    };
    let retried: Arc<Mutex<Vec<Value>>> = Arc::default();
    let seen = Arc::clone(&retried);
    let rules = ToolRules::new().retries(3).retry_wait(Duration::from_secs(2));
    let model = chat::script().calls([("flaky", json!({}))]).text("ok");
    let agent = Agent::new(model, set![flaky(503)]).rules("flaky", rules.clone()).observe(move |event| {
        if let AgentEvent::CallRetried { .. } = event {
            seen.lock().unwrap().push(serde_json::to_value(event).unwrap());
        }
    });
    let started = tokio::time::Instant::now();
    let reply = agent.run("?").await.unwrap();
    assert_eq!(crate::fixtures::texts(&reply.messages), ["here"]);
    assert_eq!(started.elapsed(), Duration::from_secs(6), "two seconds, then four");
    assert_eq!(
        *retried.lock().unwrap(),
        [2, 3].map(|attempt| json!({"event": "call_retried", "call_id": "call_1", "name": "flaky",
            "attempt": attempt, "failure": {"code": "upstream", "detail": "come back later"}}))
    );

    for (status, rules, attempts) in [
        (404, rules.clone(), 1),
        (503, ToolRules::new(), 1),
        (503, ToolRules::new().retries(1), 2),
        (404, ToolRules::new().retries(9).retry_if(|_| true), 3),
    ] {
        tries.store(0, Ordering::SeqCst);
        Dispatcher::new(set![flaky(status)]).rules("flaky", rules).call(&calls(&["flaky"])[0]).await;
        assert_eq!(tries.load(Ordering::SeqCst), attempts, "{status}");
    }

    // No wait is begun that is longer than what is left.
    tries.store(0, Ordering::SeqCst);
    let soon = tokio::time::Instant::now().into_std() + Duration::from_secs(1);
    let dispatcher = Dispatcher::new(set![flaky(503)]).rules("flaky", rules);
    let late = dispatcher.context(ToolContext::new().deadline(soon)).call(&calls(&["flaky"])[0]).await;
    assert_eq!(late.output.metadata["error.code"], "timed_out");
}

#[tokio::test]
async fn a_tool_has_its_own_converter() {
    let dispatcher = Dispatcher::new(set![add()]).rules(
        "add",
        ToolRules::new().convert(|output| {
            let sum = output.structured.unwrap_or_default();
            ToolOutput::text(format!("The sum is {sum}."))
        }),
    );
    let call = ToolCall::new("a", "add", json!({"a": 1, "b": 2}));
    assert_eq!(dispatcher.call(&call).await.output, ToolOutput::text("The sum is 3."));
    let wrong = ToolCall::new("a", "add", json!({"a": 1}));
    assert!(dispatcher.call(&wrong).await.output.is_error, "an error of the call is not converted");
}

#[tokio::test]
async fn fifty_megabytes_become_a_part_with_a_notice() {
    let long = || "ä".repeat(25 << 20);
    let tools = set![
        raw("text", move |_, _| std::future::ready(Ok(ToolOutput::text(long())))),
        raw("value", move |_, _| std::future::ready(Ok(ToolOutput::json(
            json!({"all": "ä".repeat(1 << 20)})
        )))),
        raw("picture", |_, _| {
            let picture = Content::image(vec![0_u8; 50 << 20], "image/png");
            std::future::ready(Ok(ToolOutput::text("see:").block(picture)))
        }),
        raw("fails", move |_, _| std::future::ready(Err(ToolError::failed(long())))),
    ];
    let model =
        chat::script().calls(["text", "value", "picture", "fails"].map(|name| (name, json!({})))).text("ok");
    let reply = Agent::new(model, tools.clone()).run("?").await.unwrap();
    let stored = serde_json::to_vec(&reply.messages).unwrap();
    assert!(stored.len() < 1 << 20, "{} bytes are carried along", stored.len());
    let texts = crate::fixtures::texts(&reply.messages);
    assert!(texts[0].starts_with("ää"));
    assert!(
        texts[0].ends_with(
            "[the result is cut: 262144 of 52428800 bytes are shown; ask for less, or for a part]"
        )
    );
    assert!(texts[1].starts_with(r#"{"all":"ää"#) && texts[1].contains("is cut"));
    assert!(
        texts[2]
            .starts_with("see:\n[the result is cut: 4 of 819213 bytes are shown, and 1 part is left out;"),
        "{}",
        &texts[2][..60]
    );
    assert!(texts[3].contains("is cut"));

    let dispatcher = Dispatcher::new(set![echo()]).result_limit(10);
    let short = ToolCall::new("a", "echo", json!({"n": 1}));
    assert_eq!(dispatcher.call(&short).await.output, ToolOutput::json(json!({"n": 1})));
    let long = ToolCall::new("a", "echo", json!({"n": 123_456_789}));
    assert!(dispatcher.call(&long).await.output.to_text().starts_with("{\"n\":12345\n["));
    let all = dispatcher.rules("echo", ToolRules::new().result_limit(None));
    assert_eq!(all.call(&long).await.output, ToolOutput::json(json!({"n": 123_456_789})));
}

#[tokio::test]
async fn hidden_characters_of_imported_tools_are_not_for_the_model() {
    let hidden = "ok\u{200b}\u{e0041}\u{1b}[2J";
    let tool = |name: &str, kind: &str, output: ToolOutput| {
        raw(name, move |_, _| std::future::ready(Ok(output.clone())))
            .define(|definition| definition.origin(Origin::new(kind)))
    };
    let dispatcher = Dispatcher::new(set![
        tool("text", "openapi", ToolOutput::text(hidden)),
        tool("value", "mcp", ToolOutput::json(json!({"a": hidden}))),
        tool("block", "mcp", ToolOutput::from(Content::Json(json!([hidden])))),
        tool("bytes", "mcp", ToolOutput::from(Content::image(&b"x"[..], "image/png"))),
        tool("own", "rust", ToolOutput::text(hidden)),
    ]);
    let shown = async |name| dispatcher.call(&ToolCall::new("a", name, json!({}))).await.output;
    assert_eq!(shown("text").await.to_text(), "ok\\u{1b}[2J");
    let value = shown("value").await;
    assert_eq!(value.to_text(), r#"{"a":"ok\u001b[2J"}"#);
    assert_eq!(value.structured, Some(json!({"a": hidden})), "programs read the value");
    assert_eq!(shown("block").await.to_text(), r#"["ok\u001b[2J"]"#);
    assert_eq!(shown("bytes").await.content.len(), 1);
    assert_eq!(shown("own").await.to_text(), hidden, "what the host wrote is the host's");

    // What stands beside the data of a block is read as well, and so is why a call failed.
    let hidden = "a\u{200b}\u{202e}\u{e0041}\u{1b}[2Jb";
    let data = || b"x".to_vec().into();
    let (text, mime) = (|| hidden.to_owned(), || Some(hidden.to_owned()));
    let blocks = [
        Content::Image { data: data(), mime: text() },
        Content::Audio { data: data(), mime: text() },
        Content::TextResource { uri: text(), mime: mime(), text: text() },
        Content::BlobResource { uri: text(), mime: mime(), data: data() },
        Content::ResourceLink { uri: text(), name: text(), mime: mime() },
    ];
    let failing = |name: &str, kind: &str, error: fn(String) -> ToolError| {
        raw(name, move |_, _| std::future::ready(Err::<ToolOutput, _>(error(hidden.to_owned()))))
            .define(|definition| definition.origin(Origin::new(kind)))
    };
    let mut tools: Vec<(&str, Arc<dyn Tool>)> = vec![
        ("failed", Arc::new(failing("failed", "openapi", ToolError::failed))),
        ("refused", Arc::new(failing("refused", "opentool", |text| ToolError::Refused(text.into())))),
        ("marked", Arc::new(tool("marked", "mcp", ToolOutput::error(hidden)))),
    ];
    for block in blocks {
        tools.push(("block", Arc::new(tool("block", "mcp", ToolOutput::from(block)))));
    }
    for (name, tool) in tools {
        let dispatcher = Dispatcher::new(crate::fixtures::collect([tool]));
        let output = dispatcher.call(&ToolCall::new("a", name, json!({}))).await.output;
        let read = serde_json::to_string(&output.content).unwrap();
        let hidden = |text: &str| text.contains(['\u{200b}', '\u{202e}', '\u{e0041}', '\u{1b}']);
        assert!(!hidden(&read) && !read.contains(r"\u001b") && !hidden(&output.to_text()), "{name}: {read}");
        assert!(read.contains(r"\\u{1b}[2J"), "{name}: {read}");
    }
    let own = Dispatcher::new(set![failing("own", "rust", ToolError::failed)]);
    let told = own.call(&ToolCall::new("a", "own", json!({}))).await.output.to_text();
    assert!(told.contains(hidden), "what the host wrote is the host's: {told:?}");
}
