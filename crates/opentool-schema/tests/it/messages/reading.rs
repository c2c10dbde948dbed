//! What becomes of answers that are odd, broken, hostile, or another provider's.

use opentool_core::{Schema, ToolCall, ToolOutput};
use opentool_schema::{
    Dialect, MessageError, MessageFormat, ParsedCalls, Repairs, Validator, parse_calls, problem_code,
};
use serde_json::{Value, json};

use crate::tools::{nested, with_deep};

fn read(format: MessageFormat, reply: &Value) -> ParsedCalls {
    parse_calls(format, reply).unwrap_or_else(|error| panic!("{format}: {error}"))
}

fn error(format: MessageFormat, reply: &Value) -> String {
    parse_calls(format, reply).unwrap_err().to_string()
}

#[test]
fn one_malformed_call_does_not_hide_the_others() {
    let good = json!({"id": "b", "function": {"name": "now", "arguments": "{}"}});
    let reply = json!({"choices": [{"message": {"tool_calls": [5, {"id": "a", "function": {"arguments": "{}"}}, good]}}]});
    let parsed = read(MessageFormat::OpenAiChat, &reply);
    // The id of the nameless one is there, so that it gets a result.
    assert_eq!(parsed.calls, [ToolCall::new("a", "", "{}"), ToolCall::new("b", "now", "{}")]);
    let places: Vec<_> = parsed.problems.iter().map(|p| (p.pointer.as_str(), p.rule.as_str())).collect();
    assert_eq!(
        places,
        [
            ("/choices/0/message/tool_calls/0", "call"),
            ("/choices/0/message/tool_calls/1/function/name", "call-name"),
        ]
    );
}

#[test]
fn ids_are_kept_and_made_where_they_miss_or_repeat() {
    let call = |id: Value| json!({"id": id, "function": {"name": "now", "arguments": "{}"}});
    let ids = |given: &[Value]| {
        let list: Vec<Value> = given.iter().cloned().map(call).collect();
        let parsed = read(MessageFormat::OpenAiChat, &list.into());
        parsed.calls.into_iter().map(|call| call.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&[json!("x"), Value::Null, json!("")]), ["x", "call_2", "call_3"]);
    // An id that we would make is taken.
    assert_eq!(ids(&[json!("call_2"), Value::Null]), ["call_2", "call_2_2"]);
    assert_eq!(ids(&[json!("x"), json!("x"), json!("null")]), ["x", "call_2", "call_3"]);
}

#[test]
fn a_call_that_was_cut_off_is_refused_however_it_was_written() {
    let cut = json!({"stop_reason": "max_tokens", "content": [
        {"type": "tool_use", "id": "a", "name": "buy", "input": {"count": 1}},
        {"type": "tool_use", "id": "b", "name": "buy", "input": {"count": 1}},
    ]});
    let parsed = read(MessageFormat::Anthropic, &cut);
    assert_eq!(parsed.problems.len(), 1);
    assert_eq!(
        (problem_code(&parsed.problems[0]), parsed.problems[0].pointer.as_str()),
        ("truncated", "/content/1")
    );
    let schema =
        json!({"type": "object", "properties": {"count": {"type": "integer"}, "price": {"type": "number"}}});
    let validator = Validator::new(&opentool_core::Schema::new(schema)).unwrap();
    let whole = validator.take(&parsed.calls[0].arguments, Repairs::Sure);
    assert_eq!(whole.unwrap().0["count"], 1);
    let refused = validator.take(&parsed.calls[1].arguments, Repairs::Sure).unwrap_err();
    assert_eq!(problem_code(&refused.problems[0]), "truncated");
    // Words after the last call: the call was whole.
    let mut more = cut;
    more["content"].as_array_mut().unwrap().push(json!({"type": "text", "text": "and th"}));
    assert_eq!(read(MessageFormat::Anthropic, &more).problems, []);
}

