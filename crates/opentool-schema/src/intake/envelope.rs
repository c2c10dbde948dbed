//! Arguments that came inside the call: `{"name": "f", "arguments": {…}}`, `{"input": {…}}`.
//!
//! An envelope with the name of another tool of the set does not open: the arguments of one tool are none of another, also
//! where the other's schema accepts them. A name that no tool has is a model's own for the tool that it called.

use opentool_core::{InvalidArguments, Problem, ToolSet};
use serde_json::Value;

use crate::names::bare;
use crate::repair;
use crate::text::found;
use crate::{Repairs, parse_text_calls_of, resolve_name};

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

    /// Whether the text is exactly the name of one of the other tools, as providers write it in an id too
    /// (`functions.get_user:0`).
    fn is_name_of_another(self, text: &str) -> bool {
        [text, bare(text)].into_iter().any(|name| name != self.name && self.tools.contains(name))
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
    /// What else stands beside it as text.
    others: Vec<(&'v str, &'v Value)>,
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
        let is_name = |other: &Value| other.as_str().is_some_and(|text| called.is_name_of_another(text));
        let by_label = self.labels.iter().find(|(_, label)| is_another(label));
        let (key, label) = by_label.or_else(|| self.others.iter().find(|(_, other)| is_name(other)))?;
        let pointer = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
        Some(called.problem(pointer).found(found(label)))
    }
}

/// That the object in a text stands in a call of another tool: `get_user({…})`, `<function=get_user>{…}`,
/// `Action: get_user`. Whatever words stand around it, none may be the name of another tool: nobody knows all the ways in
/// which models write a call.
pub(super) fn foreign_around(text: &str, called: Option<Called<'_>>, repairs: Repairs) -> Option<Problem> {
    let called = called?;
    let (before, after) = repair::around(text);
    if before.trim().is_empty() && after.trim().is_empty() {
        return None;
    }
    // Names longer than any tool's need not be looked up.
    let longest = called.tools.names().map(str::len).max().unwrap_or(0).saturating_add(SPARE);
    let word =
        words(before, longest).chain(words(after, longest)).find(|word| called.is_name_of_another(word));
    let problem = |word: &str| called.problem("").found(found(&word.into()));
    if let Some(word) = word {
        return Some(problem(word));
    }
    if is_call_of_another(before, called, repairs) {
        return Some(problem(text));
    }
    let calls = parse_text_calls_of(text, called.tools.names()).calls;
    calls.iter().find(|call| called.is_another(&call.name, repairs)).map(|call| problem(&call.name))
}

/// Whether what stands before an object ends with a name like another tool's and a bracket: `get_usr(`, or with one in
/// another spelling: `Get-User: `.
fn is_call_of_another(before: &str, called: Called<'_>, repairs: Repairs) -> bool {
    let before = before.trim_end();
    let bracket = before.strip_suffix('(').map(str::trim_end);
    let before = bracket.unwrap_or(before).trim_end_matches(|c| !is_of_name(c) || c == ':');
    let name = before.rsplit(|c| !is_of_name(c)).next().filter(|name| !name.is_empty());
    name.is_some_and(|name| match bracket {
        Some(_) => called.is_another(name, repairs),
        // A word that only looks like a name is a word.
        None => resolve_name(name, called.tools.names(), repairs).is_ok_and(|name| name != called.name),
    })
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/')
}

/// What of a text may be a name: its words, and what they are from or up to a stop in them (`default_api.get_user`).
fn words(text: &str, longest: usize) -> impl Iterator<Item = &str> {
    fn is_stop(c: char) -> bool {
        matches!(c, '.' | ':' | '/')
    }
    let whole = text.split(|c| !is_of_name(c)).map(|word| word.trim_matches(|c| is_stop(c) || c == '-'));
    let parts = whole.filter(|word| !word.is_empty()).flat_map(move |word| {
        let stops = || word.match_indices(is_stop);
        let ends = stops().filter_map(|(at, _)| word.get(..at));
        let starts = stops().filter_map(|(at, stop)| word.get(at.saturating_add(stop.len())..));
        // Words between two stops: `default_api.get_user.arguments`.
        std::iter::once(word).chain(ends).chain(starts).chain(word.split(is_stop))
    });
    parts.filter(move |part| part.len() <= longest).flat_map(|part| [part, part.trim_matches('_')])
}

/// What a name may have around it: `functions.get_user:12`.
const SPARE: usize = 20;
/// The rule of an envelope with the name of another tool.
const FOREIGN: &str = "call";

/// Whether arguments were refused because they are those of a call of another tool.
pub(super) fn is_foreign<T>(taken: &Result<T, InvalidArguments>) -> bool {
    taken.as_ref().is_err_and(|error| error.problems.iter().any(|problem| problem.rule == FOREIGN))
}

/// What is inside, if the value can be an envelope: one payload, labels, and no key that the schema knows.
/// `knows` says which those are.
pub(super) fn open(value: &Value, knows: impl Fn(&str) -> bool) -> Option<Inner<'_>> {
    let members = value.as_object().filter(|members| members.len() <= LABELS.len())?;
    let mut payload = None;
    let (mut labels, mut others) = (Vec::new(), Vec::new());
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
            } else if value.is_string() {
                others.push((key.as_str(), value));
            }
        } else {
            return None;
        }
    }
    let (key, value) = payload?;
    if members.keys().any(|key| knows(key)) {
        return None;
    }
    Some(Inner { key, value, labels, others })
}

/// A key without case and separators.
fn plain(key: &str) -> String {
    key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn looks_like_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '"'])
}
