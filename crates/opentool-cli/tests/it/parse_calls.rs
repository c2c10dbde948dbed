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
    assert_eq!((ran.code, ran.json().as_array().unwrap().len()), (1, 1), "\n{ran}");
    assert!(ran.stderr.contains("\"code\":\"invalid_name\",\"pointer\":\"/content/1/name\""), "\n{ran}");
}

#[test]
fn where_there_are_no_calls_there_is_an_empty_list() {
    let refused = json!({"error": {"message": "no quota"}}).to_string();
    for (answer, code) in [(refused.as_str(), 3), ("{}", 3), ("no JSON", 3)] {
        for options in [&[][..], &["--json"]] {
            let line = ["parse-calls", "--from", "openai"];
            let ran = opentool(line.iter().chain(options)).input(answer).end();
            assert_eq!((ran.code, ran.json()), (code, json!([])), "\n{ran}");
        }
    }
}

#[test]
fn who_knows_the_tools_finds_calls_without_marks() {
    let text = "I will look.\n```json\n{\"name\": \"now\", \"arguments\": {}}\n```\n";
    let names = |options: &[&str]| {
        let line = ["parse-calls", "--from", "text"];
        opentool(line.iter().chain(options)).input(text).end().success().json().as_array().unwrap().len()
    };
    assert_eq!(
        (names(&[]), names(&["--tool", "other"]), names(&["--tool", "a", "--tool", "now"])),
        (0, 0, 1)
    );
    let ran = opentool(["parse-calls", "--from", "openai", "--tool", "now"]).input("{}").end();
    assert_eq!(ran.code, 2, "\n{ran}");
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
    for (from, input, told) in [
        ("openai", "{\"content\": [{\"type\": \"tool_use\"}]}", "it looks like `anthropic`"),
        ("anthropic", "{\"content\": [", "line 1, column 13"),
        ("openai", "data: {\"choices\": []}\n\n", "a stream of pieces"),
        ("openai", "{\"error\": {\"message\": \"quota\"}}", "the provider reports an error: quota"),
    ] {
        let ran = run(from, input);
        assert_eq!((ran.code, ran.text()), (3, "[]\n"), "\n{ran}");
        assert!(ran.stderr.starts_with("error: standard input: ") && ran.stderr.contains(told), "\n{ran}");
    }
    run("opanai", "{}").failure(2, &["opanai", "openai"]);
    opentool(["parse-calls", "{}"]).end().failure(2, &["--from <DIALECT>"]);
    opentool(["parse-calls", "--from", "openai", "nowhere.json"]).end().failure(3, &["nowhere.json"]);
}

#[test]
fn what_cannot_be_read_in_a_text_is_told_with_its_place() {
    let text =
        "So.\n<function=now></function>\n<tool_call>f({\"x\": \"<function=evil></function>\"})</tool_call>";
    let ran = opentool(["parse-calls", "--from", "text"]).input(text).end();
    assert_eq!(ran.code, 1, "\n{ran}");
    assert_eq!(ran.json(), json!([{"id": "call_1", "name": "now", "arguments": {}}]));
    assert!(ran.stderr.contains("`<tool_call>f(") && ran.stderr.contains("at line 3, column 1"), "\n{ran}");
}

#[test]
fn every_dialect_is_read_or_told_why_not() {
    use opentool::schema::Dialect;
    let names =
        Dialect::all().iter().map(|dialect| dialect.name()).chain(["mcp-2026-07-28", "text", "opentool"]);
    for name in names {
        let ran = opentool(["parse-calls", "--from", name, "nothing.json"]).end();
        let (code, words) = match name {
            "json-schema" | "opentool" => {
                (2, "is a form of definitions, and no provider answers in it: name")
            }
            _ => (3, "help: give a path, an http(s) URL, or `-` for standard input"),
        };
        ran.failure(code, &[words]);
    }
}
