//! What becomes of arguments between the model and the tool: what is mended, what is refused, what is recorded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;
use opentool_core::{Schema, ToolCall, ToolContext, ToolError, ToolOutput, ToolSet};
use opentool_schema::{RepairPolicy, Repairs, ToolSetExt as _, Validator, problem_code, resolve_name};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::tools::{Scripted, call, set};

fn weather() -> Value {
    json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 1, "maximum": 16},
            "unit": {"enum": ["celsius", "fahrenheit"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "when": {"anyOf": [{"type": "integer"}, {"type": "null"}]}
        },
        "required": ["city"],
        "additionalProperties": false
    })
}

fn take(
    schema: Value,
    written: impl Into<Value>,
    mode: Repairs,
) -> Result<(Value, Vec<Value>), Vec<&'static str>> {
    let validator = Validator::new(&Schema::new(schema)).unwrap();
    match validator.take(&written.into(), mode) {
        Ok((arguments, changes)) => {
            Ok((arguments.into_map().into(), changes.iter().map(Value::from).collect()))
        }
        Err(error) => Err(error.problems.iter().map(problem_code).collect()),
    }
}

fn sure(written: impl Into<Value>) -> Result<Value, Vec<&'static str>> {
    take(weather(), written, Repairs::Sure).map(|(value, _)| value)
}

fn run(tools: &ToolSet, context: &ToolContext, asked: &ToolCall) -> Result<ToolOutput, ToolError> {
    tools.call(context, asked).now_or_never().expect("nothing in the test waits")
}

#[test]
fn a_call_that_was_mended_says_so_to_its_host() {
    let tools = set(Scripted::echo(weather()));
    let asked = call("functions.echo", "{'City': 'Paris', days: '3', \"unit\": null,}");
    let output = run(&tools, &ToolContext::new(), &asked).unwrap();
    assert_eq!(output.structured, Some(json!({"city": "Paris", "days": 3})));
    let changes = output.metadata["arguments.changes"].as_array().unwrap();
    let stages: Vec<(&str, &str)> =
        changes.iter().map(|c| (c["stage"].as_str().unwrap(), c["pointer"].as_str().unwrap())).collect();
    assert_eq!(
        stages,
        [("name", ""), ("repair", ""), ("coerce", "/city"), ("coerce", "/days"), ("coerce", "/unit")]
    );
    assert_eq!(changes[3]["before"], "3");
    assert_eq!(changes[3]["after"], 3);
    // Good arguments leave no trace.
    let output = run(&tools, &ToolContext::new(), &call("echo", "{\"city\":\"Paris\"}")).unwrap();
    assert!(output.metadata.is_empty());
}

#[test]
fn the_host_decides_how_far_repair_goes() {
    let tools = set(Scripted::echo(weather()));
    let nearly = call("echo", "{'city': 'Paris'}");
    let forbidden = call("echo", json!({"city": "Paris", "dry_run": true}));
    let with = |policy| ToolContext::new().fact(policy);
    let code = |context: &ToolContext, asked: &ToolCall| match run(&tools, context, asked) {
        Err(ToolError::InvalidArguments(error)) => problem_code(&error.problems[0]),
        Err(_) => "another error",
        Ok(_) => "ran",
    };
    let off = with(RepairPolicy::new(Repairs::Off));
    let wide = with(RepairPolicy::new(Repairs::Wide));
    let off_for_one = with(RepairPolicy::new(Repairs::Wide).tool("echo", Repairs::Off));
    assert_eq!(
        [code(&ToolContext::new(), &nearly), code(&off, &nearly), code(&off_for_one, &nearly)],
        ["ran", "invalid_json", "invalid_json"]
    );
    assert_eq!([code(&ToolContext::new(), &forbidden), code(&wide, &forbidden)], ["unknown_property", "ran"]);
    // Partial arguments never run.
    assert_eq!(
        code(&with(RepairPolicy::new(Repairs::Partial)), &call("echo", "{\"city\":\"Par")),
        "invalid_json"
    );
    // Where nothing is mended, names are not either.
    assert_eq!(code(&off_for_one, &call("functions.echo", json!({"city": "x"}))), "another error");
}

