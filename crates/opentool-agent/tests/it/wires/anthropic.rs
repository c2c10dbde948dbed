//! Anthropic Messages, as documented.

use opentool_agent::chat::Provider;
use opentool_core::ToolChoice;
use serde_json::{Value, json};

use super::{Answer, Wire, events};

fn message(content: Value, stop: &str) -> Value {
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": content,
           "stop_reason": stop, "stop_sequence": null,
           "usage": {"input_tokens": 6, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 0, "output_tokens": 5,
                     "output_tokens_details": {"thinking_tokens": 1}}})
}

fn stream(blocks: &[(Value, Vec<Value>)], stop: &str) -> String {
    let mut list = vec![
        json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant",
               "model": "claude", "content": [], "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 6, "cache_read_input_tokens": 4, "output_tokens": 1}}}),
        json!({"type": "ping"}),
    ];
    for (index, (start, deltas)) in blocks.iter().enumerate() {
        list.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        list.extend(
            deltas.iter().map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
        );
        list.push(json!({"type": "content_block_stop", "index": index}));
    }
    list.push(json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 5, "output_tokens_details": {"thinking_tokens": 1}}}));
    list.push(json!({"type": "message_stop"}));
    events(&list, "")
}

fn text(pieces: &[&str]) -> (Value, Vec<Value>) {
    let deltas = pieces.iter().map(|text| json!({"type": "text_delta", "text": text})).collect();
    (json!({"type": "text", "text": ""}), deltas)
}

fn said(pieces: &[&str], stop: &str) -> Answer {
    let whole = message(json!([{"type": "text", "text": pieces.concat()}]), stop);
    Answer { whole, stream: stream(&[text(pieces)], stop) }
}

fn call(id: &str, name: &str, pieces: &[&str]) -> (Value, Vec<Value>) {
    let deltas =
        pieces.iter().map(|json| json!({"type": "input_json_delta", "partial_json": json})).collect();
    (json!({"type": "tool_use", "id": id, "name": name, "input": {}}), deltas)
}

pub(super) fn anthropic() -> Wire {
    let turn = json!([
        {"type": "thinking", "thinking": "Two numbers.", "signature": "c2lnbmF0dXJl"},
        {"type": "text", "text": "I add."},
        {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1, "b": 2}},
        {"type": "tool_use", "id": "toolu_2", "name": "shot", "input": {}},
        {"type": "tool_use", "id": "toolu_3", "name": "add", "input": {"a": 1}},
    ]);
    let thought = (
        json!({"type": "thinking", "thinking": "", "signature": ""}),
        vec![
            json!({"type": "thinking_delta", "thinking": "Two "}),
            json!({"type": "thinking_delta", "thinking": "numbers."}),
            json!({"type": "signature_delta", "signature": "c2lnbmF0dXJl"}),
        ],
    );
    let blocks = [
        thought,
        text(&["I ", "add."]),
        call("toolu_1", "add", &["", "{\"a\": 1", ", \"b\": 2}"]),
        call("toolu_2", "shot", &[]),
        call("toolu_3", "add", &["{\"a\":", " 1}"]),
    ];
    let one = |kind: &str| json!({"type": kind, "disable_parallel_tool_use": true});
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "overloaded key-0123456789"}});
    Wire {
        provider: Provider::Anthropic,
        kind: "text/event-stream; charset=utf-8",
        plain: said(&["Hel", "lo."], "end_turn"),
        calls: Answer { whole: message(turn.clone(), "tool_use"), stream: stream(&blocks, "tool_use") },
        refusal: said(&["No."], "refusal"),
        cut_off: said(&["Once"], "max_tokens"),
        failure: Some(events(&[overloaded], "")),
        second: |body| {
            let mut messages = body["messages"].clone();
            // The text of the error is the tool's business.
            assert!(messages[2]["content"][2]["content"].as_str().unwrap().contains("invalid arguments"));
            messages[2]["content"][2]["content"] = "…".into();
            json!([body["system"], messages])
        },
        expected: json!(["Be short.", [
            {"role": "user", "content": "1 + 2?"},
            {"role": "assistant", "content": turn},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "3"},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": [
                    {"type": "text", "text": "the screen"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cG5n"}},
                ]},
                {"type": "tool_result", "tool_use_id": "toolu_3", "content": "…", "is_error": true},
            ]},
        ]]),
        wish: |body| json!([body["tools"].as_array().map(Vec::len), body["tool_choice"]]),
        wishes: vec![
            (ToolChoice::Auto, json!([2, one("auto")])),
            (ToolChoice::Required, json!([2, one("any")])),
            (ToolChoice::None, json!([2, {"type": "none"}])),
            (
                ToolChoice::tool("shot"),
                json!([2, {"type": "tool", "name": "shot", "disable_parallel_tool_use": true}]),
            ),
            (ToolChoice::among(["shot"]), json!([1, one("auto")])),
            (ToolChoice::one_of(["shot"]), json!([1, one("any")])),
        ],
    }
}
