//! What the tests of each dialect's file share: one tool there, a call of it back.

use opentool_core::{Schema, ToolDefinition};
use serde_json::{Value, json};

use super::{LowerOptions, lower_all};

/// The schema of the tool with this key and this schema of the map.
pub(super) fn schema(key: &str, labels: &Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": {key: {"type": "integer", "enum": [1, 2]}, "labels": labels},
        "required": required,
        "additionalProperties": false,
    })
}

/// The schema as it is.
pub(super) fn plain() -> Value {
    schema("item no", &json!({"type": "object", "additionalProperties": {"type": "string"}}), &["item no"])
}

/// The map as a list of entries.
pub(super) fn entries() -> Value {
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"key": {"type": "string"}, "value": {"type": "string"}},
            "required": ["key", "value"],
            "additionalProperties": false,
        },
    })
}

/// The schema of the strict modes in which every property is required.
pub(super) fn all_required() -> Value {
    schema("item no", &json!({"anyOf": [entries(), {"type": "null"}]}), &["item no", "labels"])
}

/// A tool with a name, a key, an enumeration and a map that not every provider takes becomes `request`, and `written`
/// is a call of it.
pub(super) fn there_and_back(way: impl Into<LowerOptions>, request: &Value, written: &Value) {
    let own = json!({"item no": 2, "labels": {"a": "b"}});
    let tool = ToolDefinition::new("create order", "Orders.").input_schema(Schema::new(plain()));
    let set = lower_all([&tool], way);
    assert_eq!(set.request().as_ref(), Ok(request));
    let lowered = &set.tools[0];
    assert_eq!(lowered.decoder.encode(&own).as_ref(), Ok(written));
    assert_eq!(set.decode(&lowered.name, written.clone()), Some(Ok(("create order", own))));
}