#[test]
fn every_chat_format_says_when_the_answer_was_cut_off() {
    let calls = json!([{"id": "a", "function": {"name": "buy", "arguments": "{\"count\": 1}"}},
        {"id": "b", "function": {"name": "buy", "arguments": {"count": 1}}}]);
    let message = json!({"role": "assistant", "tool_calls": calls});
    let choices = |reason: &str| json!({"choices": [{"finish_reason": reason, "message": message}]});
    for (format, reply, pointer) in [
        (MessageFormat::OpenAiChat, choices("length"), "/choices/0/message/tool_calls/1/function"),
        (MessageFormat::Mistral, choices("length"), "/choices/0/message/tool_calls/1/function"),
        (MessageFormat::Mistral, choices("model_length"), "/choices/0/message/tool_calls/1/function"),
        (
            MessageFormat::Cohere,
            json!({"finish_reason": "MAX_TOKENS", "message": message}),
            "/message/tool_calls/1/function",
        ),
        (
            MessageFormat::Ollama,
            json!({"done_reason": "length", "message": message}),
            "/message/tool_calls/1/function",
        ),
    ] {
        let parsed = read(format, &reply);
        let problems: Vec<_> =
            parsed.problems.iter().map(|p| (problem_code(p), p.pointer.as_str())).collect();
        assert_eq!(problems, [("truncated", pointer)], "{format}");
        // What is left of it never runs as if it were whole.
        assert_eq!(parsed.calls[1].arguments, json!("{\"count\":1,"), "{format}");
        assert_eq!(parsed.calls[0].arguments, json!("{\"count\": 1}"), "{format}");
    }
    assert_eq!(read(MessageFormat::OpenAiChat, &choices("tool_calls")).problems, []);
    // Words that were cut off are no call.
    let words =
        json!({"choices": [{"finish_reason": "length", "message": {"content": "and th", "tool_calls": []}}]});
    assert_eq!(read(MessageFormat::OpenAiChat, &words).problems, []);
}

#[test]
fn numbers_of_a_body_are_not_rounded() {
    let body = r#"{"content": [
        {"type": "tool_use", "id": "a", "name": "find", "input": {"a/b": [{"id": 123456789012345678901234567890}], "s": "x"}},
        {"type": "tool_use", "id": "b", "name": "find", "input": {"id": 7, "price": 1.10}}
    ]}"#;
    let parsed = parse_calls(MessageFormat::Anthropic, body).unwrap();
    // Text still has the digits: the schema may want them as a string.
    let text = r#"{"a/b":[{"id":123456789012345678901234567890}],"s":"x"}"#;
    assert_eq!(parsed.calls[0].arguments, text);
    assert_eq!(parsed.calls[1].arguments, json!({"id": 7, "price": 1.1}));
}

#[test]
fn another_providers_answer_is_named() {
    let openai = json!({"choices": [{"message": {"content": "x"}}]});
    let anthropic =
        json!({"type": "message", "content": [{"type": "tool_use", "id": "a", "name": "n", "input": {}}]});
    let gemini = json!({"candidates": []});
    let responses = json!({"output": [{"type": "function_call"}], "error": null});
    let bedrock = json!({"output": {"message": {"content": [{"toolUse": {}}]}}});
    let answers = [
        (&openai, MessageFormat::OpenAiChat),
        (&anthropic, MessageFormat::Anthropic),
        (&gemini, MessageFormat::Gemini),
        (&responses, MessageFormat::OpenAiResponses),
        (&bedrock, MessageFormat::Bedrock),
    ];
    for (answer, own) in answers {
        for format in answers.map(|(_, format)| format).into_iter().filter(|format| *format != own) {
            let error = error(format, answer);
            assert!(error.ends_with(&format!("it looks like `{own}`")), "{format}: {error}");
        }
        parse_calls(own, answer).unwrap();
    }
    let error = error(MessageFormat::Anthropic, &json!("hello"));
    assert!(error.contains("found the string \"hello\"; it looks like `text`"), "{error}");
}

#[test]
fn failures_of_the_provider_are_failures() {
    for (format, reply) in [
        (MessageFormat::OpenAiChat, json!({"error": {"message": "too many", "code": "rate_limit"}})),
        (MessageFormat::Anthropic, json!({"type": "error", "error": {"type": "x", "message": "too many"}})),
        (MessageFormat::Ollama, json!({"error": "too many"})),
        (MessageFormat::Gemini, json!({"error": {"code": 429, "message": "too many", "status": "X"}})),
    ] {
        assert_eq!(error(format, &reply), "the provider reports an error: too many");
    }
}

#[test]
fn text_that_is_no_answer_says_where_and_why() {
    let not_json = parse_calls(MessageFormat::OpenAiChat, "{\"choices\":\n [}").unwrap_err();
    assert!(matches!(not_json, MessageError::NotJson { line: 2, column: 3, .. }), "{not_json}");
    let stream = parse_calls(MessageFormat::Anthropic, "event: message_start\ndata: {}\n").unwrap_err();
    assert_eq!(stream, MessageError::Stream);
    let piece = json!({"choices": [{"delta": {"content": "a"}}]});
    assert!(error(MessageFormat::OpenAiChat, &piece).contains("a piece of a stream"));
}

