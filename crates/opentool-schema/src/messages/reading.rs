//! What is collected while an answer is read, the same for all formats.

use std::collections::HashSet;

use opentool_core::{Problem, ToolCall};
use serde_json::Value;

use super::lost::Lost;
use super::{MessageFormat, ParsedCalls};
use crate::repair::{self, Fault, Tolerance};
use crate::text::found;

/// Calls in one answer; more are reported and not read.
const MOST: usize = 128;

/// The words of providers for an answer that became too long.
const LENGTHS: [&str; 6] = [
    "length",
    "model_length",
    "MAX_TOKENS",
    "max_tokens",
    "max_output_tokens",
    "model_context_window_exceeded",
];

/// An answer that is being read.
#[derive(Debug, Default)]
pub(super) struct Reading {
    drafts: Vec<Draft>,
    text: String,
    problems: Vec<Problem>,
    replay: Vec<Value>,
    lost: Lost,
}

/// A call whose id is not settled.
#[derive(Debug)]
struct Draft {
    id: Option<String>,
    pointer: String,
    name: String,
    arguments: Value,
    /// Whether it cannot run.
    broken: bool,
}

/// Where one call stands in an answer, and what its parts are called there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    /// The pointer of the object that holds name and arguments.
    pub(super) pointer: &'a str,
    /// That object.
    pub(super) call: &'a Value,
    /// The id, wherever it stands.
    pub(super) id: Option<&'a Value>,
    /// The key of the arguments.
    pub(super) arguments: &'a str,
}

impl Reading {
    /// A reading of a text that says more than its value.
    pub(super) fn new(lost: Lost) -> Self {
        Self { lost, ..Self::default() }
    }

