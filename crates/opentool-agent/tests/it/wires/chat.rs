//! Chat Completions and Mistral's chat, as documented.

use opentool_agent::chat::Provider;
use opentool_core::ToolChoice;
use serde_json::{Value, json};

use super::{Answer, Wire, events};

fn usage(provider: Provider) -> Value {
    match provider {
        Provider::Mistral => json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}),
        _ => json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15,
                    "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2},
                    "completion_tokens_details": {"reasoning_tokens": 1}}),
    }
}

fn whole(provider: Provider, message: &Value, finish: &str) -> Value {
    json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m",
           "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish}], "usage": usage(provider)})
}

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
           "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": null})
}

fn stream(provider: Provider, deltas: &[Value], finish: &str) -> String {
    let mut list: Vec<Value> = deltas.iter().map(|delta| chunk(delta, None)).collect();
    let mut last = chunk(&json!({}), Some(finish));
    if provider == Provider::Mistral {
        last["usage"] = usage(provider);
        list.push(last);
    } else {
        list.push(last.clone());
        // A frame without a choice says what it cost.
        last["choices"] = json!([]);
        last["usage"] = usage(provider);
        list.push(last);
    }
    events(&list, "data: [DONE]\n\n")
}

fn said(provider: Provider, pieces: &[&str], finish: &str) -> Answer {
    let first = json!({"role": "assistant", "content": ""});
    let deltas: Vec<Value> =
        std::iter::once(first).chain(pieces.iter().map(|text| json!({"content": text}))).collect();
    let message = json!({"role": "assistant", "content": pieces.concat()});
    Answer { whole: whole(provider, &message, finish), stream: stream(provider, &deltas, finish) }
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

fn failure() -> Option<String> {
    let error =
        json!({"error": {"message": "overloaded key-0123456789", "type": "server_error", "code": 500}});
    Some(events(&[chunk(&json!({"content": ""}), None), error], ""))
}

fn wish(body: &Value) -> Value {
    assert_eq!(body["parallel_tool_calls"], false);
    json!([body["tools"].as_array().map(Vec::len), body["tool_choice"]])
}

fn wishes(required: &str) -> Vec<(ToolChoice, Value)> {
    vec![
        (ToolChoice::Auto, json!([2, null])),
        (ToolChoice::Required, json!([2, required])),
        (ToolChoice::None, json!([2, "none"])),
        (ToolChoice::tool("shot"), json!([2, {"type": "function", "function": {"name": "shot"}}])),
        (ToolChoice::among(["shot"]), json!([1, null])),
        (ToolChoice::one_of(["shot"]), json!([1, required])),
    ]
}

pub(super) fn openai() -> Wire {
    let provider = Provider::OpenAi;
    let turn = json!({"role": "assistant", "content": "I add.", "reasoning_content": "Two numbers.", "tool_calls": [
        call("call_a", "add", "{\"a\": 1, \"b\": 2}"), call("call_b", "shot", "{}"), call("call_c", "add", "{\"a\": 1}")]});
    let fragment = |index: u64, more: Value| {
        let mut call = json!({"index": index});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"tool_calls": [call]})
    };
    // Empty first fragments, and three calls that grow in turn.
    let deltas = [
        json!({"role": "assistant", "content": null}),
        json!({"reasoning_content": "Two "}),
        json!({"reasoning_content": "numbers."}),
        json!({"content": "I "}),
        json!({"content": "add."}),
        fragment(0, json!({"id": "call_a", "type": "function", "function": {"name": "", "arguments": ""}})),
        fragment(0, json!({"function": {"name": "add", "arguments": ""}})),
        fragment(
            1,
            json!({"id": "call_b", "type": "function", "function": {"name": "shot", "arguments": ""}}),
        ),
        fragment(0, json!({"function": {"arguments": "{\"a\": 1,"}})),
        fragment(
            2,
            json!({"id": "call_c", "type": "function", "function": {"name": "add", "arguments": "{\"a\""}}),
        ),
        fragment(1, json!({"function": {"arguments": "{}"}})),
        fragment(0, json!({"function": {"arguments": " \"b\": 2}"}})),
        fragment(2, json!({"function": {"arguments": ": 1}"}})),
    ];
    let refusal = json!({"role": "assistant", "content": null, "refusal": "I cannot."});
    Wire {
        provider,
        kind: "text/event-stream",
        plain: said(provider, &["Hel", "lo."], "stop"),
        calls: Answer {
            whole: whole(provider, &turn, "tool_calls"),
            stream: stream(provider, &deltas, "tool_calls"),
        },
        refusal: Answer {
            whole: whole(provider, &refusal, "stop"),
            stream: stream(
                provider,
                &[json!({"role": "assistant", "refusal": "I "}), json!({"refusal": "cannot."})],
                "stop",
            ),
        },
        cut_off: said(provider, &["Once"], "length"),
        failure: failure(),
        second: |body| {
            let mut messages = body["messages"].clone();
            assert!(messages[5]["content"].as_str().unwrap().starts_with("Error: invalid arguments"));
            messages[5]["content"] = "…".into();
            messages
        },
        expected: json!([
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "1 + 2?"},
            turn,
            {"role": "tool", "tool_call_id": "call_a", "content": "3"},
            {"role": "tool", "tool_call_id": "call_b", "content": "the screen\n[image image/png, 3 bytes]"},
            {"role": "tool", "tool_call_id": "call_c", "content": "…"},
            {"role": "user", "content": [
                {"type": "text", "text": "The images in the results above, in their order:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n"}},
            ]},
        ]),
        wish,
        wishes: wishes("required"),
    }
}