#[test]
fn hostile_values_come_back() {
    for format in MessageFormat::all().iter().copied() {
        let deep = parse_calls(format, &json!({"content": nested(300)}));
        assert!(
            matches!(deep, Err(MessageError::TooDeep { .. } | MessageError::Unexpected { .. })),
            "{format}"
        );
    }
    with_deep(nested(100_000), |deep| {
        assert!(matches!(parse_calls(MessageFormat::Gemini, deep), Err(MessageError::TooDeep { .. })));
    });
    let many: Vec<Value> = (0..100_000).map(|i| json!({"function": {"name": format!("t{i}")}})).collect();
    let parsed = read(MessageFormat::OpenAiChat, &many.into());
    assert_eq!((parsed.calls.len(), parsed.problems.len()), (128, 1));
    assert_eq!(
        (parsed.problems[0].pointer.as_str(), parsed.problems[0].rule.as_str()),
        ("/128/function", "more")
    );
}

#[test]
fn calls_without_outputs_are_answered_too() {
    let reply = json!([{"id": "a", "function": {"name": "now"}}, {"id": "b", "function": {"name": "now"}}]);
    let results = read(MessageFormat::OpenAiChat, &reply).results(&[ToolOutput::text("16:40")]);
    assert_eq!(results.len(), 2);
    assert_eq!(results[1]["tool_call_id"], "b");
    assert!(results[1]["content"].as_str().unwrap().starts_with("Error: "), "{}", results[1]);
}

#[test]
fn results_behind_the_turn_as_it_came_bear_its_ids() {
    // Longer than an id may be that we send to OpenAI ourselves.
    let id = "chatcmpl-tool-0123456789abcdef0123456789abcdef";
    let reply = json!([{"id": id, "function": {"name": "odd name"}}]);
    let parsed = read(MessageFormat::OpenAiChat, &reply);
    assert_eq!(parsed.replay[0]["tool_calls"], reply);
    assert_eq!(parsed.results(&[ToolOutput::text("x")])[0]["tool_call_id"], id);
}

#[test]
fn every_dialect_of_a_provider_has_its_messages() {
    for dialect in Dialect::all() {
        let expected = match dialect.name() {
            "json-schema" => None,
            name if name.starts_with("openai-responses") => Some(MessageFormat::OpenAiResponses),
            name if name.starts_with("openai") || name.starts_with("deepseek") => {
                Some(MessageFormat::OpenAiChat)
            }
            name if name.starts_with("mcp") => MessageFormat::named(name),
            name => MessageFormat::named(name.split('-').next().unwrap()),
        };
        assert_eq!(MessageFormat::of(*dialect), expected, "{dialect}");
        assert!(expected.is_some() || dialect.name() == "json-schema", "{dialect}");
    }
}

#[test]
fn a_key_that_stands_twice_is_on_the_record_where_arguments_are_objects_too() {
    let twice = r#"{"city": "Paris", "to": [{"x/y": 1, "x/y": 2}], "city": "Rome"}"#;
    let reply = |format: MessageFormat, arguments: &str| match format {
        MessageFormat::Anthropic => {
            format!(
                r#"{{"content": [{{"type": "tool_use", "id": "a", "name": "t", "input": {arguments}}}]}}"#
            )
        }
        MessageFormat::Gemini => format!(
            r#"{{"candidates": [{{"content": {{"parts": [{{"functionCall": {{"name": "t", "args": {arguments}}}}}]}}}}]}}"#
        ),
        MessageFormat::Bedrock => format!(
            r#"{{"output": {{"message": {{"content": [{{"toolUse": {{"toolUseId": "a", "name": "t", "input": {arguments}}}}}]}}}}}}"#
        ),
        _ => format!(
            r#"{{"message": {{"tool_calls": [{{"function": {{"name": "t", "arguments": {arguments}}}}}]}}}}"#
        ),
    };
    let validator = Validator::new(&Schema::new(json!({"type": "object"}))).unwrap();
    for format in
        [MessageFormat::Anthropic, MessageFormat::Gemini, MessageFormat::Bedrock, MessageFormat::Ollama]
    {
        let arguments = |written: &str| {
            parse_calls(format, reply(format, written).as_str()).unwrap().calls[0].arguments.clone()
        };
        let written = arguments(twice);
        let (taken, changes) = validator.take(&written, Repairs::Sure).unwrap();
        assert_eq!(Value::from(taken.into_map()), json!({"city": "Rome", "to": [{"x/y": 2}]}), "{format}");
        let told: Vec<_> =
            changes.iter().map(|change| (change.pointer.as_str(), change.before.clone().unwrap())).collect();
        assert_eq!(told, [("/city", json!("Paris")), ("/to/0/x~1y", json!(1))], "{format}");
        assert!(validator.take(&written, Repairs::Off).is_err(), "{format}: strict refuses");
        // Others stay objects.
        let once = r#"{"city": "a: \"city\": b"}"#;
        assert_eq!(arguments(once), json!({"city": "a: \"city\": b"}), "{format}");
    }
}

