//! OpenAI Responses, as documented.

use opentool_agent::chat::Provider;
use opentool_core::ToolChoice;
use serde_json::{Value, json};

use super::{Answer, Wire, events};

fn response(output: &[Value], status: &str, incomplete: &Value, usage: &Value) -> Value {
    json!({"id": "resp_1", "object": "response", "created_at": 1, "status": status, "error": null,
           "incomplete_details": incomplete, "instructions": null, "metadata": {}, "model": "gpt-5", "output": output,
           "parallel_tool_calls": true, "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0,
           "usage": usage})
}

fn usage() -> Value {
    json!({"input_tokens": 10, "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2},
           "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 1}, "total_tokens": 15})
}

/// The events of one item, each with the item's place.
fn item(index: usize, item: &Value, deltas: &[Value]) -> Vec<Value> {
    // At first it is empty.
    let mut empty = item.clone();
    for (key, nothing) in [("content", json!([])), ("summary", json!([])), ("arguments", json!(""))] {
        if empty.get(key).is_some() {
            empty[key] = nothing;
        }
    }
    if empty.get("status").is_some() {
        empty["status"] = "in_progress".into();
    }
    let added = json!({"type": "response.output_item.added", "output_index": index, "item": empty});
    let done = json!({"type": "response.output_item.done", "output_index": index, "item": item});
    let deltas = deltas.iter().map(|delta| {
        let mut delta = delta.clone();
        delta["output_index"] = index.into();
        delta["item_id"] = item["id"].clone();
        delta
    });
    std::iter::once(added).chain(deltas).chain([done]).collect()
}

fn answer(items: &[(Value, Vec<Value>)], status: &str, incomplete: &Value) -> Answer {
    let output: Vec<Value> = items.iter().map(|(item, _)| item.clone()).collect();
    let whole = response(&output, status, incomplete, &usage());
    let begun = response(&[], "in_progress", &Value::Null, &Value::Null);
    let begin = |kind: &str| json!({"type": format!("response.{kind}"), "response": begun});
    let mut list = vec![begin("created"), begin("in_progress")];
    for (index, (one, deltas)) in items.iter().enumerate() {
        list.extend(item(index, one, deltas));
    }
    list.push(json!({"type": format!("response.{status}"), "response": whole}));
    Answer { stream: events(&numbered(list), ""), whole }
}

fn numbered(mut events: Vec<Value>) -> Vec<Value> {
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = number.into();
    }
    events
}

/// A message of one part, which grows.
fn message(part: &Value, empty: &Value, deltas: Vec<Value>, done: Value) -> (Value, Vec<Value>) {
    let message = json!({"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [part]});
    let mut list = vec![json!({"type": "response.content_part.added", "part": empty})];
    list.extend(deltas);
    list.extend([done, json!({"type": "response.content_part.done", "part": part})]);
    list.iter_mut().for_each(|event| event["content_index"] = 0.into());
    (message, list)
}

fn said(pieces: &[&str]) -> (Value, Vec<Value>) {
    let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
    let delta = |text| json!({"type": "response.output_text.delta", "delta": text, "logprobs": []});
    let whole = pieces.concat();
    let done = json!({"type": "response.output_text.done", "text": whole, "logprobs": []});
    message(&part(&whole), &part(""), pieces.iter().map(delta).collect(), done)
}

fn refused(pieces: &[&str]) -> (Value, Vec<Value>) {
    let part = |text: &str| json!({"type": "refusal", "refusal": text});
    let delta = |text| json!({"type": "response.refusal.delta", "delta": text});
    let whole = pieces.concat();
    let done = json!({"type": "response.refusal.done", "refusal": whole});
    message(&part(&whole), &part(""), pieces.iter().map(delta).collect(), done)
}

fn thought(pieces: &[&str]) -> (Value, Vec<Value>) {
    let part = |text: &str| json!({"type": "summary_text", "text": text});
    let whole = pieces.concat();
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "c2VjcmV0", "summary": [part(&whole)]});
    let mut list = vec![json!({"type": "response.reasoning_summary_part.added", "part": part("")})];
    let delta = |text| json!({"type": "response.reasoning_summary_text.delta", "delta": text});
    list.extend(pieces.iter().map(delta));
    list.push(json!({"type": "response.reasoning_summary_text.done", "text": whole}));
    list.push(json!({"type": "response.reasoning_summary_part.done", "part": part(&whole)}));
    list.iter_mut().for_each(|event| event["summary_index"] = 0.into());
    (reasoning, list)
}

fn call(id: &str, name: &str, pieces: &[&str]) -> (Value, Vec<Value>) {
    let call = json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name,
                      "arguments": pieces.concat(), "status": "completed"});
    let mut deltas: Vec<Value> = pieces
        .iter()
        .map(|delta| json!({"type": "response.function_call_arguments.delta", "delta": delta}))
        .collect();
    deltas.push(json!({"type": "response.function_call_arguments.done", "arguments": pieces.concat()}));
    (call, deltas)
}