    /// Adds to what the model said.
    pub(super) fn say(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Keeps a message or item of the turn as it came.
    pub(super) fn keep(&mut self, message: Value) {
        self.replay.push(message);
    }

    /// Reports what is wrong at a place.
    pub(super) fn problem(&mut self, problem: Problem) {
        if self.problems.len() < MOST {
            self.problems.push(problem);
        }
    }

    /// Reports something that stands where a call should, and is none.
    pub(super) fn no_call(&mut self, pointer: &str, expected: &str, value: &Value) {
        self.problem(Problem::new(pointer, "call").expected(expected).found(found(value)));
    }

    /// Reports a call of a kind that its format has, that the host would have to run, and that is no tool's.
    pub(super) fn foreign(&mut self, pointer: &str, kind: &str) {
        let expected = "expected a function's call; calls of this kind are not read, and the provider waits for \
                        their results";
        self.problem(Problem::new(pointer, "unsupported").expected(expected).found(crate::text::name(kind)));
    }

    /// Takes one call in.
    pub(super) fn call(&mut self, entry: Entry<'_>) {
        let id = match entry.id {
            None | Some(Value::Null) => None,
            // Mistral's SDK sends the word for a missing one.
            Some(Value::String(id)) if id.trim().is_empty() || id == "null" => None,
            Some(Value::String(id)) => Some(id.clone()),
            Some(other) => {
                let problem = Problem::new(entry.pointer, "call-id").expected("expected an id that is text");
                self.problem(problem.found(found(other)));
                None
            }
        };
        self.call_with(id, entry);
    }

    /// Takes one call in whose id the format reads in its own way.
    pub(super) fn call_with(&mut self, id: Option<String>, entry: Entry<'_>) {
        if self.drafts.len() >= MOST {
            if self.problems.last().is_none_or(|last| last.rule != "more") {
                let expected = format!("expected at most {MOST} calls; those from here on are not read");
                self.problems.push(Problem::new(entry.pointer, "more").expected(expected));
            }
            return;
        }
        let name = match entry.call.get("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => name.clone(),
            other => {
                let found = other.map_or_else(|| "none".to_owned(), found);
                let problem = Problem::new(format!("{}/name", entry.pointer), "call-name");
                self.problem(problem.expected("expected the name of a tool").found(found));
                String::new()
            }
        };
        let arguments = entry.call.get(entry.arguments).map_or(Value::Null, |arguments| {
            self.lost.exact(&format!("{}/{}", entry.pointer, entry.arguments), arguments)
        });
        let broken = name.is_empty();
        self.drafts.push(Draft { id, pointer: entry.pointer.to_owned(), name, arguments, broken });
    }

    /// The answer ended while its last call was being written, for this reason of the provider. Arguments may be any
    /// part of what was meant, also where they look whole: they become text without an end, which is refused as cut off.
    pub(super) fn cut_off(&mut self, reason: &str) {
        let Some(last) = self.drafts.last_mut() else { return };
        let why = if LENGTHS.contains(&reason) {
            "ran into its length limit".to_owned()
        } else {
            format!("ended early, with {}", crate::text::name(reason))
        };
        let expected = format!("expected a whole call, but the answer {why}; it is not run");
        let problem = Problem::new(last.pointer.as_str(), "truncated").expected(expected);
        let text = match last.arguments.take() {
            Value::String(text) => text,
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let text = text.trim_end();
        let text = text.strip_suffix('}').unwrap_or(text);
        // Behind a comma not even the wide reading closes what is open.
        last.arguments = match text.trim_end() {
            "" | "{" => "{".to_owned(),
            text => format!("{text},"),
        }
        .into();
        last.broken = true;
        self.problem(problem);
    }

    /// Finds the calls whose text ends too early, whatever the provider says.
    fn find_cut_off(&mut self) {
        for draft in self.drafts.iter_mut().filter(|draft| !draft.broken) {
            let Value::String(text) = &draft.arguments else { continue };
            let is_whole = text.trim().is_empty() || text.trim_end().ends_with('}');
            if !is_whole && matches!(repair::read(text, Tolerance::Sure), Err(Fault::Truncated)) {
                draft.broken = true;
                if self.problems.len() < MOST {
                    let expected = "expected a whole call, but its arguments end too early; it is not run";
                    self.problems.push(Problem::new(draft.pointer.as_str(), "truncated").expected(expected));
                }
            }
        }
    }

    /// The calls with their ids.
    pub(super) fn finish(mut self, format: MessageFormat) -> ParsedCalls {
        self.find_cut_off();
        let Self { mut drafts, text, mut problems, replay, .. } = self;
        let mut taken = HashSet::new();
        for draft in &mut drafts {
            let Some(id) = &draft.id else { continue };
            if !taken.insert(id.clone()) {
                let expected = "expected an id of its own; it gets another one";
                problems.push(
                    Problem::new(draft.pointer.as_str(), "call-id")
                        .expected(expected)
                        .found(format!("{}, which an earlier call has", crate::text::name(id))),
                );
                draft.id = None;
            }
        }
        let any_made = drafts.iter().any(|draft| draft.id.is_none());
        let broken = drafts.iter().map(|draft| draft.broken).collect();
        let mut calls = Vec::with_capacity(drafts.len());
        for (i, draft) in drafts.into_iter().enumerate() {
            let id = draft.id.unwrap_or_else(|| free(i, &mut taken));
            calls.push(ToolCall { id, name: draft.name, arguments: draft.arguments });
        }
        let needs_ids =
            !matches!(format, MessageFormat::Gemini | MessageFormat::Ollama | MessageFormat::Text);
        let is_refused =
            |problem: &Problem| matches!(problem.rule.as_str(), "call" | "call-id" | "call-name");
        let as_it_came = !(any_made && needs_ids || problems.iter().any(is_refused));
        ParsedCalls { calls, text, problems, replay, format, as_it_came, broken }
    }
}

/// The id that is made for the call at a place, counted from 0.
fn made(place: usize) -> String {
    format!("call_{}", place.saturating_add(1))
}

/// Whether an id is one that was made: by [`made`], or by a host that numbers the calls of a conversation.
pub(super) fn is_made(id: &str) -> bool {
    id.strip_prefix("call_").is_some_and(|number| {
        (1..=6).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn free(place: usize, taken: &mut HashSet<String>) -> String {
    let mut id = made(place);
    let mut more = 1_usize;
    while taken.contains(&id) {
        more = more.saturating_add(1);
        id = format!("{}_{more}", made(place));
    }
    taken.insert(id.clone());
    id
}
