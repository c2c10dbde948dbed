//! Arguments that a value does not hold as they were written: on every wire, whole and streamed, nothing else is run.

use std::sync::{Arc, Mutex};

use axum::http::header;
use axum::response::IntoResponse as _;
use opentool_agent::Agent;
use opentool_agent::chat::{Model, Provider};
use opentool_core::{Arguments, ToolOutput};
use serde_json::{Value, json};

use super::{Whole, wires};
use crate::fixtures::{raw, set, texts};
use crate::loopback::{json_answer, server, streamed};

const PROVIDERS: [Provider; 6] = [
    Provider::OpenAi,
    Provider::Mistral,
    Provider::OpenAiResponses,
    Provider::Anthropic,
    Provider::Gemini,
    Provider::Ollama,
];

/// What stands under the key of a call's arguments: `pay(…)`, or nothing for `list()`.
type Written<'a> = Option<&'a str>;

/// A call as the provider writes it.
fn call(provider: Provider, number: usize, written: Written<'_>) -> String {
    let (name, key) = (if written.is_some() { "pay" } else { "list" }, key(provider));
    let arguments = written.map(|written| format!(",\"{key}\":{written}")).unwrap_or_default();
    match provider {
        Provider::OpenAiResponses => {
            let arguments = if arguments.is_empty() { ",\"arguments\":\"{}\"" } else { &arguments };
            format!(r#"{{"type":"function_call","call_id":"c{number}","name":"{name}"{arguments}}}"#)
        }
        Provider::Anthropic => {
            let arguments = if arguments.is_empty() { ",\"input\":{}" } else { &arguments };
            format!(r#"{{"type":"tool_use","id":"t{number}","name":"{name}"{arguments}}}"#)
        }
        Provider::Gemini => format!(r#"{{"functionCall":{{"name":"{name}"{arguments}}}}}"#),
        Provider::Ollama => format!(r#"{{"function":{{"name":"{name}"{arguments}}}}}"#),
        _ => format!(
            r#"{{"index":{number},"id":"D681Pev{number:02}","type":"function","function":{{"name":"{name}"{arguments}}}}}"#
        ),
    }
}

fn key(provider: Provider) -> &'static str {
    match provider {
        Provider::Anthropic => "input",
        Provider::Gemini => "args",
        _ => "arguments",
    }
}

/// The answer at once, and as a stream.
fn answer(provider: Provider, calls: &[String]) -> (String, String) {
    let list = calls.join(",");
    let data = |events: &[String]| -> String { events.iter().map(|e| format!("data: {e}\n\n")).collect() };
    match provider {
        Provider::OpenAiResponses => {
            let whole = format!(r#"{{"status":"completed","output":[{list}]}}"#);
            let mut events = Vec::new();
            for (number, item) in calls.iter().enumerate() {
                for kind in ["added", "done"] {
                    let kind = format!("response.output_item.{kind}");
                    events.push(format!(r#"{{"type":"{kind}","output_index":{number},"item":{item}}}"#));
                }
            }
            events.push(
                r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#.to_owned(),
            );
            (whole, data(&events))
        }
        Provider::Anthropic => {
            let mut events: Vec<String> = Vec::new();
            for (number, block) in calls.iter().enumerate() {
                events.push(format!(
                    r#"{{"type":"content_block_start","index":{number},"content_block":{block}}}"#
                ));
            }
            events.push(r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#.to_owned());
            events.push(r#"{"type":"message_stop"}"#.to_owned());
            (format!(r#"{{"content":[{list}],"stop_reason":"tool_use"}}"#), data(&events))
        }
        Provider::Gemini => {
            let whole = format!(
                r#"{{"candidates":[{{"content":{{"role":"model","parts":[{list}]}},"finishReason":"STOP"}}]}}"#
            );
            (whole.clone(), data(&[whole]))
        }
        Provider::Ollama => {
            let whole = format!(
                r#"{{"message":{{"content":"","tool_calls":[{list}]}},"done":true,"done_reason":"stop"}}"#
            );
            (whole.clone(), format!("{whole}\n"))
        }
        _ => {
            let choice = |key: &str| {
                format!(
                    r#"{{"choices":[{{"index":0,"{key}":{{"role":"assistant","content":null,"tool_calls":[{list}]}},"finish_reason":"tool_calls"}}]}}"#
                )
            };
            (choice("message"), data(&[choice("delta"), "[DONE]".to_owned()]))
        }
    }
}

/// What `pay` was run with, and what the results say; none where the answer was refused as a whole.
async fn outcome(provider: Provider, calls: &[String], streaming: bool) -> (Vec<Value>, Option<Vec<String>>) {
    let wire = wires().into_iter().find(|wire| wire.provider == provider).unwrap();
    let ((whole, stream), kind, plain) = (answer(provider, calls), wire.kind, wire.plain);
    let server = server(move |number| match (streaming, number) {
        (false, 0) => ([(header::CONTENT_TYPE, "application/json")], whole.clone()).into_response(),
        (false, _) => json_answer(&plain.whole),
        (true, 0) => streamed(kind, &stream, 7),
        (true, _) => streamed(kind, &plain.stream, 64),
    })
    .await;
    let model = Model::new(provider, "m").base_url(server.base.trim_end_matches("/v1")).unwrap();
    let paid: Arc<Mutex<Vec<Value>>> = Arc::default();
    let keep = Arc::clone(&paid);
    let pay = raw("pay", move |_, arguments: Arguments| {
        keep.lock().unwrap().push(Value::Object(arguments.into_map()));
        std::future::ready(Ok(ToolOutput::text("paid")))
    })
    .define(|tool| {
        tool.input_schema(json!({
            "type": "object",
            "properties": {"amount": {"type": "number"}, "to": {"type": "string"}},
            "required": ["amount", "to"],
        }))
    });
    let list = raw("list", |_, _| std::future::ready(Ok(ToolOutput::text("listed"))));
    let reply = Agent::new(Whole { model, streaming }, set![pay, list]).run("?").await;
    let paid = std::mem::take(&mut *paid.lock().unwrap());
    (paid, reply.ok().map(|reply| texts(&reply.messages)))
}

#[tokio::test]
async fn a_number_that_nothing_holds_is_no_other_number() {
    let broken = r#"{"amount":1e999,"to":"bob"}"#;
    for provider in PROVIDERS {
        for streaming in [false, true] {
            for (place, calls) in
                [(0, vec![Some(broken)]), (0, vec![Some(broken), None]), (1, vec![None, Some(broken)])]
            {
                let case = format!("{provider}, streaming: {streaming}, {calls:?}");
                let calls: Vec<String> =
                    calls.into_iter().enumerate().map(|(n, written)| call(provider, n, written)).collect();
                let (paid, results) = outcome(provider, &calls, streaming).await;
                let results = results.unwrap_or_else(|| panic!("{case}: no other call is hidden"));
                assert_eq!(paid, [] as [Value; 0], "{case}");
                assert_eq!(results.len(), calls.len(), "{case}");
                assert!(!results[place].contains("paid"), "{case}: {results:?}");
                if let Some(other) = results.get(1 - place) {
                    assert_eq!(other, "listed", "{case}");
                }
            }
        }
    }
}

/// An object is judged as the same thing in a text is, which all stages read exactly.
#[tokio::test]
async fn arguments_as_an_object_are_read_as_those_in_a_text() {
    for written in [
        r#"{"amount":12345678901234567890123,"to":"bob","to":"eve"}"#,
        r#"{"amount":12345678901234567890123,"to":"bob"}"#,
        r#"{"amount":0.1000000000000000055,"to":"bob"}"#,
        r#"{"amount":1,"amount":2,"to":"bob"}"#,
        r#"{"amount":1.50,"to":"bob"}"#,
    ] {
        let text = Value::from(written).to_string();
        for provider in PROVIDERS {
            for other in [false, true] {
                let calls = |written: &str| -> Vec<String> {
                    let list = other.then(|| call(provider, 0, None));
                    list.into_iter().chain([call(provider, 1, Some(written))]).collect()
                };
                let (expected, _) = outcome(provider, &calls(&text), false).await;
                for streaming in [false, true] {
                    let (paid, results) = outcome(provider, &calls(written), streaming).await;
                    assert_eq!(paid, expected, "{provider}, streaming: {streaming}: {written}");
                    assert!(results.is_some(), "{provider}, streaming: {streaming}: {written}");
                }
            }
        }
    }
}

#[tokio::test]
async fn of_two_sets_of_arguments_neither_is_run() {
    for provider in PROVIDERS {
        let key = key(provider);
        let twice = format!(r#"{{"amount":1,"to":"bob"}},"{key}":{{"amount":1,"to":"eve"}}"#);
        for streaming in [false, true] {
            let (paid, _) = outcome(provider, &[call(provider, 0, Some(&twice))], streaming).await;
            assert_eq!(paid, [] as [Value; 0], "{provider}, streaming: {streaming}");
        }
    }
}
