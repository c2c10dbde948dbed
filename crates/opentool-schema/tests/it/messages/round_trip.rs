//! Laws: what is written is read as the same calls, and every call has exactly one result, in every format.

use opentool_core::{AssistantMessage, ToolCall, ToolOutput, ToolResult};
use opentool_schema::{CallIds, MessageFormat, parse_calls, write_calls, write_results};
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::is_mcp;

/// Values whose numbers survive.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(Value::from("</tool_call> <tool_call> \u{2028} \"\\")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".{0,6}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn objects() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec(("[a-z/~<. é]{1,6}", values()), 0..4)
        .prop_map(|members| members.into_iter().collect())
}

fn calls() -> impl Strategy<Value = Vec<ToolCall>> {
    let call = ("[a-zA-Z0-9]{9}", "[a-zA-Z_][a-zA-Z0-9_-]{0,20}", objects(), any::<bool>());
    prop::collection::vec(call, 0..5).prop_map(|calls| {
        let mut calls: Vec<ToolCall> = calls
            .into_iter()
            .map(|(id, name, arguments, as_text)| {
                let arguments = Value::Object(arguments);
                let arguments = if as_text { Value::from(arguments.to_string()) } else { arguments };
                ToolCall::new(id, name, arguments)
            })
            .collect();
        let mut seen = std::collections::HashSet::new();
        calls.retain(|call| seen.insert(call.id.clone()));
        calls
    })
}

/// The arguments whichever way they are held.
fn plain(call: &ToolCall) -> (String, String, Value) {
    let arguments = match &call.arguments {
        Value::String(text) => serde_json::from_str(text).unwrap(),
        other => other.clone(),
    };
    (call.id.clone(), call.name.clone(), arguments)
}

/// The value that a written turn is read from.
fn whole(format: MessageFormat, mut messages: Vec<Value>) -> Value {
    match format {
        // Lists of items and requests are read as they are.
        MessageFormat::OpenAiResponses => Value::from(messages),
        format if is_mcp(format) => Value::from(messages),
        _ => {
            assert_eq!(messages.len(), 1);
            messages.remove(0)
        }
    }
}

/// Text keeps no ids.
fn keeps_ids(format: MessageFormat) -> bool {
    format != MessageFormat::Text
}