#[test]
fn a_call_that_was_cut_off_never_runs() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&runs);
    let tools = set(Scripted::new("t", json!({"type": "object"}), move |_, _| {
        counter.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(ToolOutput::new()) })
    }));
    let whole = r#"{"path": "/", "recursive": false, "note": "a \"b\" \u00e9", "list": [1, {"x": null}]}"#;
    for end in (1..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        for cut in [whole[..end].to_owned(), whole[..end].replace('"', "'")] {
            let error = run(&tools, &ToolContext::new(), &call("t", cut.clone())).unwrap_err();
            assert!(
                error.for_model().contains("cut off") || error.for_model().contains("never ends"),
                "{cut}: {error}"
            );
        }
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[test]
fn what_could_mean_two_things_is_refused() {
    for (written, code) in [
        // Where does the city end?
        (r#"{"city":"New York, "days":"3"}"#, "invalid_json"),
        (r#"{"city":"Paris"}{"city":"Rome"}"#, "invalid_json"),
        (r#"{"city":"Paris"},"days":3}"#, "invalid_json"),
        (r#"{"tags":["a", b, "c"],"city":"x"}"#, "invalid_json"),
        // A bracket is missing, but where?
        (r#"{"tags":["a","b","city":"x"}"#, "invalid_json"),
        // Cut off inside of its own quotes.
        (r#""{\"city\":\"Paris\""#, "truncated"),
        // Two spellings of one key.
        (r#"{"City":"Paris","CITY":"Rome"}"#, "missing_required"),
        (r#"{"city":"Paris","days":"3 days"}"#, "type_mismatch"),
        (r#"{"city":"Paris","days":"3.5"}"#, "type_mismatch"),
        (r#"{"city":"Paris","days":true}"#, "type_mismatch"),
        (r#"{"city":null}"#, "type_mismatch"),
        (r#"{"city":NaN}"#, "type_mismatch"),
    ] {
        let found = sure(written).map_err(|codes| codes.contains(&code));
        assert_eq!(found, Err(true), "{written}");
    }
}

#[test]
fn only_one_reading_is_taken() {
    for (written, value) in [
        (r#"{"city":"Paris","tags":"a, b"}"#, json!({"city": "Paris", "tags": ["a, b"]})),
        (r#"{"city":"Paris","tags":"[\"a\"]"}"#, json!({"city": "Paris", "tags": ["a"]})),
        (r#"{"city":"Paris","when":"5"}"#, json!({"city": "Paris", "when": 5})),
        (r#"{"city":"Paris","when":"null"}"#, json!({"city": "Paris", "when": null})),
        (r#"{"city":"Paris","UNIT":"Celsius"}"#, json!({"city": "Paris", "unit": "celsius"})),
        (r#"{"city" "Paris"}"#, json!({"city": "Paris"})),
        (r#"{{"city":"Paris"}}"#, json!({"city": "Paris"})),
        (r#"{"city":"""a "b" c"""}"#, json!({"city": "a \"b\" c"})),
        (r#"{}{"city":"Paris"}"#, json!({"city": "Paris"})),
        (r#"{"city":"Paris"}}"#, json!({"city": "Paris"})),
        (r#"get_weather({"city": "Paris"})"#, json!({"city": "Paris"})),
        (r#"{"type":"call","arguments":"{\"city\":\"Paris\"}"}"#, json!({"city": "Paris"})),
        ("{\"city\":\"New\nYork\"}", json!({"city": "New\nYork"})),
        (r#"{"city":"He said "hi", then left"}"#, json!({"city": "He said \"hi\", then left"})),
    ] {
        assert_eq!(sure(written), Ok(value), "{written}");
    }
}

#[test]
fn objects_are_mended_like_text() {
    assert_eq!(sure(json!({"city": ["Paris"], "days": "3"})), Ok(json!({"city": "Paris", "days": 3})));
    assert_eq!(sure(json!([{"city": "Paris"}])), Ok(json!({"city": "Paris"})));
    assert_eq!(sure(json!(5)), Err(vec!["type_mismatch"]));
}

#[test]
fn digits_survive() {
    let schema = || json!({"type": "object", "properties": {"id": {"type": "string"}}});
    for digits in ["12345678901234567890123", "1.10", "0.1000000000000000055", "1e3", "-0", "00012"] {
        let found = take(schema(), format!("{{\"id\":{digits}}}"), Repairs::Sure).unwrap().0;
        assert_eq!(found, json!({"id": digits}));
    }
    // A number whose digits are gone cannot become text again.
    assert_eq!(take(schema(), json!({"id": 1e300}), Repairs::Sure), Err(vec!["type_mismatch"]));
    let number = || json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let long = take(number(), json!({"n": "12345678901234567890123"}), Repairs::Sure);
    assert_eq!(long, Err(vec!["type_mismatch"]), "nothing is rounded");
}

#[test]
fn alternatives_are_chosen_only_where_one_is_left() {
    let either = |a: Value, b: Value| json!({"type": "object", "properties": {"v": {"anyOf": [a, b]}}});
    let taken =
        |schema, v: Value| take(schema, json!({"v": v}), Repairs::Sure).map(|(value, _)| value["v"].clone());
    let shapes = || {
        either(
            json!({"type": "object", "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind", "r"]}),
            json!({"type": "object", "properties": {"kind": {"const": "square"}, "a": {"type": "number"}}, "required": ["kind", "a"]}),
        )
    };
    assert_eq!(
        taken(shapes(), json!({"kind": "Circle", "r": "2.5"})),
        Ok(json!({"kind": "circle", "r": 2.5}))
    );
    let numbers = either(json!({"type": "integer"}), json!({"type": "boolean"}));
    assert_eq!(taken(numbers.clone(), json!("true")), Ok(json!(true)));
    assert_eq!(taken(numbers, json!("7")), Ok(json!(7)));
    // 7 and [7] are both accepted: what was meant?
    let lists = either(json!({"type": "integer"}), json!({"type": "array", "items": {"type": "integer"}}));
    assert!(taken(lists, json!("7")).is_err());
}

#[test]
fn partial_arguments_grow() {
    let whole = r#"{"city":"Par\u0069s","days":12,"tags":["a",{"x":true}]}"#;
    let mut sizes = Vec::new();
    for end in 0..=whole.len() {
        let (value, _) = take(weather(), &whole[..end], Repairs::Partial).unwrap();
        sizes.push(value.as_object().unwrap().len());
    }
    assert!(sizes.is_sorted() && sizes.last() == Some(&3), "{sizes:?}");
    let so_far = take(weather(), r#"{"city":"Par\u00"#, Repairs::Partial).unwrap().0;
    assert_eq!(so_far, json!({"city": "Par"}));
}

#[test]
fn hostile_text_is_refused_at_once() {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}});
    for text in [
        "[".repeat(1 << 20),
        "{\"a\":".repeat(100_000),
        "{'a':[".repeat(100_000),
        format!("{{\"a\":{}", "\"".repeat(1 << 20)),
        "```{".repeat(100_000),
        "\\\"".repeat(100_000),
        format!("{{\"a\":\"{}1{}\"}}", "[".repeat(100_000), "]".repeat(100_000)),
        "&quot;{".repeat(100_000),
    ] {
        for mode in [Repairs::Off, Repairs::Sure, Repairs::Wide] {
            assert!(take(schema.clone(), text.as_str(), mode).is_err(), "{}", &text[..8]);
        }
        let _ = take(schema.clone(), text.as_str(), Repairs::Partial);
    }
    // Texts in texts in texts …
    let nested = (0..12).fold("{\"a\":[1]}".to_owned(), |inner, _| json!(inner).to_string());
    assert!(take(schema, nested, Repairs::Wide).is_err());
}

#[test]
fn large_arguments_are_mended_too() {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}});
    let text = format!("{{\"a\":[{}]}}", vec!["\"7\""; 10_000].join(","));
    let (value, changes) = take(schema, text, Repairs::Sure).unwrap();
    assert_eq!((value["a"].as_array().unwrap().len(), changes.len()), (10_000, 10_000));
}

#[test]
fn a_record_of_huge_values_is_short() {
    let text = format!("{{'city': '{}',}}", "x".repeat(1 << 20));
    let (_, changes) = take(weather(), text, Repairs::Sure).unwrap();
    assert!(changes[0].to_string().len() < 10_000);
}

#[test]
fn names_that_only_look_alike_are_suggested() {
    let names = ["get_weather", "getWeather", "mcp__a__create_issue", "mcp__b__create_issue", "send_email"];
    let resolved =
        |written, mode| resolve_name(written, names, mode).map_err(|unknown| unknown.nearest.len());
    assert_eq!(resolved("functions.send-email:0", Repairs::Sure), Ok("send_email"));
    assert_eq!(resolved("send_email", Repairs::Off), Ok("send_email"));
    // Two tools are the same but for case and separators.
    assert_eq!(resolved("GetWeather", Repairs::Sure), Err(2));
    assert_eq!(resolved("create_issue", Repairs::Wide), Err(2));
    assert!(resolved("functions.send_email", Repairs::Off).is_err());
    assert!(resolved(&"x".repeat(1 << 20), Repairs::Wide).is_err());
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z0-9.\"{}\\[\\], ]{0,8}".prop_map(Value::from),
        prop::sample::select(vec!["5", "true", "null", "Celsius", "[1]", "{\"a\":1}", "None", "2.0"])
            .prop_map(Value::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever comes out is accepted by the schema, and what was valid comes out as it was.
    #[test]
    fn the_result_is_valid_and_the_valid_is_untouched(
        members in prop::collection::vec((prop::sample::select(vec!["city", "days", "unit", "tags", "when", "Days", "x"]), scalar()), 0..5),
        listed in any::<bool>(),
        wide in any::<bool>(),
    ) {
        let mut object: serde_json::Map<String, Value> = members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
        if listed && let Some(tags) = object.get_mut("tags") {
            *tags = json!([tags.clone()]);
        }
        let object = Value::Object(object);
        let validator = Validator::new(&Schema::new(weather())).unwrap();
        let mode = if wide { Repairs::Wide } else { Repairs::Sure };
        for written in [object.clone(), Value::String(object.to_string())] {
            match validator.take(&written, mode) {
                Ok((arguments, changes)) => {
                    let value = Value::Object(arguments.into_map());
                    prop_assert!(validator.accepts(&value));
                    prop_assert_eq!(changes.is_empty(), value == object);
                }
                Err(error) => prop_assert!(!validator.accepts(&object) && !error.problems.is_empty()),
            }
        }
    }

    #[test]
    fn no_text_panics(text in r#"[ace"'\\{}\[\]:,/ \n0.\-+“r`<&;u=#d]{0,40}"#) {
        for mode in [Repairs::Sure, Repairs::Wide, Repairs::Partial] {
            let _ = take(weather(), text.as_str(), mode);
            let _ = take(weather(), format!("{{\"city\":{text}}}"), mode);
        }
    }
}
