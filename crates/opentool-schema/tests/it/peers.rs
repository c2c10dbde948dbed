//! What other libraries make of 21 schemas for OpenAI's strict mode, beside what we make of them.
//!
//! `tests/peers/schemas.json` has the schemas with instances that they accept and refuse, `answers.json` what the libraries
//! answered, `differences.json` one line for every difference: a verdict, which is checked here, and why. A difference
//! without a line is a failure, and so is a line without a difference. With the libraries installed (`cargo xtask
//! setup`) they are asked again.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use opentool_core::{Schema, ToolDefinition};
use opentool_schema::{Dialect, Validator, lint, lower};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
struct Case {
    schema: Value,
    valid: Vec<Value>,
    invalid: Vec<Value>,
}

#[derive(Deserialize)]
struct Difference {
    case: String,
    libraries: Vec<String>,
    /// `they-refuse`, `we-refuse`, `breaks-rules`, `loses-values`, `lets-through`, `choice`.
    verdict: String,
    why: String,
}

type Answers = BTreeMap<String, BTreeMap<String, Value>>;

fn folder() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers").to_owned()
}

fn read<T: serde::de::DeserializeOwned>(file: &str) -> T {
    let text = std::fs::read_to_string(format!("{}/{file}", folder())).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Our answer, in the form of theirs.
fn ours(schema: &Value) -> Value {
    let definition = ToolDefinition::new("tool", "A tool.").input_schema(schema.clone());
    match lower(&definition, Dialect::OpenAiStrict) {
        Ok(lowered) => json!({"schema": lowered.definition["function"]["parameters"]}),
        Err(error) => json!({"refused": error.to_string()}),
    }
}

/// Without what says nothing about values: the title that stands for the name, the draft; keys and `required` in order.
fn plain(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let mut sorted: Vec<(&String, &Value)> =
                members.iter().filter(|(key, _)| !matches!(key.as_str(), "title" | "$schema")).collect();
            sorted.sort_by_key(|(key, _)| *key);
            let sorted = sorted.into_iter().map(|(key, value)| (key.clone(), plain(value)));
            Value::Object(sorted.filter(|(key, value)| !(key == "required" && *value == json!([]))).collect())
        }
        Value::Array(items) => items.iter().map(plain).collect(),
        other => other.clone(),
    }
}

/// The value with `null` for every property that its schema has and it does not: how a strict mode leaves one out.
fn filled(schema: &Value, value: &Value) -> Value {
    let (Some(properties), Value::Object(members)) = (schema["properties"].as_object(), value) else {
        return value.clone();
    };
    let mut filled: Map<String, Value> = members.clone();
    for (name, property) in properties {
        let member = members.get(name).map_or(Value::Null, |member| self::filled(property, member));
        filled.insert(name.clone(), member);
    }
    filled.into()
}

fn verdict(case: &Case, theirs: &Value, ours: &Value) -> Option<&'static str> {
    let (Some(their), our) = (theirs.get("schema"), ours.get("schema")) else {
        return ours.get("schema").map(|_| "they-refuse");
    };
    let Some(our) = our else { return Some("we-refuse") };
    if plain(their) == plain(our) {
        return None;
    }
    let entry = json!({"type": "function", "function": {"name": "tool", "description": "A tool.", "parameters": their, "strict": true}});
    if !lint(Dialect::OpenAiStrict, &entry).is_empty() {
        return Some("breaks-rules");
    }
    let Ok(validator) = Validator::new(&Schema::new(their.clone())) else { return Some("breaks-rules") };
    let holds = |value: &Value| validator.accepts(value) || validator.accepts(&filled(their, value));
    if !case.valid.iter().all(holds) {
        return Some("loses-values");
    }
    Some(if case.invalid.iter().any(|value| validator.accepts(value)) { "lets-through" } else { "choice" })
}

#[test]
fn every_difference_is_explained_and_every_explanation_is_one() {
    let cases: BTreeMap<String, Case> = read("schemas.json");
    let answers: Answers = read("answers.json");
    let explained: Vec<Difference> = read("differences.json");
    assert!(cases.len() >= 20 && answers.len() == 3);
    let mut open: BTreeMap<(&str, &str), &Difference> = BTreeMap::new();
    for line in &explained {
        assert!(line.why.len() > 20, "{}: why?", line.case);
        for library in &line.libraries {
            assert!(open.insert((&line.case, library), line).is_none(), "{} {library}: twice", line.case);
        }
    }
    let mut wrong = Vec::new();
    for (name, case) in &cases {
        let validator = Validator::new(&Schema::new(case.schema.clone())).unwrap();
        assert!(case.valid.iter().all(|value| validator.accepts(value)), "{name}: an example is not valid");
        assert!(
            !case.invalid.iter().any(|value| validator.accepts(value)),
            "{name}: a counterexample is valid"
        );
        let ours = ours(&case.schema);
        for (library, theirs) in &answers {
            let found = verdict(case, &theirs[name], &ours);
            let said = open.remove(&(name, library)).map(|line| line.verdict.as_str());
            if found != said {
                wrong.push(format!(
                    "{name}, {library}: {found:?}, but the table says {said:?}\n  theirs {}\n  ours   {ours}",
                    theirs[name]
                ));
            }
        }
    }
    assert!(wrong.is_empty() && open.is_empty(), "{}\nof no case: {:?}", wrong.join("\n"), open.keys());
}

/// The libraries themselves, where `cargo xtask setup` has installed them.
#[test]
fn the_libraries_still_answer_the_same() {
    let python = std::env::var("OPENTOOL_TEST_PYTHON").ok();
    let required = std::env::var("OPENTOOL_TEST_PEERS").is_ok_and(|value| value == "required");
    assert!(python.is_some() || !required, "OPENTOOL_TEST_PYTHON is not set; run `cargo xtask ci`");
    let Some(python) = python else {
        println!("left out: OPENTOOL_TEST_PYTHON is not set, see `cargo xtask setup`");
        return;
    };
    let schemas = std::fs::File::open(format!("{}/schemas.json", folder())).unwrap();
    let script = format!("{}/schemas.py", folder());
    let output =
        Command::new(python).args(["-B", &script]).stdin(schemas).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success());
    let answers: Answers = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answers, read::<Answers>("answers.json"));
}