pub(super) fn mistral() -> Wire {
    let provider = Provider::Mistral;
    let thinking = |text: &str| json!({"type": "thinking", "thinking": [{"type": "text", "text": text}]});
    let signed = |text: &str| json!({"type": "thinking", "thinking": [{"type": "text", "text": text}], "signature": "c2ln"});
    let calls = json!([
        call("D681PevKs", "add", "{\"a\": 1, \"b\": 2}"),
        call("D681PevKt", "shot", "{}"),
        call("D681PevKu", "add", "{\"a\": 1}"),
    ]);
    let content = json!([signed("Two numbers."), {"type": "text", "text": "I add."}]);
    let turn = json!({"role": "assistant", "content": content, "tool_calls": calls});
    // Calls come whole, in one piece.
    let deltas = [
        json!({"role": "assistant", "content": ""}),
        json!({"content": [thinking("Two ")]}),
        json!({"content": [signed("numbers.")]}),
        json!({"content": "I "}),
        json!({"content": "add."}),
        json!({"tool_calls": calls}),
    ];
    Wire {
        provider,
        kind: "text/event-stream; charset=utf-8",
        plain: said(provider, &["Hel", "lo."], "stop"),
        calls: Answer {
            whole: whole(provider, &turn, "tool_calls"),
            stream: stream(provider, &deltas, "tool_calls"),
        },
        refusal: said(provider, &[""], "content_filter"),
        cut_off: said(provider, &["Once"], "length"),
        failure: failure(),
        second: |body| {
            let mut messages = body["messages"].clone();
            assert!(messages[5]["content"].as_str().unwrap().starts_with("Error: invalid arguments"));
            messages[5]["content"] = "…".into();
            messages
        },
        expected: json!([
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "1 + 2?"},
            turn,
            {"role": "tool", "tool_call_id": "D681PevKs", "name": "add", "content": "3"},
            {"role": "tool", "tool_call_id": "D681PevKt", "name": "shot", "content": [
                {"type": "text", "text": "the screen\n[image image/png, 3 bytes]"},
                {"type": "image_url", "image_url": "data:image/png;base64,cG5n"},
            ]},
            {"role": "tool", "tool_call_id": "D681PevKu", "name": "add", "content": "…"},
        ]),
        wish,
        wishes: wishes("any"),
    }
}
