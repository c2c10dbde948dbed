//! Ollama's own API: the form of Chat Completions. The model's template prints the schema, so all of it is kept. Templates loop over
//! `properties`, and its server reads no booleans there.

use super::rules::{KEPT, Rules};

// Rules.

pub(super) const RULES: Rules = Rules { no_booleans: true, root_properties: true, ..KEPT };

// Lowering.

pub(super) use super::openai::nested as entry;

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
            Dialect::Ollama,
            &json!([{"type": "function", "function": {"name": "create_order", "description": "Orders.",
                "parameters": plain()}}]),
            &json!({"item no": 2, "labels": {"a": "b"}}),
        );
    }
}
