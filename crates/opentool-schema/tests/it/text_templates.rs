//! Each file under `tests/golden/text-calls`: a text in the form of the documentation that `source` names, and the calls
//! in it.

use std::path::{Path, PathBuf};

use opentool_schema::{TextCalls, parse_text_calls, parse_text_calls_of, problem_code};
use serde_json::{Map, Value, json};

const NAMES: [&str; 3] = ["get_weather", "now", "send"];

fn picture(found: &TextCalls) -> Value {
    let call = |call: &opentool_schema::TextCall| {
        let mut picture = Map::new();
        picture.insert("name".to_owned(), call.name.as_str().into());
        picture.insert("arguments".to_owned(), call.arguments.clone());
        if let Some(id) = &call.id {
            picture.insert("id".to_owned(), id.as_str().into());
        }
        Value::Object(picture)
    };
    found.calls.iter().map(call).collect()
}

#[test]
fn documented_texts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/text-calls");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 25, "only {} files", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let case: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert!(case["source"].as_str().unwrap().starts_with("https://"), "{}", file.display());
        let text = case["text"].as_str().unwrap();
        let names: Option<Vec<&str>> =
            case["names"].as_array().map(|names| names.iter().map(|name| name.as_str().unwrap()).collect());
        let found = match &names {
            // Without knowing the tools, they are only words.
            Some(_) if !parse_text_calls(text).is_empty() => TextCalls::default(),
            Some(names) => parse_text_calls_of(text, names.iter().copied()),
            None => parse_text_calls(text),
        };
        if picture(&found) != case["calls"] || !found.problems.is_empty() {
            wrong.push(format!("{}: {found:?}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn talk_about_calls_is_no_call() {
    for text in [
        "Use `<tool_call>` and `</tool_call>` around the call.",
        "Models write `<tool_call>{\"name\": \"get_weather\", \"arguments\": {}}</tool_call>` for that.",
        "The marker [TOOL_CALLS] comes first.",
        "The marker `[TOOL_CALLS]get_weather[ARGS]{}` comes first.",
        "Wrap it in `<function=get_weather>{}</function>`.",
        "Llama writes `<|python_tag|>get_weather.call(city=\"Paris\")` here.",
        "For example:\n```json\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n```\nwould give the weather.",
        "You can call `get_weather(city=\"Paris\")` to see it.",
        "You can call\n`get_weather(city=\"Paris\")`\nto see it.",
        "Here it is:\n```json\n{\"name\": \"Rex\", \"arguments\": {\"city\": \"Paris\"}}\n```",
        "Here it is:\n```\n{\"city\": \"Paris\"}\n```",
        "Do this:\n```python\nget_weather(city=input())\n```",
        "json\n{\"city\": \"Paris\"}",
        "Result\n{\"city\": \"Paris\"}",
        "the answer is\n{\"city\": \"Paris\"}",
        "get_weather\n{\"city\": \"Paris\"}\nis how it looks.",
        "get_weather\n{'city': 'Paris'}",
        "<think>\n```json\n{\"name\": \"get_weather\", \"arguments\": {}}\n```\n</think>No, I know it.",
    ] {
        let found = parse_text_calls_of(text, NAMES);
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn of_two_values_for_one_key_none_is_chosen_in_silence() {
    for text in [
        "<tool_call><function=get_weather><parameter=city>Paris</parameter><parameter=city>Rome</parameter></function></tool_call>",
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value><arg_key>city</arg_key><arg_value>Rome</arg_value></tool_call>",
        "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\", \"city\": \"Rome\"}}</tool_call>",
        "[get_weather(where={'city': 'Paris', 'city': 'Rome'})]",
    ] {
        let found = parse_text_calls(text);
        assert_eq!(found.calls, [], "{text}");
        assert_eq!(found.problems.iter().map(problem_code).collect::<Vec<_>>(), ["invalid_json"], "{text}");
    }
    // Arguments that stand on their own stay as they were written, for the checked call to say what it does.
    let text = "{\"city\": \"Paris\", \"city\": \"Rome\"}";
    for written in [format!("[TOOL_CALLS]get_weather[ARGS]{text}"), format!("get_weather\n{text}")] {
        assert_eq!(parse_text_calls(&written).calls[0].arguments, json!(text));
    }
}

#[test]
fn hostile_text_is_bounded() {
    for piece in [
        "`",
        "```",
        "```json\n{}\n",
        "{\n",
        "`now()`\n",
        "\n[",
        "<｜DSML｜invoke name=\"",
        "<function_call>{",
        "a\n{",
    ] {
        let found = parse_text_calls_of(&piece.repeat(20_000), NAMES);
        assert!(found.calls.len() <= 128 && found.problems.len() <= 130, "{piece}");
    }
}
