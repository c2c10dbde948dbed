//! What was meant for another tool, and what only stands near a call, never runs as this one.

use opentool_core::{Schema, ToolSet};
use opentool_schema::{
    Decoder, Dialect, MessageFormat, RepairPolicy, Repairs, ToolSetExt as _, Validator, lower, parse_calls,
    problem_code,
};
use serde_json::{Value, json};

use crate::tools::{Scripted, call};

fn by_id() -> Value {
    json!({
        "type": "object",
        "properties": {"id": {"type": "integer"}},
        "required": ["id"],
        "additionalProperties": false,
    })
}

fn tool(name: &str, schema: Value) -> Scripted {
    Scripted::new(name, schema, |_, _| panic!("nothing is run"))
}

/// Two tools whose arguments look the same, one whose name differs in case only, and one that takes nothing.
fn users() -> ToolSet {
    let nothing = json!({"type": "object", "additionalProperties": false});
    ToolSet::from_tools([
        tool("delete_user", by_id()),
        tool("get_user", by_id()),
        tool("Get_User", by_id()),
        tool("wipe", nothing),
    ])
    .unwrap()
}

/// What `written` becomes as arguments of a tool.
fn as_call(name: &str, written: &str, mode: Repairs) -> Result<Value, &'static str> {
    let taken = users().take(&call(name, written), &RepairPolicy::new(mode));
    taken.map(|(arguments, _)| Value::from(arguments.into_map())).map_err(|error| match error {
        opentool_core::ToolError::InvalidArguments(error) => problem_code(&error.problems[0]),
        other => other.code(),
    })
}

#[test]
fn an_envelope_opens_for_the_tool_that_it_names_only() {
    for own in [
        r#"{"name":"delete_user","arguments":{"id":5}}"#,
        r#"{"tool":"functions.delete_user","input":{"id":5}}"#,
        r#"{"action":"Delete-User","action_input":"{\"id\":5}"}"#,
        r#"{"type":"function","function":{"name":"delete_user","arguments":"{\"id\":5}"}}"#,
        r#"{"type":"tool_use","call_id":"x","name":"delete_user","input":{"id":"5"}}"#,
        r#"{"name":null,"arguments":{"id":5}}"#,
        r#"{"arguments":{"id":5}}"#,
        // What no tool is called is the model's own word for the tool that it called.
        r#"{"name":"erase_the_account","arguments":{"id":5}}"#,
        r#"[{"name":"delete_user","arguments":{"id":5}}]"#,
    ] {
        assert_eq!(as_call("delete_user", own, Repairs::Sure), Ok(json!({"id": 5})), "{own}");
    }
    for foreign in [
        r#"{"name":"get_user","arguments":{"id":5}}"#,
        r#"{"tool":"get_user","input":{"id":5}}"#,
        r#"{"action":"get_user","action_input":"{\"id\":5}"}"#,
        r#"{"type":"get_user","parameters":{"id":5}}"#,
        r#"{"type":"function","function":{"name":"get_user","arguments":{"id":5}}}"#,
        r#"{"arguments":{"name":"get_user","arguments":{"id":5}}}"#,
        r#"{"arguments":"{\"name\":\"get_user\",\"arguments\":{\"id\":5}}"}"#,
        r#"{"name":"delete_user","action":"get_user","arguments":{"id":5}}"#,
        r#"{"name":"GET_USER","arguments":{"id":5}}"#,
        r#"{"name":"get_usr","arguments":{"id":5}}"#,
        r#"{"name":7,"arguments":{"id":5}}"#,
        r#"[{"name":"get_user","arguments":{"id":5}}]"#,
        r#"{'name':'get_user','arguments':{'id':5}}"#,
        r#"{"tool_call_id":"functions.get_user:0","arguments":{"id":5}}"#,
        r#"{"call_id":"get_user","arguments":{"id":5}}"#,
        r#"{"object":"get_user","arguments":{"id":5}}"#,
    ] {
        for mode in [Repairs::Sure, Repairs::Wide] {
            for name in ["delete_user", "wipe"] {
                assert_eq!(as_call(name, foreign, mode), Err("invalid_call"), "{name} {foreign} {mode:?}");
            }
        }
        assert!(as_call("delete_user", foreign, Repairs::Off).is_err(), "{foreign}");
    }
    // A name that differs in case only is another tool's.
    let other = r#"{"name":"Get_User","arguments":{"id":5}}"#;
    assert_eq!(as_call("get_user", other, Repairs::Sure), Err("invalid_call"));
    assert_eq!(as_call("Get_User", other, Repairs::Sure), Ok(json!({"id": 5})));
    // Where no other tool is known, none was meant.
    let alone = Validator::new(&Schema::new(by_id())).unwrap();
    let own = json!({"name": "delete_user", "arguments": {"id": 5}});
    assert!(alone.take(&own, Repairs::Sure).is_ok());
    assert!(alone.take(&json!({"arguments": {"id": 5}}), Repairs::Sure).is_ok());
    // A schema that has such members is not in an envelope.
    let named = Validator::new(&Schema::new(
        json!({"required": ["name", "input"], "properties": {"name": {}, "input": {}}}),
    ));
    assert!(named.unwrap().take(&json!("{'name': 'x', 'input': {'id': 5}}"), Repairs::Sure).is_ok());
}

