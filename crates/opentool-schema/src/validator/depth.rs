//! How deep a JSON value nests, asked without following it deeper than the answer needs.

use serde_json::Value;

/// Whether `value` has at most `levels` levels of arrays and objects.
pub(crate) fn within(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => {
            levels.checked_sub(1).is_some_and(|below| items.iter().all(|item| within(item, below)))
        }
        Value::Object(members) => {
            levels.checked_sub(1).is_some_and(|below| members.values().all(|member| within(member, below)))
        }
        _ => true,
    }
}
