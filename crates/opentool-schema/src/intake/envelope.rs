//! Arguments that came inside the call: `{"name": "f", "arguments": {…}}`, `{"input": {…}}`.
//!
//! An envelope with the name of another tool of the set does not open: the arguments of one tool are none of another, also
//! where the other's schema accepts them. A name that no tool has is a model's own for the tool that it called.

use opentool_core::{Problem, ToolSet};
use serde_json::Value;

use crate::coerce::knows;
use crate::text::found;
use crate::{Repairs, resolve_name};

/// The tool that is called, among those that a name can mean.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Called<'a> {
    pub(crate) name: &'a str,
    pub(crate) tools: &'a ToolSet,
}

impl Called<'_> {
    /// Whether the label may name one of the other tools.
    fn is_another(self, label: &str, repairs: Repairs) -> bool {
        match resolve_name(label, self.tools.names(), repairs) {
            Ok(name) => name != self.name,
            Err(unknown) => unknown.nearest.iter().any(|name| name != self.name),
        }
    }

    fn problem(self, pointer: impl Into<String>) -> Problem {
        let tool = crate::text::name(self.name);
        Problem::new(pointer, FOREIGN)
            .expected(format!("expected the arguments of {tool} themselves, not a call of another tool"))
    }
}

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

/// Values of `type` that say that it is a call, and not of which tool.
const KINDS: [&str; 7] = ["function", "functioncall", "tool", "toolcall", "tooluse", "call", "object"];

/// What an envelope holds.
pub(super) struct Inner<'v> {
    pub(super) key: &'v str,
    pub(super) value: &'v Value,
    /// What it says about which tool is called, and under which keys.
    labels: Vec<(&'v str, &'v Value)>,
}

impl Inner<'_> {
    /// Whether it was meant to be a call beyond doubt: it also says of which tool.
    pub(super) fn is_labelled(&self) -> bool {
        !self.labels.is_empty() && self.value.is_object()
    }

    /// That it is a call of another tool than the one that is called.
    pub(super) fn foreign(&self, called: Option<Called<'_>>, repairs: Repairs) -> Option<Problem> {
        let called = called?;
        let is_another = |label: &Value| label.as_str().is_none_or(|label| called.is_another(label, repairs));
        let (key, label) = self.labels.iter().find(|(_, label)| is_another(label))?;
        let pointer = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
        Some(called.problem(pointer).found(found(label)))
    }
}

/// That the object in a text stands in a call of another tool: `get_user({…})`, `<function=get_user>{…}`.
pub(super) fn foreign_around(text: &str, called: Option<Called<'_>>, repairs: Repairs) -> Option<Problem> {
    let called = called?;
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    let before = text.get(..text.find('{')?)?.trim_end();
    let bracket = before.strip_suffix('(').map(str::trim_end);
    let before = bracket.unwrap_or(before).trim_end_matches(|c| !is_of_name(c) || c == ':');
    let name = before.rsplit(|c| !is_of_name(c)).next().filter(|name| !name.is_empty())?;
    let is_another = match bracket {
        Some(_) => called.is_another(name, repairs),
        // A word that only looks like a name is a word.
        None => resolve_name(name, called.tools.names(), repairs).is_ok_and(|name| name != called.name),
    };
    is_another.then(|| called.problem("").found(found(&text.into())))
}

/// The rule of an envelope with the name of another tool.
pub(super) const FOREIGN: &str = "call";

/// What is inside, if the value can be an envelope: one payload, labels, and no key that the schema knows.
pub(super) fn open<'v>(value: &'v Value, schema: &Value) -> Option<Inner<'v>> {
    let members = value.as_object().filter(|members| members.len() <= LABELS.len())?;
    let mut payload = None;
    let mut labels = Vec::new();
    for (key, value) in members {
        let plain = plain(key);
        let holds = value.is_object() || value.is_array() || value.as_str().is_some_and(looks_like_json);
        if holds && PAYLOADS.contains(&plain.as_str()) {
            if payload.replace((key, value)).is_some() {
                return None;
            }
        } else if LABELS.contains(&plain.as_str()) && !value.is_object() && !value.is_array() {
            let names = match (plain.as_str(), value) {
                (_, Value::Null) => false,
                ("tool" | "function" | "action", _) => true,
                ("type", kind) => {
                    !kind.as_str().is_some_and(|kind| KINDS.contains(&self::plain(kind).as_str()))
                }
                (key, _) => key.contains("name"),
            };
            if names {
                labels.push((key.as_str(), value));
            }
        } else {
            return None;
        }
    }
    let (key, value) = payload?;
    if members.keys().any(|key| knows(schema, key)) {
        return None;
    }
    Some(Inner { key, value, labels })
}

/// A key without case and separators.
fn plain(key: &str) -> String {
    key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn looks_like_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '"'])
}
