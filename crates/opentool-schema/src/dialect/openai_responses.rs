//! OpenAI Responses: the flat `{"type":"function","name","description","parameters","strict"}`.
//!
//! `strict` always stands: where it is left out, the server makes the schema strict by its own lights. Namespaces
//! and deferred loading are a request's business.

use serde_json::{Map, Value};

use super::Entry;
use super::rules::Rules;

/// As in Chat Completions.
pub(super) const RULES: Rules = super::openai::RULES;

pub(super) fn entry(mut entry: Entry<'_>) -> Value {
    entry.strict = Some(entry.strict.unwrap_or(false));
    let mut tool = Map::new();
    tool.insert("type".to_owned(), "function".into());
    tool.extend(super::openai::function(entry));
    Value::Object(tool)
}
