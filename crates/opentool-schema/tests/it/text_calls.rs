//! Calls that models write into their text, in the templates of many vendors.

use opentool_schema::{parse_text_calls, problem_code};
use proptest::prelude::*;
use serde_json::{Value, json};

fn calls(text: &str) -> Vec<(String, Value)> {
    parse_text_calls(text).calls.into_iter().map(|call| (call.name, call.arguments)).collect()
}

fn one(name: &str, arguments: Value) -> Vec<(String, Value)> {
    vec![(name.to_owned(), arguments)]
}

#[test]
fn every_template_is_read() {
    let paris = || one("w", json!({"city": "Paris"}));
    for text in [
        "Let me look.\n<tool_call>\n{\"name\": \"w\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>",
        "<tool_call>{'name': 'w', 'arguments': {'city': 'Paris'}}</tool_call>",
        "<tool_call>{\"name\": \"w\", \"arguments\": {\"city\": \"Paris\"}}",
        "<tool_call>w\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>",
        "<function=w>{\"city\": \"Paris\"}</function>",
        "<function=w><parameter=city>\nParis\n</parameter></function>",
        "<x:function_calls><x:invoke name=\"w\"><x:parameter name=\"city\">Paris</x:parameter></x:invoke></x:function_calls>",
        "[TOOL_CALLS] [{\"name\": \"w\", \"arguments\": {\"city\": \"Paris\"}}]",
        "[TOOL_CALLS]w[ARGS]{\"city\": \"Paris\"}",
        "<|python_tag|>{\"name\": \"w\", \"parameters\": {\"city\": \"Paris\"}}",
        "functools[{\"name\": \"w\", \"arguments\": {\"city\": \"Paris\"}}]",
        "<|tool_calls_section_begin|><|tool_call_begin|>w<|tool_call_argument_begin|>{\"city\": \"Paris\"}<|tool_call_end|><|tool_calls_section_end|>",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>w<｜tool▁sep｜>{\"city\": \"Paris\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>w\n```json\n{\"city\": \"Paris\"}\n```<｜tool▁call▁end｜>",
        "<|channel|>analysis<|message|>Paris, then.<|end|><|start|>assistant<|channel|>commentary to=functions.w <|constrain|>json<|message|>{\"city\": \"Paris\"}<|call|>",
        "Thought: the weather\nAction: w\nAction Input: {\"city\": \"Paris\"}\nObservation: sunny",
        "```json\n{\"tool_name\": \"w\", \"parameters\": {\"city\": \"Paris\"}}\n```",
        "[{\"type\": \"function\", \"function\": {\"name\": \"w\", \"arguments\": \"{\\\"city\\\": \\\"Paris\\\"}\"}}]",
        "[w(city='Paris')]",
        "w(city=\"Paris\")",
        "<think><tool_call>{\"name\": \"other\", \"arguments\": {}}</tool_call></think>w(city='Paris')",
    ] {
        assert_eq!(calls(text), paris(), "{text}");
    }
}

#[test]
fn ids_of_mistral_are_kept() {
    for (text, id) in [
        ("[TOOL_CALLS]w[CALL_ID]abc123def[ARGS]{\"city\": \"Paris\"}", Some("abc123def")),
        ("[TOOL_CALLS]w{\"city\": \"Paris\"}", None),
        (
            "[TOOL_CALLS] [{\"name\": \"w\", \"arguments\": {\"city\": \"Paris\"}, \"id\": \"abc123def\"}]",
            Some("abc123def"),
        ),
    ] {
        assert_eq!(calls(text), one("w", json!({"city": "Paris"})), "{text}");
        assert_eq!(parse_text_calls(text).calls[0].id.as_deref(), id, "{text}");
    }
}

#[test]
fn several_calls_keep_their_order() {
    let names = |text: &str| calls(text).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    for text in [
        "<tool_call>{\"name\":\"a\",\"arguments\":{}}</tool_call>\n<tool_call>{\"name\":\"b\",\"arguments\":{}}</tool_call>",
        "<function=a></function><function=b></function>",
        "[TOOL_CALLS]a[ARGS]{}[TOOL_CALLS]b[ARGS]{}",
        "<|python_tag|>{\"name\":\"a\",\"parameters\":{}}; {\"name\":\"b\",\"parameters\":{}}",
        "[a(), b(x=[1, {'y': None}], z=-1.5)]",
        "[{\"name\":\"a\",\"arguments\":{}},{\"name\":\"b\",\"arguments\":{}}]",
    ] {
        assert_eq!(names(text), ["a", "b"], "{text}");
    }
    let typed = calls("b(x=[1, {'y': None}], z=-1.5, s='it\\'s', t=True)");
    assert_eq!(typed, one("b", json!({"x": [1, {"y": null}], "z": -1.5, "s": "it's", "t": true})));
}

#[test]
fn text_without_calls_has_none() {
    for text in [
        "",
        "The weather in Paris (France) is fine.",
        "Use `get_weather(city)` for that.",
        "Write {\"city\": \"Paris\"} into the file.",
        "```json\n{\"name\": \"Rex\", \"species\": \"dog\"}\n```",
        "{\"city\": \"Paris\"}",
        "f(x=1+1)",
        "f(g(x=1))",
        "[1, 2, 3]",
        "<think>I could call w(city='Paris')",
        "Action: none of these would help",
    ] {
        assert!(parse_text_calls(text).is_empty(), "{text}: {:?}", parse_text_calls(text));
    }
}

#[test]
fn what_was_cut_off_is_a_problem_and_no_call() {
    for text in [
        "<tool_call>{\"name\": \"w\", \"arguments\": {\"city\": \"Par",
        "<function=w><parameter=city>Par",
        "[TOOL_CALLS]w[ARGS]{\"city\": \"Par",
        "<|python_tag|>{\"name\": \"w\", \"parameters\": {\"city\"",
        "<|tool_call_begin|>w<|tool_call_argument_begin|>{\"city\": \"Par",
    ] {
        let found = parse_text_calls(text);
        assert!(found.calls.is_empty(), "{text}");
        assert_eq!(found.problems.iter().map(problem_code).collect::<Vec<_>>(), ["truncated"], "{text}");
    }
    // The one before it stands.
    let found =
        parse_text_calls("<tool_call>{\"name\":\"a\",\"arguments\":{}}</tool_call><tool_call>{\"name\":");
    assert_eq!((found.calls.len(), found.problems.len()), (1, 1));
}

#[test]
fn hostile_text_is_bounded() {
    for piece in [
        "<tool_call>",
        "<tool_call>{}</tool_call>",
        "[TOOL_CALLS]",
        "f(",
        "a(),",
        "Action: a\nAction Input: {}\n",
        "<invoke name=",
        "<|message|> to=",
    ] {
        let found = parse_text_calls(&piece.repeat(20_000));
        assert!(found.calls.len() <= 128 && found.problems.len() <= 130, "{piece}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(pieces in prop::collection::vec(prop::sample::select(vec![
        "<tool_call>", "</tool_call>", "<function=", "a", ">", "</function>", "invoke name=", "\"", "</", "[TOOL_CALLS]",
        "[ARGS]", "{", "}", "(", ")", "=", "'", ",", "\n", "Action:", "Action Input:", "<|message|>", " to=", "é", "```",
    ]), 0..20)) {
        let _ = parse_text_calls(&pieces.concat());
    }
}
