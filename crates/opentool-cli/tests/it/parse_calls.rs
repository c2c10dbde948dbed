//! `opentool parse-calls`.

use serde_json::json;

use crate::support::{golden, opentool};

#[test]
fn calls_of_every_provider_are_one_list() {
    let expected = json!([{"id": "a", "name": "tide_at", "arguments": {"port": "Brest"}}]);
    let function = json!({"name": "tide_at", "arguments": "{\"port\": \"Brest\"}"});
    let input = json!({"port": "Brest"});
    for (from, answer) in [
        (
            "openai",
            json!({"choices": [{"message": {"tool_calls": [{"id": "a", "type": "function", "function": function}]}}]}),
        ),
        (
            "openai-responses",
            json!({"output": [{"type": "function_call", "call_id": "a", "name": "tide_at", "arguments": "{\"port\": \"Brest\"}"}]}),
        ),
        (
            "anthropic",
            json!({"content": [{"type": "tool_use", "id": "a", "name": "tide_at", "input": input}]}),
        ),
        (
            "gemini",
            json!({"candidates": [{"content": {"parts": [{"functionCall": {"id": "a", "name": "tide_at", "args": input}}]}}]}),
        ),
        (
            "bedrock",
            json!({"output": {"message": {"content": [{"toolUse": {"toolUseId": "a", "name": "tide_at", "input": input}}]}}}),
        ),
        (
            "mcp",
            json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "tide_at", "arguments": input}}),
        ),
        (
            "ollama",
            json!({"message": {"tool_calls": [{"id": "a", "function": {"name": "tide_at", "arguments": input}}]}, "done": true}),
        ),
        (
            "cohere",
            json!({"message": {"tool_calls": [{"id": "a", "type": "function", "function": function}]}}),
        ),
        ("mistral", json!([{"id": "a", "function": function}])),
    ] {
        let ran = opentool(["parse-calls", "--from", from]).input(answer.to_string()).end().success();
        assert_eq!(ran.json(), expected, "{from}\n{ran}");
        assert_eq!(ran.stderr, "", "{from}");
    }
}

#[test]
fn what_cannot_be_read_is_reported_and_hides_nothing() {
    let answer = json!({"content": [
        {"type": "text", "text": "Both, then."},
        {"type": "tool_use", "id": "a", "input": {}},
        {"type": "tool_use", "id": "b", "name": "tide_at", "input": {"port": "Brest"}},
    ]});
    let run = |options: &[&str]| {
        let line = ["parse-calls", "--from", "anthropic", "answer.json"];
        opentool(line.iter().chain(options)).file("answer.json", answer.to_string()).end()
    };
    golden("parse-calls/problem", &run(&[]).to_string());
    let ran = run(&["--json"]);
    assert_eq!((ran.code, ran.json().as_array().unwrap().len()), (1, 2), "\n{ran}");
    assert!(ran.stderr.contains("\"code\":\"call-name\",\"pointer\":\"/content/1/name\""), "\n{ran}");
}

#[test]
fn numbers_are_not_rounded() {
    let answer = "{\"content\": [{\"type\": \"tool_use\", \"id\": \"a\", \"name\": \"t\", \"input\": {\"id\": 123456789012345678901}}]}";
    let ran = opentool(["parse-calls", "--from", "anthropic"]).input(answer).end().success();
    assert_eq!(ran.json()[0]["arguments"], "{\"id\":123456789012345678901}");
}

#[test]
fn mistakes_are_told_apart() {
    let run = |from: &str, input: &str| opentool(["parse-calls", "--from", from]).input(input).end();
    run("openai", "{\"content\": [{\"type\": \"tool_use\"}]}")
        .failure(3, &["standard input: ", "it looks like `anthropic`"]);
    run("anthropic", "{\"content\": [").failure(3, &["line 1, column 13"]);
    run("openai", "data: {\"choices\": []}\n\n").failure(3, &["a stream of events"]);
    run("openai", "{\"error\": {\"message\": \"quota\"}}")
        .failure(3, &["the provider reports an error: quota"]);
    run("opanai", "{}").failure(2, &["opanai", "openai"]);
    opentool(["parse-calls", "{}"]).end().failure(2, &["--from <DIALECT>"]);
    opentool(["parse-calls", "--from", "openai", "nowhere.json"]).end().failure(3, &["nowhere.json"]);
}
