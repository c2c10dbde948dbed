//! What could have been meant in another way is refused, not guessed.

use opentool_core::{Schema, ToolDefinition};
use opentool_schema::{Decoder, Dialect, Repairs, Validator, lower, problem_code};
use serde_json::{Value, json};

fn taken(text: &str, mode: Repairs) -> Result<Value, &'static str> {
    let any = Validator::new(&Schema::new(json!({"type": "object"}))).unwrap();
    let examined = any.examine(&json!(text), &Decoder::default(), mode);
    examined
        .result
        .map(|arguments| Value::from(arguments.into_map()))
        .map_err(|error| problem_code(&error.problems[0]))
}

#[test]
fn what_a_comment_without_an_end_hides_is_not_dropped() {
    for text in [
        r#"{"path":"/tmp" /* , "dry_run": true }"#,
        r#"{"path":"/tmp" // , "dry_run": true }"#,
        r#"{"path":"/tmp", # "dry_run": true }"#,
        r#"{"path":"/tmp", "list": [1, 2 /* , 3]}"#,
        r#"{"path":"/tmp"} /* , "dry_run": true }"#,
        r#"{"path":"/tmp" /*/ , "dry_run": true }"#,
    ] {
        for mode in [Repairs::Sure, Repairs::Wide] {
            assert_eq!(taken(text, mode), Err("truncated"), "{text} {mode:?}");
        }
    }
    for text in [
        "{\"path\":\"/tmp\" // the place\n}",
        "{\"path\":\"/tmp\" /* the place */} // done",
        "{\"path\":\"/tmp\"} # done",
        "/* {} */ {\"path\":\"/tmp\"}",
    ] {
        assert_eq!(taken(text, Repairs::Sure), Ok(json!({"path": "/tmp"})), "{text}");
    }
    assert_eq!(taken(r#"{"path":"/tmp" /* the pl"#, Repairs::Partial), Ok(json!({"path": "/tmp"})));
}

#[test]
fn what_follows_a_whole_value_is_dropped_only_where_it_cannot_belong_to_it() {
    for text in [
        r#"{"path":"/tmp"} dry_run: true"#,
        r#"{"path":"/tmp"} dry_run=true"#,
        r#"{"path":"/tmp"} and also "dry_run" true"#,
        r#"{"path":"/tmp"}} dry_run true }"#,
        "{\"path\":\"/tmp\"}\ndry_run: true",
        "{\"path\":\"/tmp\"} or [1]",
        "```json\n{\"path\":\"/tmp\"}\ndry_run: true\n```",
        r#"{"path":"/tmp"}, dry_run"#,
    ] {
        for mode in [Repairs::Sure, Repairs::Wide] {
            assert_eq!(taken(text, mode), Err("invalid_json"), "{text} {mode:?}");
        }
    }
    for text in [
        "{\"path\":\"/tmp\"}\n",
        "{\"path\":\"/tmp\"}}",
        "{\"path\":\"/tmp\"};",
        "{\"path\":\"/tmp\"}\n\nLet me know, if it's what you want.",
        "```json\n{\"path\":\"/tmp\"}\n```\nNote: it takes a while (\"soon\").",
        "<tool_call>{\"path\":\"/tmp\"}</tool_call>",
        "{\"path\":\"/tmp\"}</ns:invoke>\n</ns:tool_call><|im_end|>",
    ] {
        assert_eq!(taken(text, Repairs::Sure), Ok(json!({"path": "/tmp"})), "{text}");
    }
}

#[test]
fn strings_side_by_side_and_placeholders_are_no_values() {
    for text in [
        r#"{"a": "x" "y"}"#,
        r#"{"a": "x" "y", "b": 1}"#,
        r#"{"s": ...}"#,
        r#"{"s": …}"#,
        r#"{"s": <path>}"#,
        r#"{"l": [1, 2, ...]}"#,
        r#"{"l": [1, ..., 9]}"#,
        r#"{"s": foo..., "t": 1}"#,
        r#"{"s": ?}"#,
    ] {
        for mode in [Repairs::Sure, Repairs::Wide] {
            assert_eq!(taken(text, mode), Err("invalid_json"), "{text} {mode:?}");
        }
    }
    assert_eq!(taken("s: ...", Repairs::Wide), Err("invalid_json"));
    for (text, value) in [
        (r#"{"s": "...", 't': '<path>'}"#, json!({"s": "...", "t": "<path>"})),
        (r#"{"s": /tmp/x.y}"#, json!({"s": "/tmp/x.y"})),
        (r#"{"s": 1.}"#, json!({"s": 1.0})),
    ] {
        assert_eq!(taken(text, Repairs::Sure), Ok(value), "{text}");
    }
}

#[test]
fn valid_text_of_the_deepest_kind_is_not_said_to_be_changed() {
    let any = Validator::new(&Schema::new(json!({"type": "object"}))).unwrap();
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let inner = format!("{}{}", open.repeat(126), close.repeat(126)).replace(":}", ":{}}");
        for (text, changes) in [
            (format!("{{\"a\": {}1.10, \"\\u0041\"{}}}", "[".repeat(127), "]".repeat(127)), 0),
            (format!("{{\"a\": {}1, {}}}", "[".repeat(127), "]".repeat(127)), 1),
            (format!("{{'a': {inner}}}"), 1),
        ] {
            let (_, found) =
                any.take(&json!(text), Repairs::Sure).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(found.len(), changes, "{text}: {found:?}");
        }
    }
}

#[test]
fn exactly_128_levels_are_taken_in_every_mode_and_one_more_in_none() {
    let any = Validator::new(&Schema::new(json!({"type": "object"}))).unwrap();
    // Of the tool's own form all but the last; in the other form the value is a text of its own.
    let free = json!({"type": "object", "properties": {"any": {}, "a": {}, "b": {"type": "integer"}}});
    let definition = ToolDefinition::new("t", "").input_schema(Schema::new(free.clone()));
    let strict = lower(&definition, Dialect::OpenAiStrict).unwrap().decoder;
    let free = Validator::new(&Schema::new(free)).unwrap();
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let own = |levels: usize| format!("{{\"a\": {}}}", nested(levels - 1));
    let as_text = |levels: usize| json!({"any": nested(levels - 1), "a": null, "b": null}).to_string();
    let plain = Decoder::default();
    for mode in [Repairs::Off, Repairs::Sure, Repairs::Wide, Repairs::Partial] {
        for (validator, decoder, text) in [
            (&any, &plain, &own as &dyn Fn(usize) -> String),
            (&free, &strict, &own),
            (&free, &strict, &as_text),
        ] {
            let code = |levels: usize| {
                let result = validator.examine(&text(levels).into(), decoder, mode).result;
                result.err().map(|error| problem_code(&error.problems[0]))
            };
            assert_eq!(code(127), None, "{mode:?} {}", text(3));
            assert_eq!(code(128), None, "{mode:?} {}", text(3));
            if mode != Repairs::Partial {
                assert_eq!(code(129), Some("too_deep"), "{mode:?} {}", text(3));
            }
        }
        // As a value.
        let value = |levels: usize| {
            serde_json::from_str::<Value>(&own(levels - 2)).map(|inner| json!({"a": {"a": inner}}))
        };
        assert!(any.take(&value(128).unwrap(), mode).is_ok(), "{mode:?}");
        if mode != Repairs::Partial {
            let refused = any.take(&value(129).unwrap(), mode).unwrap_err();
            assert_eq!(problem_code(&refused.problems[0]), "too_deep", "{mode:?}");
        }
    }
    let broken = format!("{{\"a\": {}, }}", nested(127));
    let refused = any.take(&broken.as_str().into(), Repairs::Off).unwrap_err();
    assert_eq!(problem_code(&refused.problems[0]), "invalid_json");
}
