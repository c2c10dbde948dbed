//! How an answer ended decides whether its calls run: by the words that are known to say that it is whole.

use opentool_core::Schema;
use opentool_schema::{MessageFormat, Repairs, Validator, parse_calls, problem_code};
use serde_json::{Value, json};

/// An answer with the calls `f` and `g` that ended for this reason, where the format says it.
fn ended(format: MessageFormat, reason: &Value) -> Value {
    let chat = json!({"tool_calls": [
        {"id": "a", "function": {"name": "f", "arguments": "{}"}},
        {"id": "b", "function": {"name": "g", "arguments": {"x": [1]}}},
    ]});
    let parts = json!({"parts": [
        {"functionCall": {"name": "f", "args": {}}}, {"functionCall": {"name": "g", "args": {"x": [1]}}},
    ]});
    match format {
        MessageFormat::OpenAiResponses => json!({"status": reason, "output": [
            {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
            {"type": "function_call", "call_id": "b", "name": "g", "arguments": "{\"x\":[1]}"},
        ]}),
        MessageFormat::Anthropic => json!({"stop_reason": reason, "content": [
            {"type": "tool_use", "id": "a", "name": "f", "input": {}},
            {"type": "tool_use", "id": "b", "name": "g", "input": {"x": [1]}},
        ]}),
        MessageFormat::Gemini => json!({"candidates": [{"finishReason": reason, "content": parts}]}),
        MessageFormat::Bedrock => json!({"stopReason": reason, "output": {"message": {"content": [
            {"toolUse": {"toolUseId": "a", "name": "f", "input": {}}},
            {"toolUse": {"toolUseId": "b", "name": "g", "input": {"x": [1]}}},
        ]}}}),
        MessageFormat::Cohere => json!({"finish_reason": reason, "message": chat}),
        MessageFormat::Ollama => json!({"done": true, "done_reason": reason, "message": chat}),
        _ => json!({"choices": [{"finish_reason": reason, "message": chat}]}),
    }
}

/// The names of the calls that may run. The others are refused by every check.
fn runs(format: MessageFormat, answer: &Value) -> Vec<String> {
    let parsed = parse_calls(format, answer).unwrap_or_else(|error| panic!("{format} {answer}: {error}"));
    let listed = parsed.to_list();
    let names: Vec<String> =
        listed.as_array().unwrap().iter().map(|call| call["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(parsed.calls.len(), 2, "each id gets its result: {format} {answer}");
    let any = Validator::new(&Schema::new(json!({"type": "object"}))).unwrap();
    for call in parsed.calls.iter().filter(|call| !names.contains(&call.name)) {
        for mode in [Repairs::Off, Repairs::Sure, Repairs::Wide] {
            assert!(any.take(&call.arguments, mode).is_err(), "{format} {mode:?} {:?}", call.arguments);
        }
        let told = parsed.problems.iter().any(|problem| problem_code(problem) == "truncated");
        assert!(told, "{format} {answer}: {:?}", parsed.problems);
    }
    names
}

const CHAT: [MessageFormat; 3] = [MessageFormat::OpenAiChat, MessageFormat::Mistral, MessageFormat::Cohere];

#[test]
fn only_the_known_words_for_a_whole_answer_let_its_calls_run() {
    let all = ["f", "g"].as_slice();
    let words: [(&[MessageFormat], &[&str]); 8] = [
        (&CHAT[..1], &["stop", "tool_calls", "function_call", "tool_use", "TOOL_CALL", "eos_token"]),
        (&CHAT[1..2], &["stop", "tool_calls"]),
        (&CHAT[2..], &["COMPLETE", "TOOL_CALL", "STOP_SEQUENCE"]),
        (&[MessageFormat::Ollama], &["stop"]),
        (&[MessageFormat::Gemini], &["STOP"]),
        (&[MessageFormat::OpenAiResponses], &["completed"]),
        (&[MessageFormat::Anthropic], &["tool_use", "end_turn", "pause_turn"]),
        (&[MessageFormat::Bedrock], &["tool_use", "end_turn"]),
    ];
    for (formats, words) in words {
        for format in formats {
            for word in words.iter().map(|word| json!(word)).chain([Value::Null, json!("")]) {
                assert_eq!(runs(*format, &ended(*format, &word)), all, "{format} {word}");
            }
        }
    }
}

#[test]
fn at_a_limit_the_last_call_is_not_run_and_at_any_other_word_none_is() {
    let everywhere = ["refusal", "content_filter", "error", "a_new_word", "STOPPED", "abort"];
    let words: [(MessageFormat, &str, &[&str]); 9] = [
        (MessageFormat::OpenAiChat, "length", &["insufficient_system_resource", "ERROR", "load"]),
        (MessageFormat::Mistral, "model_length", &["error"]),
        (MessageFormat::Cohere, "MAX_TOKENS", &["ERROR", "TIMEOUT", "USER_CANCEL", "ERROR_TOXIC"]),
        (MessageFormat::Ollama, "length", &["load", "unload"]),
        (
            MessageFormat::OpenAiResponses,
            "max_output_tokens",
            &["failed", "cancelled", "in_progress", "queued"],
        ),
        (MessageFormat::Anthropic, "max_tokens", &["compaction"]),
        // The host's sequence can stand inside of arguments.
        (MessageFormat::Anthropic, "stop_sequence", &[]),
        (MessageFormat::Bedrock, "max_tokens", &["guardrail_intervened", "malformed_tool_use"]),
        (
            MessageFormat::Gemini,
            "MAX_TOKENS",
            &["SAFETY", "OTHER", "SPII", "MODEL_ARMOR", "IMAGE_SAFETY", "MALFORMED_FUNCTION_CALL"],
        ),
    ];
    for (format, limit, others) in words {
        assert_eq!(runs(format, &ended(format, &json!(limit))), ["f"], "{format} {limit}");
        for word in others.iter().chain(&everywhere).map(|word| json!(word)).chain([json!(5), json!({})]) {
            let answer = ended(format, &word);
            assert!(runs(format, &answer).is_empty(), "{format} {word}");
            let told = parse_calls(format, &answer).unwrap().problems[0].to_string();
            assert!(told.contains("the answer ended with") && told.contains("not run"), "{told}");
        }
    }
}

#[test]
fn what_else_says_that_an_answer_is_not_whole() {
    let mut piece = ended(MessageFormat::Ollama, &Value::Null);
    piece["done"] = json!(false);
    assert!(runs(MessageFormat::Ollama, &piece).is_empty());

    let mut blocked = ended(MessageFormat::Gemini, &json!("STOP"));
    blocked["promptFeedback"] = json!({"blockReason": "SAFETY"});
    assert!(runs(MessageFormat::Gemini, &blocked).is_empty());
    blocked["promptFeedback"] = json!({"safetyRatings": []});
    assert_eq!(runs(MessageFormat::Gemini, &blocked), ["f", "g"]);

    let responses = MessageFormat::OpenAiResponses;
    let of_item = |status: Value| {
        let mut answer = ended(responses, &json!("completed"));
        answer["output"][0]["status"] = status;
        answer
    };
    for status in ["incomplete", "in_progress", "failed", "odd"] {
        assert_eq!(runs(responses, &of_item(json!(status))), ["g"], "{status}");
    }
    assert_eq!(runs(responses, &of_item(json!("completed"))), ["f", "g"]);
    let incomplete = |reason: &str| {
        let mut answer = ended(responses, &json!("incomplete"));
        answer["incomplete_details"] = json!({"reason": reason});
        answer
    };
    assert_eq!(runs(responses, &incomplete("max_output_tokens")), ["f"]);
    assert!(runs(responses, &incomplete("content_filter")).is_empty());
    assert!(runs(responses, &ended(responses, &json!("incomplete"))).is_empty());
}

#[test]
fn arguments_that_were_cut_off_never_look_whole() {
    for text in [
        "{\"x\":1}}",
        "```json\n{\"x\":1}\n```",
        "{}",
        "",
        "\"{\\\"x\\\":1}\"",
        "[{\"x\":1}]",
        "x: 1",
        "{\"x\":1};",
    ] {
        let answer = json!({"choices": [{"finish_reason": "length", "message": {"tool_calls": [
            {"id": "a", "function": {"name": "f", "arguments": "{}"}},
            {"id": "b", "function": {"name": "g", "arguments": text}},
        ]}}]});
        assert_eq!(runs(MessageFormat::OpenAiChat, &answer), ["f"], "{text}");
    }
}

#[test]
fn a_number_too_large_is_the_problem_of_its_call_alone() {
    let gemini = |arguments: &str| {
        format!(
            r#"{{"candidates": [{{"content": {{"parts": [
                {{"functionCall": {{"name": "f", "args": {{"n": 1.10}}}}}},
                {{"functionCall": {{"name": "g", "args": {arguments}}}}}
            ]}}}}], "usage": 7}}"#
        )
    };
    for (arguments, at) in [
        (r#"{"n": 1e400}"#, "/n"),
        (r#"{"deep": [{"a/b": -1E+999, "s": "1e400"}]}"#, "/deep/0/a~1b"),
        ("1e400", ""),
    ] {
        let text = gemini(arguments);
        let parsed = parse_calls(MessageFormat::Gemini, text.as_str()).unwrap();
        let listed = parsed.to_list();
        assert_eq!((&listed[0]["name"], listed.as_array().unwrap().len()), (&json!("f"), 1), "{arguments}");
        assert_eq!(parsed.calls.len(), 2);
        let told: Vec<&str> = parsed.problems.iter().map(|problem| problem.pointer.as_str()).collect();
        assert_eq!(told, [format!("/candidates/0/content/parts/1/functionCall/args{at}")], "{arguments}");
    }
    // One that is in no call is nobody's problem; what is no JSON besides is none.
    let elsewhere = gemini("{}").replace("\"usage\": 7", "\"usage\": 1e999");
    assert_eq!(parse_calls(MessageFormat::Gemini, elsewhere.as_str()).unwrap().problems, []);
    assert!(parse_calls(MessageFormat::Gemini, gemini("{'n': 1e400}").as_str()).is_err());
}

#[test]
fn a_key_that_stands_twice_in_a_call_is_the_problem_of_that_call() {
    let good = r#"{"type": "tool_use", "id": "a", "name": "f", "input": {}}"#;
    for (twice, at) in [
        (r#"{"type": "tool_use", "id": "b", "name": "list", "name": "g", "input": {}}"#, "/content/1/name"),
        (
            r#"{"type": "tool_use", "id": "b", "name": "g", "input": {}, "input": {"x": 1}}"#,
            "/content/1/input",
        ),
    ] {
        let text = format!(r#"{{"content": [{good}, {twice}]}}"#);
        let parsed = parse_calls(MessageFormat::Anthropic, text.as_str()).unwrap();
        let told: Vec<_> = parsed.problems.iter().map(|p| (p.pointer.as_str(), problem_code(p))).collect();
        assert_eq!(told, [(at, "invalid_json")], "{twice}");
        assert_eq!(parsed.to_list().as_array().unwrap().len(), 1, "{twice}");
    }
    for (call, at) in [
        (r#"{"id": "b", "function": {"name": "f"}, "function": {"name": "g"}}"#, "/function"),
        (r#"{"id": "b", "function": {"name": "g", "name": "g"}}"#, "/function/name"),
        (
            r#"{"id": "b", "function": {"name": "g", "arguments": "{}", "arguments": "{\"x\":1}"}}"#,
            "/function/arguments",
        ),
    ] {
        let parsed = parse_calls(MessageFormat::OpenAiChat, format!("[{call}]").as_str()).unwrap();
        assert_eq!(parsed.problems[0].pointer, format!("/0{at}"), "{call}");
        assert_eq!(parsed.to_list(), json!([]), "{call}");
    }
    // Calls that a second list of the same name hides.
    let hidden = r#"{"tool_calls": [{"id": "a", "function": {"name": "f"}}], "tool_calls": [{"id": "b", "function": {"name": "g"}}]}"#;
    let parsed = parse_calls(MessageFormat::OpenAiChat, hidden).unwrap();
    assert_eq!((parsed.problems[0].pointer.as_str(), parsed.to_list()), ("/tool_calls", json!([])));
}

#[test]
fn half_of_a_character_does_not_hide_an_answer() {
    let text = r#"{"content":[{"type":"text","text":"a\ud83d b \ud83d\ude00"},
        {"type":"tool_use","id":"a","name":"f","input":{"x":"\udE00","y":"\\ud83d","n":1.10}}]}"#;
    let parsed = parse_calls(MessageFormat::Anthropic, text).unwrap();
    assert_eq!(parsed.text, "a\u{fffd} b 😀");
    assert_eq!(parsed.calls[0].name, "f");
    assert_eq!(parsed.to_list()[0]["arguments"], json!({"x": "\u{fffd}", "y": "\\ud83d", "n": 1.1}));
    let beside_no_number = text.replace("1.10", "1e400");
    assert_eq!(parse_calls(MessageFormat::Anthropic, beside_no_number.as_str()).unwrap().problems.len(), 1);
    assert!(parse_calls(MessageFormat::Anthropic, text.replace("\\udE00", "\\udE0g").as_str()).is_err());
}
