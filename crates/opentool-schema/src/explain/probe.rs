//! Single keywords in compiled form, for what plain comparison cannot judge.

use std::collections::HashMap;

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value};

use crate::validator::build;

/// Compiled keywords; a piece that does not compile alone is `None`, and judges nothing.
#[derive(Default)]
pub(super) struct Probes {
    /// By the address of the keyword's value in the schema.
    keywords: HashMap<*const Value, Option<Validator>>,
    patterns: HashMap<String, Option<Validator>>,
}

impl Probes {
    /// Whether the keyword alone accepts the value; `true` where it cannot be asked alone.
    pub(super) fn accepts(&mut self, keyword: &str, argument: &Value, draft: Draft, value: &Value) -> bool {
        let probe = self
            .keywords
            .entry(std::ptr::from_ref(argument))
            .or_insert_with(|| compiled(keyword, argument.clone(), draft));
        probe.as_ref().is_none_or(|probe| probe.is_valid(value))
    }

    /// Whether the pattern matches the key.
    pub(super) fn matches(&mut self, pattern: &str, draft: Draft, key: &str) -> bool {
        if !self.patterns.contains_key(pattern) {
            self.patterns.insert(pattern.to_owned(), compiled("pattern", pattern.into(), draft));
        }
        let probe = self.patterns.get(pattern).and_then(Option::as_ref);
        probe.is_some_and(|probe| probe.is_valid(&Value::String(key.to_owned())))
    }
}

fn compiled(keyword: &str, argument: Value, draft: Draft) -> Option<Validator> {
    let schema: Map<String, Value> = [(keyword.to_owned(), argument)].into_iter().collect();
    build(&Value::Object(schema), draft).ok()
}
