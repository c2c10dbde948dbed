//! Ollama's `/api/chat`, as documented.

use opentool_agent::chat::Provider;
use opentool_core::ToolChoice;
use serde_json::{Value, json};

use super::{Answer, Wire};

fn line(message: &Value, done: Option<&str>) -> Value {
    let mut line = json!({"model": "qwen3", "created_at": "2025-11-01T00:00:00Z", "message": message, "done": done.is_some()});
    if let Some(reason) = done {
        let last =
            json!({"done_reason": reason, "total_duration": 1, "prompt_eval_count": 10, "eval_count": 5});
        line.as_object_mut().unwrap().extend(last.as_object().unwrap().clone());
    }
    line
}

fn answer(message: &Value, pieces: &[Value], done: &str) -> Answer {
    let empty = json!({"role": "assistant", "content": ""});
    let lines = pieces.iter().map(|piece| line(piece, None)).chain([line(&empty, Some(done))]);
    Answer { whole: line(message, Some(done)), stream: lines.map(|line| format!("{line}\n")).collect() }
}

pub(super) fn ollama() -> Wire {
    let text = |text: &str| json!({"role": "assistant", "content": text});
    let call = |name: &str, arguments: Value| json!({"function": {"name": name, "arguments": arguments}});
    let calls =
        json!([call("add", json!({"a": 1, "b": 2})), call("shot", json!({})), call("add", json!({"a": 1}))]);
    let turn =
        json!({"role": "assistant", "content": "I add.", "thinking": "Two numbers.", "tool_calls": calls});
    let pieces = [
        json!({"role": "assistant", "content": "", "thinking": "Two "}),
        json!({"role": "assistant", "content": "", "thinking": "numbers."}),
        text("I "),
        text("add."),
        json!({"role": "assistant", "content": "", "tool_calls": [calls[0], calls[1]]}),
        json!({"role": "assistant", "content": "", "tool_calls": [calls[2]]}),
    ];
    Wire {
        provider: Provider::Ollama,
        kind: "application/x-ndjson",
        plain: answer(&text("Hello."), &[text("Hel"), text("lo.")], "stop"),
        calls: answer(&turn, &pieces, "stop"),
        refusal: answer(&text("No."), &[text("No.")], "stop"),
        cut_off: answer(&text("Once"), &[text("Once")], "length"),
        failure: None,
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
            {"role": "tool", "tool_name": "add", "content": "3"},
            {"role": "tool", "tool_name": "shot", "content": "the screen\n[image image/png, 3 bytes]", "images": ["cG5n"]},
            {"role": "tool", "tool_name": "add", "content": "…"},
        ]),
        wish: |body| json!([body["tools"].as_array().map_or(0, Vec::len), body.get("tool_choice")]),
        wishes: vec![
            (ToolChoice::Auto, json!([2, null])),
            (ToolChoice::Required, Value::Null),
            (ToolChoice::None, json!([0, null])),
            (ToolChoice::tool("shot"), Value::Null),
            (ToolChoice::among(["shot"]), json!([1, null])),
            (ToolChoice::one_of(["shot"]), Value::Null),
        ],
    }
}
