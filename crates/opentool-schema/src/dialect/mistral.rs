//! Mistral: the form of Chat Completions with `parameters` required. Its `strict` follows the rules of OpenAI's.

use super::rules::{KEPT, Rules};

// Rules.

pub(super) const RULES: Rules = Rules { items: true, root_properties: true, ..KEPT };

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
            Dialect::Mistral,
            &json!([{"type": "function", "function": {"name": "create_order", "description": "Orders.",
                "parameters": plain()}}]),
            &json!({"item no": 2, "labels": {"a": "b"}}),
        );
    }
}
