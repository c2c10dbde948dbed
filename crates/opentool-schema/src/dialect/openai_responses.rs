//! OpenAI Responses: the flat `{"type":"function","name","description","parameters","strict"}`.
//!
//! `strict` always stands: where it is left out, the server makes the schema strict by its own lights. Namespaces
//! and deferred loading are a request's business.

use serde_json::{Map, Value};

use super::Entry;
use super::rules::Rules;

// Rules.

/// As in Chat Completions.
pub(super) const RULES: Rules = super::openai::RULES;

// Lowering.

pub(super) fn entry(mut entry: Entry<'_>) -> Value {
    entry.strict = Some(entry.strict.unwrap_or(false));
    let mut tool = Map::new();
    tool.insert("type".to_owned(), "function".into());
    tool.extend(super::openai::function(entry));
    Value::Object(tool)
}

// Raising: arguments are the tool's own, but for a root that stands under a name (`codec`).

// Tests.

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Dialect;
    use crate::dialect::tests::{plain, there_and_back};

    #[test]
    fn a_tool_goes_there_and_a_call_comes_back() {
        there_and_back(
            Dialect::OpenAiResponses,
            &json!([{"type": "function", "name": "create_order", "description": "Orders.",
                "parameters": plain(), "strict": false}]),
            &json!({"item no": 2, "labels": {"a": "b"}}),
        );
    }
}