pub(super) fn responses() -> Wire {
    let items = [
        thought(&["Two ", "numbers."]),
        said(&["I ", "add."]),
        call("call_a", "add", &["{\"a\": 1", ", \"b\": 2}"]),
        call("call_b", "shot", &["{}"]),
        call("call_c", "add", &["{\"a\": 1}"]),
    ];
    let turn: Vec<Value> = items.iter().map(|(item, _)| item.clone()).collect();
    let mut failed = response(&[], "failed", &Value::Null, &Value::Null);
    failed["error"] = json!({"code": "server_error", "message": "overloaded key-0123456789"});
    let failed = json!({"type": "response.failed", "response": failed});
    let mut expected = vec![
        json!({"role": "system", "content": "Be short."}),
        json!({"role": "user", "content": [{"type": "input_text", "text": "1 + 2?"}]}),
    ];
    expected.extend(turn);
    expected.extend([
        json!({"type": "function_call_output", "call_id": "call_a", "output": "3"}),
        json!({"type": "function_call_output", "call_id": "call_b", "output": [
            {"type": "input_text", "text": "the screen"},
            {"type": "input_image", "image_url": "data:image/png;base64,cG5n"},
        ]}),
        json!({"type": "function_call_output", "call_id": "call_c", "output": "…"}),
    ]);
    Wire {
        provider: Provider::OpenAiResponses,
        kind: "text/event-stream; charset=utf-8",
        plain: answer(&[said(&["Hel", "lo."])], "completed", &Value::Null),
        calls: answer(&items, "completed", &Value::Null),
        refusal: answer(&[refused(&["I ", "cannot."])], "completed", &Value::Null),
        cut_off: answer(&[said(&["Once"])], "incomplete", &json!({"reason": "max_output_tokens"})),
        failure: Some(events(&numbered(vec![failed]), "")),
        second: |body| {
            assert_eq!(body["store"], false);
            let mut input = body["input"].clone();
            assert!(input[9]["output"].as_str().unwrap().starts_with("Error: invalid arguments"));
            input[9]["output"] = "…".into();
            input
        },
        expected: expected.into(),
        wish: |body| {
            assert_eq!(body["parallel_tool_calls"], false);
            json!([body["tools"].as_array().map(Vec::len), body["tool_choice"]])
        },
        wishes: vec![
            (ToolChoice::Auto, json!([2, null])),
            (ToolChoice::Required, json!([2, "required"])),
            (ToolChoice::None, json!([2, "none"])),
            (ToolChoice::tool("shot"), json!([2, {"type": "function", "name": "shot"}])),
            (ToolChoice::among(["shot"]), json!([1, null])),
            (ToolChoice::one_of(["shot"]), json!([1, "required"])),
        ],
    }
}
