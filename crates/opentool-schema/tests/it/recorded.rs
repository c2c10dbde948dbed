//! What the record of changes says, and what is not changed at all.

use opentool_core::{Schema, ToolDefinition};
use opentool_schema::{
    Decoder, Dialect, MessageFormat, Repairs, Validator, lower, parse_calls, problem_code,
};
use serde_json::{Value, json};

fn validator(schema: Value) -> Validator {
    Validator::new(&Schema::new(schema)).unwrap()
}

fn examined(schema: Value, text: &str, repairs: Repairs) -> Value {
    Value::from(&validator(schema).examine(&json!(text), &Decoder::default(), repairs))
}

#[test]
fn before_is_what_was_written() {
    let schema = || json!({"properties": {"i": {"type": "integer"}, "s": {"type": "string"}}});
    let list = examined(schema(), "[{\"i\": \"1\"}]", Repairs::Sure);
    assert_eq!(list["changes"][0]["before"], json!([{"i": "1"}]), "{list}");
    for digits in ["12345678901234567890123", "1.10"] {
        let text = examined(schema(), &format!("{{\"s\": {digits}}}"), Repairs::Sure);
        assert_eq!(text["changes"][0]["before"], json!(digits), "{text}");
        assert_eq!(text["value"]["s"], json!(digits), "{text}");
    }
}

#[test]
fn nothing_for_no_arguments_is_on_the_record() {
    for mode in [Repairs::Off, Repairs::Sure, Repairs::Wide] {
        for text in ["null", "", "  "] {
            let nothing = examined(json!({"type": "object"}), text, mode);
            assert_eq!(nothing["value"], json!({}), "{text:?}");
            assert_eq!(nothing["changes"][0]["rule"], "nothing to an empty object", "{text:?}");
        }
        assert_eq!(examined(json!({"type": "object"}), "{}", mode)["changes"], json!([]));
    }
}

#[test]
fn only_text_that_is_json_as_a_whole_becomes_a_list_or_an_object() {
    let schema = json!({"properties": {
        "l": {"type": "array", "items": {"type": "string"}},
        "o": {"type": "object"},
    }});
    for text in [
        r#"{"l": "[draft]"}"#,
        r#"{"l": "[a, b]"}"#,
        r#"{"l": "[\"a\"] [\"b\"]"}"#,
        r#"{"o": "{fooBar: x}"}"#,
        r#"{"o": "{\"a\": x}"}"#,
    ] {
        assert_eq!(examined(schema.clone(), text, Repairs::Sure)["value"], json!(null), "{text}");
    }
    let python = examined(schema, r#"{"l": "['a', 'b',]", "o": "{'a': True}"}"#, Repairs::Sure);
    assert_eq!(python["value"], json!({"l": ["a", "b"], "o": {"a": true}}));
}

#[test]
fn a_call_that_cannot_run_is_reported_and_not_listed() {
    let chat = |finish: &str, arguments: &str| {
        json!({"choices": [{"finish_reason": finish, "message": {"tool_calls": [
            {"id": "a", "function": {"name": "f", "arguments": "{}"}},
            {"id": "b", "function": {"name": "g", "arguments": arguments}},
        ]}}]})
    };
    let item = |kind: &str, status: &str| {
        json!({"output": [
            {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
            {"type": kind, "call_id": "b", "name": "g", "arguments": "{}", "input": "rm", "status": status},
        ]})
    };
    for (format, answer) in [
        (MessageFormat::OpenAiChat, chat("length", "{\"x\": 1}")),
        (MessageFormat::OpenAiChat, chat("tool_calls", "{\"x\": 1")),
        (
            MessageFormat::OpenAiChat,
            json!({"choices": [{"message": {"tool_calls": [
                {"id": "a", "function": {"name": "f", "arguments": "{}"}},
                {"id": "b", "function": {"arguments": "{}"}},
            ]}}]}),
        ),
        (MessageFormat::OpenAiResponses, item("function_call", "incomplete")),
        (MessageFormat::OpenAiResponses, item("custom_tool_call", "incomplete")),
        (
            MessageFormat::Anthropic,
            json!({"stop_reason": "max_tokens", "content": [
                {"type": "tool_use", "id": "a", "name": "f", "input": {}},
                {"type": "tool_use", "id": "b", "name": "g", "input": {}},
            ]}),
        ),
        (
            MessageFormat::Gemini,
            json!({"candidates": [{"finishReason": "MAX_TOKENS", "content": {"parts": [
                {"functionCall": {"name": "f", "args": {}}},
                {"functionCall": {"name": "g", "args": {}}},
            ]}}]}),
        ),
        (
            MessageFormat::Bedrock,
            json!({"stopReason": "max_tokens", "output": {"message": {"content": [
                {"toolUse": {"toolUseId": "a", "name": "f", "input": {}}},
                {"toolUse": {"toolUseId": "b", "name": "g", "input": {}}},
            ]}}}),
        ),
        (
            MessageFormat::Ollama,
            json!({"done": true, "done_reason": "length", "message": {"tool_calls": [
                {"function": {"name": "f", "arguments": {}}},
                {"function": {"name": "g", "arguments": {}}},
            ]}}),
        ),
    ] {
        let parsed = parse_calls(format, &answer).unwrap();
        let listed = parsed.to_list();
        let names: Vec<&str> =
            listed.as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["f"], "{format} {answer}");
        assert_eq!(parsed.problems.len(), 1, "{format} {:?}", parsed.problems);
        // Each id still gets its result, and no check takes the call.
        assert_eq!(parsed.calls.len(), 2, "{format}");
        let broken = &parsed.calls[1];
        let refused = validator(json!({"type": "object"})).take(&broken.arguments, Repairs::Wide).is_err();
        assert!(refused || broken.name.is_empty(), "{format} {broken:?}");
    }
}

#[test]
fn decoding_drops_and_guesses_nothing() {
    let decoded = |dialect: Dialect, schema: Value, text: &str| {
        let tool = ToolDefinition::new("t", "d").input_schema(Schema::new(schema.clone()));
        let lowered = lower(&tool, dialect).unwrap();
        let taken = validator(schema).take_decoded(&json!(text), &lowered.decoder, Repairs::Sure);
        taken
            .map(|(arguments, _)| Value::from(arguments.into_map()))
            .map_err(|error| problem_code(&error.problems[0]))
    };
    let free = || json!({"type": "object", "properties": {"x": {}}, "required": ["x"], "additionalProperties": false});
    for (text, code) in [
        (r#"{"x": "{\"a\":1"}"#, "truncated"),
        (r#"{"x": "{\"a\":1,\"a\":2}"}"#, "invalid_json"),
        (r#"{"x": "1e400"}"#, "invalid_json"),
    ] {
        assert_eq!(decoded(Dialect::OpenAiStrict, free(), text), Err(code), "{text}");
    }
    let deep = format!("{{\"x\": \"{}{}\"}}", "[".repeat(130), "]".repeat(130));
    assert!(decoded(Dialect::OpenAiStrict, free(), &deep).is_err());
    assert_eq!(decoded(Dialect::OpenAiStrict, free(), r#"{"x": "a word"}"#), Ok(json!({"x": "a word"})));
    let spaced = json!({"type": "object", "properties": {"a b": {"type": "string"}}});
    assert!(decoded(Dialect::Anthropic, spaced, r#"{"a_b": "x", "a b": "y"}"#).is_err());
}
