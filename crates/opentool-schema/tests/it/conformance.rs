//! The cases of `conformance/argument-repair.jsonl`: what must become of what models write.
//!
//! `argument-repair.failures.txt` lists the cases that do not pass yet, a line each: the id, and why. It may only
//! shrink: a case on the list that passes fails the test too.

use std::collections::BTreeMap;
use std::path::Path;

use opentool_core::Schema;
use opentool_schema::{Repairs, Validator, parse_text_calls, problem_code, resolve_name};
use serde_json::{Value, json};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn input(case: &Value) -> String {
    match &case["input"] {
        Value::String(text) => text.clone(),
        other => {
            let part = |key: &str| other[key].as_str().unwrap_or_default();
            let times = usize::try_from(other["times"].as_u64().unwrap()).unwrap();
            format!("{}{}{}", part("prefix"), part("repeat").repeat(times), part("suffix"))
        }
    }
}

fn arguments(case: &Value) -> Result<(), String> {
    let validator = Validator::new(&Schema::new(case["schema"].clone())).map_err(|e| e.to_string())?;
    let mode = Repairs::named(case["mode"].as_str().unwrap()).unwrap();
    let taken = validator.take(&input(case).into(), mode);
    let expect = &case["expect"];
    match (taken, &expect["error"]) {
        (_, Value::String(code)) if code == "any_or_value" => Ok(()),
        (Err(error), Value::String(code)) => {
            let codes: Vec<&str> = error.problems.iter().map(problem_code).collect();
            if codes.contains(&code.as_str()) {
                Ok(())
            } else {
                Err(format!("expected {code}, got {codes:?}: {error}"))
            }
        }
        (Err(error), _) => Err(format!("expected a value, got {error}")),
        (Ok((arguments, _)), Value::String(code)) => Err(format!("expected {code}, got {arguments:?}")),
        (Ok((arguments, changes)), _) => {
            let value = Value::Object(arguments.into_map());
            if let Some(lengths) = expect["value"].get("$len").and_then(Value::as_object) {
                for (key, length) in lengths {
                    let found = value[key].as_str().map(|text| text.chars().count() as u64);
                    if found != length.as_u64() {
                        return Err(format!("{key}: {found:?} characters"));
                    }
                }
            } else if value != expect["value"] {
                return Err(format!("expected {}, got {value}", expect["value"]));
            }
            for warning in expect["warnings"].as_array().into_iter().flatten() {
                let dropped = warning.as_str().unwrap().strip_prefix("dropped:").unwrap();
                if !changes.iter().any(|c| c.stage.as_str() == "drop" && c.pointer == format!("/{dropped}")) {
                    return Err(format!("{warning} is not in the record: {changes:?}"));
                }
            }
            // What was changed is on the record, and only that.
            let untouched = serde_json::from_str::<Value>(&input(case)).is_ok_and(|written| written == value);
            if mode != Repairs::Partial
                && !input(case).trim().is_empty()
                && input(case) != "null"
                && untouched != changes.is_empty()
            {
                return Err(format!("the record is wrong: {changes:?}"));
            }
            Ok(())
        }
    }
}

fn tool_name(case: &Value) -> Result<(), String> {
    let names = case["tools"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
    let mode = Repairs::named(case["mode"].as_str().unwrap()).unwrap();
    match (resolve_name(&input(case), names, mode), case["expect"]["name"].as_str()) {
        (Ok(name), Some(expected)) if name == expected => Ok(()),
        (Err(unknown), None) => {
            for suggestion in case["expect"]["suggestions_include"].as_array().unwrap() {
                if !unknown.nearest.iter().any(|near| suggestion == near) {
                    return Err(format!("{suggestion} is not suggested: {:?}", unknown.nearest));
                }
            }
            Ok(())
        }
        (found, expected) => Err(format!("expected {expected:?}, got {found:?}")),
    }
}

fn text_calls(case: &Value) -> Result<(), String> {
    let found = parse_text_calls(&input(case));
    let calls: Vec<Value> =
        found.calls.iter().map(|call| json!({"name": call.name, "arguments": call.arguments})).collect();
    let expected = case["expect"]["calls"].as_array().unwrap();
    if calls == *expected { Ok(()) } else { Err(format!("{calls:?} {:?}", found.problems)) }
}

fn run(case: &Value) -> Result<(), String> {
    match case["kind"].as_str().unwrap() {
        "arguments" => arguments(case),
        "tool_name" => tool_name(case),
        "tool_calls_text" => text_calls(case),
        other => Err(format!("unknown kind of case: {other}")),
    }
}

#[test]
fn all_cases_of_argument_repair() {
    let failures: BTreeMap<String, String> = read("argument-repair.failures.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (id, why) = line.split_once(": ").expect("`id: reason`");
            (id.to_owned(), why.to_owned())
        })
        .collect();
    let mut wrong = Vec::new();
    let mut passed = 0;
    for line in read("argument-repair.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        match (run(&case), failures.contains_key(id)) {
            (Ok(()), false) => passed += 1,
            (Err(_), true) => {}
            (Ok(()), true) => wrong.push(format!("{id} passes: take it off the list")),
            (Err(why), false) => wrong.push(format!(
                "{id}: {why}\n    {}",
                json!(case["input"]).to_string().chars().take(200).collect::<String>()
            )),
        }
    }
    assert!(wrong.is_empty(), "{passed} passed\n{}", wrong.join("\n"));
}