#[test]
fn a_call_around_the_object_is_one_of_the_tool_that_it_names_only() {
    for (own, expected) in [
        (r#"delete_user({"id":5})"#, json!({"id": 5})),
        (r#"functions.delete_user({"id": 5})"#, json!({"id": 5})),
        (r#"erase_the_account({"id":5})"#, json!({"id": 5})),
        (r#"```json {"id":5}```"#, json!({"id": 5})),
        (r#"The user: {"id":5}"#, json!({"id": 5})),
        ("Action: delete_user\nAction Input: {\"id\": 5}", json!({"id": 5})),
        (r#"get_users, forget_user and get_user_2 are words: {"id":5}"#, json!({"id": 5})),
        (r#"{"id":5 /* not get_user */}"#, json!({"id": 5})),
    ] {
        assert_eq!(as_call("delete_user", own, Repairs::Wide), Ok(expected), "{own}");
    }
    for foreign in [
        r#"get_user({"id":5})"#,
        r#"get_user( {"id":5} );"#,
        r#"functions.get_user({"id":5})"#,
        r#"I call get_user({"id":5})"#,
        r#"get_user: {"id":5}"#,
        r#"<function=get_user>{"id":5}</function>"#,
        r#"get_usr({"id":5})"#,
        r#""get_user({\"id\":5})""#,
        "Action: get_user\nAction Input: {\"id\": 5}",
        "Thought: I delete.\nAction: get_user\nAction Input: ```json\n{\"id\": 5}\n```",
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_user\n```json\n{\"id\": 5}\n```<｜tool▁call▁end｜>",
        "<|start|>assistant<|channel|>commentary to=functions.get_user <|constrain|>json<|message|>{\"id\": 5}<|call|>",
        "<|tool_call_begin|>functions.get_user:0<|tool_call_argument_begin|>{\"id\": 5}<|tool_call_end|>",
        r#"<invoke name="get_user">{"id": 5}</invoke>"#,
        r#"<function name="get_user" type="json">{"id": 5}</function>"#,
        "<tool_call>get_user\n<args>{\"id\": 5}</args></tool_call>",
        "<|start|>assistant<|channel|>commentary to=functions.get_usr<|message|>{\"id\": 5}<|call|>",
        r#"get_user(arguments={"id": 5})"#,
        r#"get_user(5, {"id": 5})"#,
        r#"tool: get_user, input: {"id": 5}"#,
        r#"**get_user** with {"id": 5}"#,
        r#"_get_user_ → {"id": 5}"#,
        r#"{"id":5} // get_user"#,
        r#"{"id":5} that was for get_user."#,
        r#"default_api.get_user.arguments = {"id": 5}"#,
        r#""Action: get_user\nAction Input: {\"id\": 5}""#,
    ] {
        for mode in [Repairs::Sure, Repairs::Wide] {
            assert_eq!(as_call("delete_user", foreign, mode), Err("invalid_call"), "{foreign} {mode:?}");
        }
    }
}

#[test]
fn an_object_behind_words_is_not_the_arguments() {
    for text in [
        "{}\nObservation: {\"id\": 5}",
        "I will not pass {} but the log shows {\"id\": 5}",
        "{}, {\"id\": 5}",
        "{}} {\"id\": 5}",
        "```json\n{}\n```\n```json\n{\"id\": 5}\n```",
    ] {
        for mode in [Repairs::Sure, Repairs::Wide] {
            assert_eq!(as_call("delete_user", text, mode), Err("invalid_json"), "{text} {mode:?}");
        }
    }
    // How some services send a stream.
    for text in ["{}{\"id\": 5}", "{}\n{\"id\": 5}"] {
        assert_eq!(as_call("delete_user", text, Repairs::Sure), Ok(json!({"id": 5})), "{text}");
    }
}

/// What becomes of the members of an object with these properties, none required.
fn member(properties: Value, written: &str) -> Result<Value, &'static str> {
    let schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    let taken = Validator::new(&Schema::new(schema)).unwrap().take(&json!(written), Repairs::Sure);
    taken
        .map(|(arguments, _)| Value::from(arguments.into_map()))
        .map_err(|error| problem_code(&error.problems[0]))
}

#[test]
fn quotes_side_by_side_are_one_string_or_two() {
    let lists = || json!({"l": {"type": "array", "items": {"type": "string"}}, "s": {"type": "string"}});
    for text in
        [r#"{"l":["-r""/tmp/x"]}"#, r#"{"l":["a","-r""/tmp/x"]}"#, r#"{"l":["a""b""c"]}"#, r#"{"s":"x""y"}"#]
    {
        assert_eq!(member(lists(), text), Err("invalid_json"), "{text}");
    }
    for (text, value) in [
        (r#"{"l":["-r" "/tmp/x"]}"#, json!({"l": ["-r", "/tmp/x"]})),
        (r#"{"l":["say "hello""]}"#, json!({"l": ["say \"hello\""]})),
        (r#"{"s":"5'10""}"#, json!({"s": "5'10\""})),
        (r#"{"s":"x""l":[]}"#, json!({"s": "x", "l": []})),
    ] {
        assert_eq!(member(lists(), text), Ok(value), "{text}");
    }
}

#[test]
fn a_word_for_nothing_is_no_list_of_it() {
    let texts = || json!({"l": {"type": "array", "items": {"type": "string"}}, "n": {"type": "integer"}});
    assert_eq!(member(texts(), r#"{"l": "null", "n": "null"}"#), Ok(json!({})));
    assert_eq!(member(texts(), r#"{"l": "None"}"#), Err("type_mismatch"));
    assert_eq!(member(texts(), r#"{"l": "nullable"}"#), Ok(json!({"l": ["nullable"]})));
}

/// The calls that can run, and the rules of the problems.
fn parsed(format: MessageFormat, reply: &str) -> (Value, Vec<String>) {
    let parsed = parse_calls(format, reply).unwrap();
    (parsed.to_list(), parsed.problems.iter().map(|problem| problem.rule.clone()).collect())
}

#[test]
fn a_call_with_parameters_for_arguments_has_arguments_and_a_definition_is_no_call() {
    let chat = |function: Value| json!([{"id": "c", "type": "function", "function": function}]).to_string();
    let (calls, problems) =
        parsed(MessageFormat::OpenAiChat, &chat(json!({"name": "f", "parameters": {"a": 1}})));
    assert_eq!((&calls[0]["arguments"], problems), (&json!({"a": 1}), Vec::<String>::new()));
    let (calls, _) = parsed(MessageFormat::OpenAiChat, &chat(json!({"name": "f"})));
    assert_eq!(calls[0]["arguments"], json!({}));
    for function in [
        json!({"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}}),
        json!({"name": "f", "parameters": {"properties": {}}}),
        json!({"name": "f", "description": "Does it.", "parameters": {}}),
        json!({"name": "f", "description": "Does it."}),
        json!({"name": "f", "strict": true, "parameters": {"$ref": "#/$defs/A"}}),
    ] {
        let (calls, problems) = parsed(MessageFormat::OpenAiChat, &chat(function.clone()));
        assert_eq!((calls, problems), (json!([]), vec!["call".to_owned()]), "{function}");
    }
}

#[test]
fn a_piece_of_a_stream_is_not_a_whole_call() {
    let whole = json!({"functionCall": {"name": "f", "args": {}}});
    for piece in [
        json!({"name": "g", "partialArgs": [{"jsonPath": "$.a", "stringValue": "x", "willContinue": true}], "willContinue": true}),
        json!({"name": "g", "args": {"a": 1}, "willContinue": true}),
        json!({"name": "g", "partialArgs": [{"jsonPath": "$.a", "stringValue": "x"}]}),
        json!({"name": "g", "args": {}, "partial_args": [{"json_path": "$.a", "will_continue": true}]}),
    ] {
        let reply = json!({"candidates": [{"content": {"parts": [&whole, {"functionCall": &piece}]}}]});
        let (calls, problems) = parsed(MessageFormat::Gemini, &reply.to_string());
        assert_eq!(calls.as_array().unwrap().len(), 1, "{piece}");
        assert_eq!(problems, ["truncated"], "{piece}");
    }
    let done =
        json!([{"functionCall": {"name": "f", "args": {"a": 1}, "partialArgs": [], "willContinue": false}}]);
    assert_eq!(parsed(MessageFormat::Gemini, &done.to_string()).0[0]["arguments"], json!({"a": 1}));
}

#[test]
fn numbers_of_long_answers_are_as_exact_as_of_short_ones() {
    let long = "x".repeat(5 << 20);
    for start in ["", "\u{feff}"] {
        let reply = format!(
            r#"{start}{{"content": [{{"type": "text", "text": "{long}"}}, {{"type": "tool_use", "id": "t", "name": "f", "input": {{"n": 12345678901234567890123}}}}]}}"#
        );
        let parsed = parse_calls(MessageFormat::Anthropic, reply.as_str()).unwrap();
        assert_eq!(parsed.calls[0].arguments, json!(r#"{"n":12345678901234567890123}"#));
    }
}

/// What becomes of arguments that were written for OpenAI's strict mode, and whether that is on the record.
fn strict(properties: Value, written: &str, mode: Repairs) -> (Result<Value, String>, bool) {
    let schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    let definition = opentool_core::ToolDefinition::new("t", "d").input_schema(Schema::new(schema.clone()));
    let decoder: Decoder = lower(&definition, Dialect::OpenAiStrict).unwrap().decoder;
    let examined = Validator::new(&Schema::new(schema)).unwrap().examine(&json!(written), &decoder, mode);
    let told = !examined.changes.is_empty();
    (examined.result.map(|taken| taken.into_map().into()).map_err(|error| error.to_string()), told)
}

#[test]
fn one_entry_of_a_map_is_read_as_the_entry() {
    let map = || json!({"h": {"type": "object", "additionalProperties": {"type": "string"}}});
    let entry = r#"{"h":{"key":"Authorization","value":"x"}}"#;
    let expected = json!({"h": {"Authorization": "x"}});
    assert_eq!(strict(map(), entry, Repairs::Sure), (Ok(expected), true));
    let listed = r#"{"h":[{"key":"a","value":"x"},{"key":"b","value":"y"}]}"#;
    assert_eq!(strict(map(), listed, Repairs::Sure).0, Ok(json!({"h": {"a": "x", "b": "y"}})));
    let plain = r#"{"h":{"key":"a","value":"x","more":"y"}}"#;
    assert_eq!(
        strict(map(), plain, Repairs::Sure).0,
        Ok(json!({"h": {"key": "a", "value": "x", "more": "y"}}))
    );
}

#[test]
fn texts_of_json_are_shown_while_they_are_written() {
    for (written, value) in [
        (r#"{"v":"{\"a\":1"#, json!({"v": {"a": 1}})),
        (r#"{"v":"{\"a\":\"b"#, json!({"v": {"a": "b"}})),
        (r#"{"v":"{\"a\":[1,2"#, json!({"v": {"a": [1, 2]}})),
        (r#"{"v":"\"wor"#, json!({"v": "wor"})),
        (r#"{"v":""#, json!({})),
        (r#"{"v":"{\"a\":1}"}"#, json!({"v": {"a": 1}})),
        (r#"{"l":["{\"a\":1}","\"b"#, json!({"l": [{"a": 1}, "b"]})),
        (r#"{"l":["{\"a\":1}",""#, json!({"l": [{"a": 1}]})),
        (r#"{"w":"x","v":"[tru"#, json!({"w": "x", "v": [true]})),
        (r#"{"w":"a word, or {two}","v":"12"#, json!({"w": "a word, or {two}", "v": 12})),
    ] {
        let any = json!({"v": {}, "w": {}, "l": {"type": "array", "items": {}}});
        assert_eq!(strict(any, written, Repairs::Partial).0, Ok(value), "{written}");
    }
    // What is whole is judged as before.
    assert!(strict(json!({"v": {}}), r#"{"v":"{\"a\":1"}"#, Repairs::Sure).0.is_err());
}