#[test]
fn a_call_that_nests_too_deep_does_not_hide_the_others() {
    let lists = |levels: usize| format!("{}1.10{}", "[".repeat(levels), "]".repeat(levels));
    let anthropic = |a: &str| {
        let call = |id: &str, x: &str| {
            format!(r#"{{"type": "tool_use", "id": "{id}", "name": "f", "input": {{"x": {x}}}}}"#)
        };
        format!(r#"{{"content": [{}, {}]}}"#, call("a", a), call("b", "1"))
    };
    let gemini = |a: &str| {
        let call = |x: &str| format!(r#"{{"functionCall": {{"name": "f", "args": {{"x": {x}}}}}}}"#);
        format!(r#"{{"candidates": [{{"content": {{"parts": [{}, {}]}}}}]}}"#, call(a), call("1"))
    };
    type Writes<'a> = &'a dyn Fn(&str) -> String;
    let formats: [(MessageFormat, Writes<'_>, &str); 2] = [
        (MessageFormat::Anthropic, &anthropic, "/content/0"),
        (MessageFormat::Gemini, &gemini, "/candidates/0/content/parts/0/functionCall"),
    ];
    for (format, reply, at) in formats {
        // As many levels as arguments may have, and the provider's around them.
        for levels in [100, 120, 123, 124, 125, 126, 127] {
            let parsed = parse_calls(format, &reply(&lists(levels))).unwrap();
            assert_eq!(parsed.problems, [], "{format} {levels}");
            assert_eq!(parsed.calls.len(), 2, "{format} {levels}");
            let expected: Value = json!({"x": (0..levels).fold(json!(1.1), |inner, _| json!([inner]))});
            assert_eq!(parsed.calls[0].arguments, expected, "{format} {levels}");
            assert_eq!(parsed.calls[1].arguments, json!({"x": 1}), "{format} {levels}");
        }
        // More, by any number.
        for levels in [128, 140, 155, 170, 260, 5_000, 100_000] {
            let parsed = parse_calls(format, &reply(&lists(levels))).unwrap();
            let told: Vec<_> =
                parsed.problems.iter().map(|p| (problem_code(p), p.pointer.as_str())).collect();
            assert_eq!(told.len(), 1, "{format} {levels}: {told:?}");
            assert!(told[0].0 == "too_deep" && told[0].1.starts_with(at), "{format} {levels}: {told:?}");
            let list = parsed.to_list();
            assert_eq!(list.as_array().unwrap().len(), 1, "{format} {levels}: {list}");
            assert_eq!(list[0]["arguments"], json!({"x": 1}), "{format} {levels}");
            let any = Validator::new(&Schema::new(json!({}))).unwrap();
            assert!(any.take(&parsed.calls[0].arguments, Repairs::Wide).is_err(), "{format} {levels}");
        }
        // What is no JSON is none at any depth.
        for broken in
            [format!("{}1{}", "[".repeat(150), "]".repeat(149)), lists(150).replace("1.10", "1.1.0")]
        {
            assert!(parse_calls(format, &reply(&broken)).is_err(), "{format} {broken}");
        }
    }
    // Digits and keys that stand twice are kept on the way down.
    let reply = anthropic(&lists(125).replace("1.10", r#"{"n": 12345678901234567890123, "m": 1e3}"#));
    let parsed = parse_calls(MessageFormat::Anthropic, &reply).unwrap();
    let Value::String(text) = &parsed.calls[0].arguments else { panic!("{:?}", parsed.calls) };
    assert!(text.contains(r#"{"n":12345678901234567890123,"m":1000.0}"#), "{text}");
}
