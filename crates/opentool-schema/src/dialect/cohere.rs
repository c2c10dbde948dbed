//! Cohere v2: the form of Chat Completions with `parameters` required.
//!
//! Strictness is a switch of the whole request (`strict_tools`), so no entry bears a mark; it wants at least one
//! required parameter of every tool.

use super::rules::{KEPT, Rules};

// Rules.

pub(super) const RULES: Rules = Rules { root_properties: true, ..KEPT };

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
            Dialect::Cohere,
            &json!([{"type": "function", "function": {"name": "create_order", "description": "Orders.",
                "parameters": plain()}}]),
            &json!({"item no": 2, "labels": {"a": "b"}}),
        );
    }
}
