//! The cases of `openapi-requests.jsonl` for the tests that run them: reading, judging, and the list of known failures.
//!
//! It is a module of two test binaries and not a crate, so that nothing has to be published for it. How a case is run
//! is their business; `README.md` beside this file says what the keys mean.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::failures::{self, read};

/// One line of the file.
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) document: String,
    pub(crate) operation: String,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) document_url: Option<String>,
    pub(crate) server_variables: BTreeMap<String, String>,
    /// Name of the scheme, and what the command line takes for it.
    pub(crate) credentials: BTreeMap<String, String>,
    expect: Map<String, Value>,
}

/// All cases.
pub(crate) fn cases() -> Vec<Case> {
    let cases: Vec<Case> = read("openapi-requests.jsonl").lines().map(Case::parse).collect();
    assert!(cases.len() >= 90, "only {} cases", cases.len());
    cases
}

impl Case {
    fn parse(line: &str) -> Self {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let config = |key: &str| case.get("config").and_then(|config| config.get(key));
        let entries = |key: &str, of: fn(&Value) -> String| {
            let members = config(key).and_then(Value::as_object).into_iter().flatten();
            members.map(|(name, value)| (name.clone(), of(value))).collect()
        };
        Self {
            id: text(&case["id"]),
            document: case["openapi"].to_string(),
            operation: text(&case["operation"]),
            arguments: case["args"].as_object().unwrap().clone(),
            document_url: config("document_url").map(text),
            server_variables: entries("server_variables", |value| value.as_str().unwrap().to_owned()),
            credentials: entries("credentials", credential),
            expect: case["expect"].as_object().unwrap().clone(),
        }
    }

    /// Whether no request may leave.
    pub(crate) fn expects_error(&self) -> bool {
        self.expect.contains_key("error")
    }

    /// What is wrong with an outcome: the request as JSON, or the text of an error.
    pub(crate) fn judge(&self, outcome: &Result<Value, String>) -> Result<(), String> {
        match outcome {
            Ok(sent) if self.expects_error() => Err(format!("expected an error, not\n    {sent}")),
            Err(_) if self.expects_error() => Ok(()),
            Err(error) => Err(format!("no request: {error}")),
            Ok(sent) => {
                let first = differences(&self.expect, sent);
                let others = self.expect.get("alternatives").and_then(Value::as_array).into_iter().flatten();
                let is_other = |other: &Value| {
                    let mut expect = self.expect.clone();
                    expect.extend(other.as_object().unwrap().clone());
                    differences(&expect, sent).is_empty()
                };
                if first.is_empty() || others.into_iter().any(is_other) { Ok(()) } else { Err(first) }
            }
        }
    }
}

/// A credential as the command line takes it.
fn credential(value: &Value) -> String {
    let member = |name: &str| value.get(name).and_then(Value::as_str);
    match (value.as_str(), member("username"), member("password"), member("access_token")) {
        (Some(text), ..) | (_, _, _, Some(text)) => text.to_owned(),
        (_, Some(user), Some(password), _) => format!("{user}:{password}"),
        _ => panic!("a credential of an unknown form: {value}"),
    }
}

/// The keys in which a request is not as expected, one a line.
fn differences(expect: &Map<String, Value>, sent: &Value) -> String {
    let mut found = String::new();
    for key in ["method", "url", "body", "body_kind"] {
        if sent[key] != expect[key] {
            let _ = write!(found, "\n    {key}: {} and not {}", sent[key], expect[key]);
        }
    }
    let headers = sent["headers"].as_object().unwrap();
    for (name, wanted) in expect["headers"].as_object().unwrap() {
        let value = headers.iter().find(|(sent, _)| sent.eq_ignore_ascii_case(name)).map(|(_, value)| value);
        if !value.is_some_and(|value| is_header(value.as_str().unwrap(), wanted.as_str().unwrap())) {
            let _ = write!(found, "\n    header {name}: {} and not {wanted}", value.unwrap_or(&Value::Null));
        }
    }
    found
}

fn is_header(value: &str, wanted: &str) -> bool {
    match wanted.strip_suffix("boundary=*") {
        Some(start) => value
            .strip_prefix(start)
            .is_some_and(|rest| rest.strip_prefix("boundary=").is_some_and(|boundary| !boundary.is_empty())),
        None => value == wanted,
    }
}

/// Compares verdicts with the list of known failures and fails with all that is not as it should be.
#[track_caller]
pub(crate) fn settle(verdicts: &[(String, Result<(), String>)]) {
    let cases = cases();
    failures::settle("openapi-requests.failures.txt", cases.iter().map(|case| case.id.as_str()), verdicts);
}
