//! What is collected while an answer is read, the same for all formats.

use std::collections::HashSet;

use opentool_core::{Problem, ToolCall};
use serde_json::Value;

use super::lost::Lost;
use super::{MessageFormat, ParsedCalls};
use crate::intake::{no_number, too_deep};
use crate::repair::{self, Fault, Tolerance};
use crate::text::found;
use crate::validator::within;

/// Calls in one answer; more are reported and not read.
const MOST: usize = 128;

/// The words of providers for an answer that became too long, in any case.
const LENGTHS: [&str; 5] =
    ["length", "model_length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"];
/// Anthropic's word for one that came upon the host's sequence, which can stand inside of arguments.
const SEQUENCE: &str = "stop_sequence";

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

/// What an answer ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    /// A call, which a limit may have cut off.
    Call,
    /// Something else: the calls before it are whole.
    Other,
}

impl Last {
    pub(super) fn is_call(is_call: bool) -> Self {
        if is_call { Self::Call } else { Self::Other }
    }
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
        let place = self.drafts.len().saturating_sub(1);
        let at = format!("{}/{}", entry.pointer, entry.arguments);
        if let Some(key) = self.lost.repeated_on_the_way(entry.pointer) {
            let problem = Problem::new(key, "repeated").found("it twice in one object");
            self.break_off(place, problem.expected("expected the key once; the call is not run"));
        } else if let Some(number) = self.lost.no_number_in(&at) {
            let problem = no_number(number.to_owned());
            self.break_off(place, problem);
        } else if entry.call.get(entry.arguments).is_some_and(|value| !within(value, repair::LEVELS)) {
            let mut problem = too_deep(repair::LEVELS);
            problem.pointer = at;
            self.break_off(place, problem);
        }
    }

    /// Judges the reason that a provider gives for the end of its answer. Only the words in `whole`, in any case, and none
    /// say that all calls are what the model meant; providers invent others, and nothing runs on a word that nobody
    /// knows. At a limit the calls before the last one were whole; `last` says whether the answer ends with a call.
    pub(super) fn ended(&mut self, reason: Option<&Value>, whole: &[&str], last: Last) {
        let reason = match reason {
            None | Some(Value::Null) => return,
            Some(Value::String(reason)) => reason,
            Some(other) => return self.not_whole(&format!("with {}", found(other))),
        };
        let is_one_of = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(reason));
        if reason.is_empty() || is_one_of(whole) {
            return;
        }
        let limit = is_one_of(&LENGTHS).then_some("ran into its length limit");
        match limit.or_else(|| is_one_of(&[SEQUENCE]).then_some("ended at a stop sequence")) {
            Some(limit) if last == Last::Call => self.cut_off(&format!("the answer {limit}")),
            Some(_) => {}
            None => self.not_whole(&format!("with {}", crate::text::name(reason))),
        }
    }

    /// The answer ended in a way that does not say that it is whole: none of its calls is run.
    pub(super) fn not_whole(&mut self, how: &str) {
        let why = format!("the answer ended {how}");
        for place in 0..self.drafts.len() {
            self.cut(place, &why);
        }
    }

    /// The answer ended while its last call was being written.
    pub(super) fn cut_off(&mut self, why: &str) {
        if let Some(last) = self.drafts.len().checked_sub(1) {
            self.cut(last, why);
        }
    }

    fn cut(&mut self, place: usize, why: &str) {
        let Some(draft) = self.drafts.get(place) else { return };
        let problem = Problem::new(draft.pointer.as_str(), "truncated");
        let expected = format!("expected a whole call, but {why}; it is not run");
        self.break_off(place, problem.expected(expected));
    }

    /// Keeps a call from being run. Its arguments may be any part of what was meant, also where they look whole: they
    /// become text without an end, which every check refuses.
    fn break_off(&mut self, place: usize, problem: Problem) {
        let Some(draft) = self.drafts.get_mut(place).filter(|draft| !draft.broken) else { return };
        draft.arguments = without_end(draft.arguments.take()).into();
        draft.broken = true;
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
            calls.push(ToolCall::new(id, draft.name, draft.arguments));
        }
        let needs_ids =
            !matches!(format, MessageFormat::Gemini | MessageFormat::Ollama | MessageFormat::Text);
        let is_refused =
            |problem: &Problem| matches!(problem.rule.as_str(), "call" | "call-id" | "call-name" | "depth");
        let as_it_came = !(any_made && needs_ids || problems.iter().any(is_refused));
        ParsedCalls { calls, text, problems, replay, format, as_it_came, broken }
    }
}

/// Arguments as a text that no reading takes for whole.
fn without_end(arguments: Value) -> String {
    let text = match arguments {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let text = text.trim_end();
    let text = text.strip_suffix('}').unwrap_or(text).trim_end();
    // Behind a comma not even the wide reading closes what is open; but a bracket too many, or a fence, may have been
    // behind a whole value.
    let begun = format!("{text},");
    let is_open = |tolerance| repair::read(&begun, tolerance).is_err();
    if text.starts_with('{') && text.len() > 1 && is_open(Tolerance::Sure) && is_open(Tolerance::Wide) {
        begun
    } else {
        "{".to_owned()
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
