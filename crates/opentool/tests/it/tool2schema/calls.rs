//! Calls that are written down as `{"name", "arguments"}`, and files that are saved.

use opentool::schema::profile::{Layout, Parsing, Unexpected, Validation, parse_call, save};
use opentool::schema::{RepairPolicy, Repairs};
use opentool::{ToolError, tool, tools};
use serde_json::{Value, json};

/// Adds.
#[tool]
fn add(a: i64, b: f64, tags: Option<Vec<String>>) -> f64 {
    let _ = tags;
    a as f64 + b
}

fn parse(written: Value, how: &Parsing) -> Result<Value, ToolError> {
    let call = parse_call(&tools![add], &written, how)?;
    assert_eq!(call.tool.definition().name, "add");
    Ok(serde_json::to_value(&call.arguments).unwrap())
}

fn problems(written: Value) -> Vec<(String, String)> {
    match parse(written, &Parsing::new().repairs(RepairPolicy::new(Repairs::Off))) {
        Err(ToolError::InvalidArguments(error)) => {
            error.problems.iter().map(|problem| (problem.pointer.clone(), problem.rule.clone())).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn arguments_are_an_object_or_its_text_and_stay_as_they_are_written() {
    let object = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    let before = object.clone();
    assert_eq!(parse(object.clone(), &Parsing::new()).unwrap(), json!({"a": 1, "b": 2}));
    assert_eq!(object, before);
    let text = json!({"name": "add", "arguments": "{\"b\": 2.5, \"a\": 1}"});
    assert_eq!(parse(text.clone(), &Parsing::new()).unwrap(), json!({"b": 2.5, "a": 1}));
    assert_eq!(parse(json!(text.to_string()), &Parsing::new()).unwrap(), json!({"b": 2.5, "a": 1}));
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let pair = |pointer: &str, rule: &str| (pointer.to_owned(), rule.to_owned());
    assert_eq!(problems(json!({})), [pair("/name", "required"), pair("/arguments", "required")]);
    assert_eq!(
        problems(json!({"name": 1, "arguments": 23})),
        [pair("/name", "type"), pair("/arguments", "type")]
    );
    assert_eq!(problems(json!("{")), [pair("", "json")]);
    assert_eq!(problems(json!([])), [pair("", "type")]);
    assert_eq!(problems(json!({"name": "add", "arguments": "{"})), [pair("", "json")]);
    assert_eq!(problems(json!({"name": "add", "arguments": "[1]"})), [pair("", "type")]);
    let wrong = json!({"name": "add", "arguments": {"a": "1", "tags": [1], "c": 1}});
    let mut found = problems(wrong);
    found.sort();
    let expected = [
        pair("/a", "type"),
        pair("/b", "required"),
        pair("/c", "additionalProperties"),
        pair("/tags/0", "type"),
    ];
    let rules = |list: &[(String, String)]| list.iter().map(|(_, rule)| rule.clone()).collect::<Vec<_>>();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert!(rules(&found).contains(&"additionalProperties".to_owned()), "{found:?}");
}

#[test]
fn an_unknown_tool_is_told_with_names_like_it() {
    let error = parse(json!({"name": "ad", "arguments": {}}), &Parsing::new()).unwrap_err();
    assert_eq!(error.to_string(), "there is no tool `ad`; did you mean `add`?");
}

#[test]
fn unexpected_arguments_are_refused_or_dropped_by_choice() {
    let written = json!({"name": "add", "arguments": {"a": 1, "b": 2, "c/d": 3}});
    let error = parse(written.clone(), &Parsing::new()).unwrap_err().to_string();
    assert!(error.contains("c~1d"), "{error}");
    let drop = Parsing::new().unexpected(Unexpected::Drop);
    let call = parse_call(&tools![add], &written, &drop).unwrap();
    assert_eq!(serde_json::to_value(&call.arguments).unwrap(), json!({"a": 1, "b": 2}));
    let [change] = call.changes.as_slice() else { panic!("{:?}", call.changes) };
    assert_eq!((change.stage.as_str(), change.pointer.as_str()), ("drop", "/c~1d"));
    assert_eq!(change.before, Some(json!(3)));
    // What is dropped does not excuse the rest.
    let error = parse(json!({"name": "add", "arguments": {"a": 1, "c": 3}}), &drop).unwrap_err().to_string();
    assert!(error.contains("`b`") || error.contains("/b"), "{error}");
}

#[test]
fn without_validation_arguments_come_back_as_they_are() {
    let off = Parsing::new().validation(Validation::Off);
    let written = json!({"name": "add", "arguments": {"a": "x", "other": 1}});
    assert_eq!(parse(written, &off).unwrap(), json!({"a": "x", "other": 1}));
    assert!(parse(json!({"name": "add", "arguments": "{"}), &off).is_err());
    assert!(parse(json!({"name": "none", "arguments": {}}), &off).is_err());
}

#[test]
fn types_are_as_strict_as_the_host_wants() {
    let written = json!({"name": "add", "arguments": {"a": "1", "b": 2}});
    assert_eq!(parse(written.clone(), &Parsing::new()).unwrap(), json!({"a": 1, "b": 2}));
    let strict = Parsing::new().repairs(RepairPolicy::new(Repairs::Off));
    assert!(parse(written, &strict).is_err());
    assert!(parse(json!({"name": "add", "arguments": {"a": true, "b": 2}}), &Parsing::new()).is_err());
}

#[test]
fn a_file_is_replaced_in_whole_and_nothing_is_left_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tools.json");
    std::fs::write(&file, "something longer than what comes").unwrap();
    let value = json!([{"name": "Ä", "x": 1.0}]);
    save(&file, &value, Layout::Compact).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "[{\"name\":\"Ä\",\"x\":1.0}]");
    save(&file, &value, Layout::Python).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "[{\"name\": \"\\u00c4\", \"x\": 1.0}]");
    save(&file, &value, Layout::Pretty).unwrap();
    assert!(std::fs::read_to_string(&file).unwrap().ends_with("]\n"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_cannot_be_saved_leaves_nothing_and_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let taken = folder.path().join("taken");
    std::fs::create_dir_all(taken.join("inside")).unwrap();
    let error = save(&taken, &json!([]), Layout::Compact).unwrap_err().to_string();
    assert!(error.contains("taken"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "the attempt is taken away again");
    let error = save(folder.path().join("none").join("x.json"), &json!([]), Layout::Compact).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    assert!(save("..", &json!([]), Layout::Compact).is_err());
}