/// The ids of results, wherever a format has them.
fn ids_of(format: MessageFormat, written: &[Value]) -> Vec<String> {
    let key = match format {
        MessageFormat::OpenAiChat
        | MessageFormat::Mistral
        | MessageFormat::Cohere
        | MessageFormat::Ollama => "/tool_call_id",
        MessageFormat::OpenAiResponses => "/call_id",
        MessageFormat::Anthropic => "/tool_use_id",
        MessageFormat::Gemini => "/functionResponse/id",
        MessageFormat::Bedrock => "/toolResult/toolUseId",
        _ => "/id",
    };
    let inner = match format {
        MessageFormat::Anthropic | MessageFormat::Bedrock => written[0]["content"].as_array().unwrap(),
        MessageFormat::Gemini => written[0]["parts"].as_array().unwrap(),
        _ => written,
    };
    inner.iter().map(|result| result.pointer(key).unwrap().as_str().unwrap().to_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_as_the_same_calls(calls in calls(), said in "[a-zA-Z ]{0,10}") {
        for format in MessageFormat::all().iter().copied() {
            // Words around calls in a text belong to their template, and MCP has no words.
            let has_words = !(format == MessageFormat::Text || is_mcp(format)) || calls.is_empty();
            let turn = AssistantMessage::calls(calls.clone());
            let turn = if said.trim().is_empty() { turn } else { turn.say(said.clone()) };
            let written = write_calls(format, &turn);
            if calls.is_empty() && (said.trim().is_empty() || is_mcp(format)) {
                prop_assert!(written.is_empty());
                continue;
            }
            let value = whole(format, written);
            let parsed = parse_calls(format, &value).unwrap();
            prop_assert_eq!(&parsed.problems, &[], "{} {}", format, value);
            let mut read: Vec<_> = parsed.calls.iter().map(plain).collect();
            let mut meant: Vec<_> = calls.iter().map(plain).collect();
            if !keeps_ids(format) {
                read.iter_mut().chain(&mut meant).for_each(|call| call.0.clear());
            }
            prop_assert_eq!(read, meant, "{}", format);
            if has_words && !said.trim().is_empty() {
                prop_assert_eq!(parsed.text.trim(), said.trim());
            }
            // Over the wire as text it is the same.
            if format != MessageFormat::Text {
                let again = parse_calls(format, &value.to_string()).unwrap();
                prop_assert_eq!(&again.calls, &parsed.calls);
            }
        }
    }

    #[test]
    fn every_call_has_one_result_in_order(calls in calls(), blank in any::<bool>(), failed in any::<bool>()) {
        let output = |i: usize| {
            let mut output = if blank { ToolOutput::new() } else { ToolOutput::text(format!("answer {i}")) };
            output.is_error = failed;
            output
        };
        let mut results: Vec<ToolResult> =
            calls.iter().enumerate().map(|(i, call)| ToolResult::new(call, output(i))).collect();
        // A second result of the first call does not count.
        results.extend(calls.first().map(|call| ToolResult::new(call, ToolOutput::text("again"))));
        for format in MessageFormat::all().iter().copied() {
            let written = write_results(format, &results);
            if calls.is_empty() {
                prop_assert!(written.is_empty());
                continue;
            }
            let text = Value::from(written.clone()).to_string();
            prop_assert!(!text.contains("again"), "{format}: {text}");
            prop_assert!(!text.contains("\"\"") && !text.contains("[]") && !text.contains("null"), "{format}: {text}");
            if keeps_ids(format) {
                let meant: Vec<String> = calls.iter().map(|call| call.id.clone()).collect();
                if !is_mcp(format) {
                    prop_assert_eq!(ids_of(format, &written), meant, "{}", format);
                }
            }
        }
    }

    #[test]
    fn foreign_ids_find_the_way_back(ids in prop::collection::hash_set(".{0,60}|[a-zA-Z0-9]{9}", 0..20)) {
        for format in MessageFormat::all().iter().copied() {
            let mut table = CallIds::new(format);
            let wires: Vec<String> = ids.iter().map(|id| table.encode(id)).collect();
            let distinct: std::collections::HashSet<&String> = wires.iter().collect();
            prop_assert_eq!(distinct.len(), ids.len());
            for (id, wire) in ids.iter().zip(&wires) {
                prop_assert_eq!(table.decode(wire), id.as_str());
                prop_assert_eq!(&table.encode(id), wire, "always the same");
                prop_assert!(!wire.is_empty());
                if format == MessageFormat::Mistral {
                    prop_assert!(wire.len() == 9 && wire.bytes().all(|b| b.is_ascii_alphanumeric()), "{}", wire);
                }
            }
        }
    }

    #[test]
    fn no_value_makes_reading_panic(value in values(), keys in prop::collection::vec(0..KEYS.len(), 1..5)) {
        // The value in the places where answers have theirs.
        for depth in 0..keys.len() {
            let mut nested = value.clone();
            for key in &keys[depth..] {
                nested = match KEYS[*key] {
                    "[]" => Value::from(vec![nested]),
                    key => serde_json::json!({key: nested, "name": "x"}),
                };
            }
            for format in MessageFormat::all().iter().copied() {
                let _ = parse_calls(format, &nested).map(|parsed| {
                    let results = parsed.results(&[]);
                    (results, write_calls(format, &parsed.into_message()))
                });
            }
        }
    }
}

const KEYS: &[&str] = &[
    "[]",
    "choices",
    "message",
    "tool_calls",
    "function",
    "arguments",
    "id",
    "content",
    "output",
    "type",
    "input",
    "candidates",
    "parts",
    "functionCall",
    "args",
    "toolUse",
    "toolUseId",
    "params",
    "method",
    "error",
    "tool_plan",
    "function_call",
    "custom",
    "call_id",
    "toolCall",
    "functionCalls",
];

#[test]
fn an_id_that_is_another_ones_mapping_stays_apart() {
    let mut table = CallIds::new(MessageFormat::Mistral);
    let wire = table.encode("toolu_01A09q90qw90lq917835lq9");
    // A call of Mistral's own happens to have it.
    let other = table.encode(&wire);
    assert_ne!(other, wire);
    assert_eq!((table.decode(&other), table.decode(&wire)), (wire.as_str(), "toolu_01A09q90qw90lq917835lq9"));
}
