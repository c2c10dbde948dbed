//! The cases of `argument-repair.jsonl` for the tests that run them: reading, judging, and the list of known failures.
//!
//! It is a module of two test binaries and not a crate, so that nothing has to be published for it. How a case is run
//! is their business; `README.md` beside this file says what the keys mean.

use serde_json::Value;

use crate::failures::{self, read};

/// The tool whose arguments are written. Some models give it a name of their own beside them.
pub(crate) const TOOL: &str = "tool";

/// One line of the file.
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) kind: Kind,
    /// `strict`, `default`, `lenient` or `partial`.
    pub(crate) mode: String,
    /// What the model wrote.
    pub(crate) input: String,
    expect: Value,
}

/// What a case is about.
pub(crate) enum Kind {
    /// Arguments for this input schema.
    Arguments { schema: Value },
    /// A name, and those that exist.
    ToolName { tools: Vec<String> },
    /// Calls in a text.
    TextCalls,
}

/// What became of arguments.
pub(crate) enum Outcome {
    /// A value, and the record of what was changed: stage and pointer.
    Taken { value: Value, changes: Vec<(String, String)> },
    /// The codes of all problems, and their text.
    Refused { codes: Vec<String>, text: String },
}

/// All cases.
pub(crate) fn cases() -> Vec<Case> {
    let cases: Vec<Case> = read("argument-repair.jsonl").lines().map(Case::parse).collect();
    assert!(cases.len() >= 129, "only {} cases", cases.len());
    cases
}

impl Case {
    fn parse(line: &str) -> Self {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| case[key].as_str().unwrap().to_owned();
        let kind = match case["kind"].as_str().unwrap() {
            "arguments" => Kind::Arguments { schema: case["schema"].clone() },
            "tool_name" => {
                let tools = case["tools"].as_array().unwrap().iter();
                Kind::ToolName { tools: tools.map(|name| name.as_str().unwrap().to_owned()).collect() }
            }
            "tool_calls_text" => Kind::TextCalls,
            other => panic!("unknown kind of case: {other}"),
        };
        Self {
            id: text("id"),
            kind,
            mode: text("mode"),
            input: input(&case["input"]),
            expect: case["expect"].clone(),
        }
    }

    /// What is wrong with what became of arguments.
    pub(crate) fn judge_arguments(&self, outcome: &Outcome) -> Result<(), String> {
        match (outcome, self.expect["error"].as_str()) {
            (_, Some("any_or_value")) => Ok(()),
            (Outcome::Refused { codes, .. }, Some(code)) if codes.iter().any(|found| found == code) => Ok(()),
            (Outcome::Refused { codes, text }, Some(code)) => {
                Err(format!("expected {code}, got {codes:?}: {text}"))
            }
            (Outcome::Refused { text, .. }, None) => Err(format!("expected a value, got {text}")),
            (Outcome::Taken { value, .. }, Some(code)) => Err(format!("expected {code}, got {value}")),
            (Outcome::Taken { value, changes }, None) => {
                self.judge_value(value)?;
                self.judge_record(value, changes)
            }
        }
    }

    fn judge_value(&self, value: &Value) -> Result<(), String> {
        let expected = &self.expect["value"];
        if let Some(lengths) = expected.get("$len").and_then(Value::as_object) {
            for (key, length) in lengths {
                let found = value[key].as_str().map(|text| text.chars().count() as u64);
                if found != length.as_u64() {
                    return Err(format!("{key}: {found:?} characters"));
                }
            }
            return Ok(());
        }
        if value == expected { Ok(()) } else { Err(format!("expected {expected}, got {value}")) }
    }

    /// What was changed is on the record, and only that.
    fn judge_record(&self, value: &Value, changes: &[(String, String)]) -> Result<(), String> {
        for warning in self.expect["warnings"].as_array().into_iter().flatten() {
            let dropped = warning.as_str().unwrap().strip_prefix("dropped:").unwrap();
            if !changes.iter().any(|(stage, at)| stage == "drop" && *at == format!("/{dropped}")) {
                return Err(format!("{warning} is not in the record: {changes:?}"));
            }
        }
        let is_nothing = self.input.trim().is_empty() || self.input == "null";
        let untouched = serde_json::from_str::<Value>(&self.input).is_ok_and(|written| written == *value);
        if self.mode != "partial" && !is_nothing && untouched != changes.is_empty() {
            return Err(format!("the record is wrong: {changes:?}"));
        }
        Ok(())
    }

    /// What is wrong with the name that was found, or with the names that were suggested.
    pub(crate) fn judge_name(&self, outcome: Result<&str, &[String]>) -> Result<(), String> {
        match (outcome, self.expect["name"].as_str()) {
            (Ok(name), Some(expected)) if name == expected => Ok(()),
            (Err(nearest), None) => {
                for suggestion in self.expect["suggestions_include"].as_array().unwrap() {
                    if !nearest.iter().any(|near| suggestion == near) {
                        return Err(format!("{suggestion} is not suggested: {nearest:?}"));
                    }
                }
                Ok(())
            }
            (found, expected) => Err(format!("expected {expected:?}, got {found:?}")),
        }
    }

    /// What is wrong with the calls that were found: names and arguments.
    pub(crate) fn judge_calls(&self, calls: &[(String, Value)]) -> Result<(), String> {
        let expected = self.expect["calls"].as_array().unwrap();
        let is_same = |(expected, (name, arguments)): (&Value, &(String, Value))| {
            expected["name"] == name.as_str() && expected["arguments"] == *arguments
        };
        if calls.len() == expected.len() && expected.iter().zip(calls).all(is_same) {
            Ok(())
        } else {
            Err(format!("expected {expected:?}, got {calls:?}"))
        }
    }
}

/// A text, or one that is too long to be written out.
fn input(input: &Value) -> String {
    match input {
        Value::String(text) => text.clone(),
        other => {
            let part = |key: &str| other[key].as_str().unwrap_or_default();
            let times = usize::try_from(other["times"].as_u64().unwrap()).unwrap();
            format!("{}{}{}", part("prefix"), part("repeat").repeat(times), part("suffix"))
        }
    }
}

/// Compares verdicts with the list of known failures and fails with all that is not as it should be.
#[track_caller]
pub(crate) fn settle(verdicts: &[(String, Result<(), String>)]) {
    let cases = cases();
    failures::settle("argument-repair.failures.txt", cases.iter().map(|case| case.id.as_str()), verdicts);
}
