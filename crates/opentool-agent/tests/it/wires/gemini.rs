//! Gemini `generateContent`, as documented.

use opentool_agent::chat::Provider;
use opentool_core::ToolChoice;
use serde_json::{Value, json};

use super::{Answer, Wire, events};

fn response(parts: &Value, finish: &Value, usage: &Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0}],
           "usageMetadata": usage, "modelVersion": "gemini-3", "responseId": "r"})
}

fn usage() -> Value {
    json!({"promptTokenCount": 10, "cachedContentTokenCount": 4, "candidatesTokenCount": 5, "totalTokenCount": 15})
}

fn answer(parts: &[Value], pieces: &[Value], finish: &str) -> Answer {
    let last = pieces.len() - 1;
    let list: Vec<Value> = pieces
        .iter()
        .enumerate()
        .map(|(i, part)| {
            let finish = if i == last { json!(finish) } else { Value::Null };
            response(&json!([part]), &finish, &usage())
        })
        .collect();
    Answer { whole: response(&json!(parts), &json!(finish), &usage()), stream: events(&list, "") }
}

pub(super) fn gemini() -> Wire {
    let text = |text: &str| json!({"text": text});
    let thought = |text: &str| json!({"text": text, "thought": true});
    let calls = [
        json!({"functionCall": {"name": "add", "args": {"a": 1, "b": 2}}, "thoughtSignature": "c2ln"}),
        json!({"functionCall": {"name": "shot", "args": {}}}),
        json!({"functionCall": {"name": "add", "args": {"a": 1}}}),
    ];
    let turn: Vec<Value> =
        [thought("Two numbers."), text("I add.")].into_iter().chain(calls.clone()).collect();
    let pieces: Vec<Value> =
        [thought("Two "), thought("numbers."), text("I "), text("add.")].into_iter().chain(calls).collect();
    let refusal = json!({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage()});
    let failure =
        json!({"error": {"code": 503, "status": "UNAVAILABLE", "message": "overloaded key-0123456789"}});
    let config = |mode: &str| json!([2, {"functionCallingConfig": {"mode": mode}}]);
    Wire {
        provider: Provider::Gemini,
        kind: "text/event-stream",
        plain: answer(&[text("Hello.")], &[text("Hel"), text("lo."), text("")], "STOP"),
        calls: answer(&turn, &pieces, "STOP"),
        refusal: Answer { stream: events(std::slice::from_ref(&refusal), ""), whole: refusal },
        cut_off: answer(&[text("Once")], &[text("Once")], "MAX_TOKENS"),
        failure: Some(events(&[failure], "")),
        second: |body| {
            let mut contents = body["contents"].clone();
            let error = &mut contents[2]["parts"][2]["functionResponse"]["response"]["error"];
            assert!(error.as_str().unwrap().contains("invalid arguments"));
            *error = "…".into();
            json!([body["systemInstruction"], contents])
        },
        expected: json!([{"parts": [{"text": "Be short."}]}, [
            {"role": "user", "parts": [{"text": "1 + 2?"}]},
            {"role": "model", "parts": turn},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "add", "response": {"output": 3}}},
                {"functionResponse": {"name": "shot", "response": {"output": "the screen\n[image image/png, 3 bytes]"},
                                      "parts": [{"inlineData": {"mimeType": "image/png", "data": "cG5n"}}]}},
                {"functionResponse": {"name": "add", "response": {"error": "…"}}},
            ]},
        ]]),
        wish: |body| {
            json!([body["tools"][0]["functionDeclarations"].as_array().map(Vec::len), body["toolConfig"]])
        },
        wishes: vec![
            (ToolChoice::Auto, json!([2, null])),
            (ToolChoice::Required, config("ANY")),
            (ToolChoice::None, config("NONE")),
            (
                ToolChoice::tool("shot"),
                json!([2, {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["shot"]}}]),
            ),
            (ToolChoice::among(["shot"]), json!([1, null])),
            (
                ToolChoice::one_of(["shot"]),
                json!([2, {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["shot"]}}]),
            ),
        ],
    }
}
