//! Arguments that came inside the call: `{"name": "f", "arguments": {…}}`, `{"input": {…}}`.

use serde_json::Value;

use crate::coerce::knows;

/// Keys under which calls hold their arguments, in lower case and without separators.
const PAYLOADS: [&str; 14] = [
    "arguments",
    "args",
    "parameters",
    "params",
    "input",
    "inputs",
    "toolinput",
    "actioninput",
    "toolarguments",
    "functionarguments",
    "kwargs",
    "function",
    "functioncall",
    "toolcall",
];
/// Keys that stand beside them.
const LABELS: [&str; 14] = [
    "name",
    "tool",
    "toolname",
    "function",
    "functionname",
    "action",
    "type",
    "id",
    "callid",
    "toolcallid",
    "tooluseid",
    "recipientname",
    "index",
    "object",
];

/// What an envelope holds.
pub(super) struct Inner<'v> {
    pub(super) key: &'v str,
    pub(super) value: &'v Value,
    /// It also says which tool is called: this was meant to be a call.
    pub(super) labelled: bool,
}

/// What is inside, if the value can be an envelope: one payload, labels, and no key that the schema knows.
pub(super) fn open<'v>(value: &'v Value, schema: &Value) -> Option<Inner<'v>> {
    let members = value.as_object().filter(|members| members.len() <= LABELS.len())?;
    let mut payload = None;
    let mut named = false;
    for (key, value) in members {
        let plain: String =
            key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let holds = value.is_object() || value.is_array() || value.as_str().is_some_and(looks_like_json);
        if holds && PAYLOADS.contains(&plain.as_str()) {
            if payload.replace((key, value)).is_some() {
                return None;
            }
        } else if LABELS.contains(&plain.as_str()) && !value.is_object() && !value.is_array() {
            named |= plain.contains("name") || matches!(plain.as_str(), "tool" | "function" | "action");
        } else {
            return None;
        }
    }
    let (key, value) = payload?;
    if members.keys().any(|key| knows(schema, key)) {
        return None;
    }
    Some(Inner { key, value, labelled: named && value.is_object() })
}

fn looks_like_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '"'])
}
