//! A text from its first mark to its last: each mark is read to its end before the next one is looked for.
//!
//! Whatever cannot be read to its end stops the reading: what follows may be a part of it.

use std::collections::HashSet;

use opentool_core::Problem;

use super::marks::{self, Mark};
use super::quoted::{self, Fences, Quoted};
use super::tag::closes_too_much;
use super::words::{self, Within, Words};
use super::{
    Calls, MOST, Read, TextCalls, Unread, closed, elements, foreign, harmony, json, marked, python, react,
    tagged, whole, without_tokens,
};
use crate::{Repairs, resolve_name};

/// Letters of the text that a problem shows.
const SHOWN: usize = 40;

/// The calls in a text; and what the model said behind its thoughts, if the text was read to its end and what is there may
/// be a call without any mark. With `names`, a text that is nothing but calls has to name tools of them.
pub(super) fn read<'t>(text: &'t str, names: Option<&HashSet<&str>>) -> (TextCalls, Option<&'t str>) {
    let mut scan = Scan::new(text);
    scan.run();
    scan.finish(names)
}

/// Whether a text ends where all that is begun in it does.
pub(super) fn is_whole(text: &str) -> bool {
    let mut scan = Scan { is_shown: true, ..Scan::new(text) };
    scan.run();
    !scan.is_stopped && scan.doubt.is_none()
}

/// What is no call, and makes a problem of the next one.
enum Doubt {
    /// A mark in words.
    Talk(Problem, usize),
    /// The result of a tool, or what somebody else said.
    Foreign(usize),
}

struct Scan<'t> {
    text: &'t str,
    /// Where the next mark is looked for.
    from: usize,
    /// The end of what was read last.
    read: usize,
    /// The end of the thoughts.
    said: usize,
    found: TextCalls,
    /// How many calls and problems came before the first call whose values are text as it stands; and its end.
    raw: Option<(usize, usize, usize)>,
    doubt: Option<Doubt>,
    /// Where thoughts ended before which there were calls.
    considered: Option<usize>,
    /// Problems in thoughts.
    dropped: usize,
    is_stopped: bool,
    /// What others say in an example is a part of it.
    is_shown: bool,
    /// Examples that were passed over.
    examples: usize,
    /// Where the tokens at the end begin.
    end: usize,
    words: Words<'t>,
    fences: Fences,
    /// No label of ReAct follows.
    is_unlabelled: bool,
    /// What stands behind the last brace.
    tail: usize,
    /// How often something was looked through that is no JSON, for its end only.
    loose: usize,
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            from: 0,
            read: 0,
            said: 0,
            found: TextCalls::default(),
            raw: None,
            doubt: None,
            considered: None,
            dropped: 0,
            is_stopped: false,
            is_shown: false,
            examples: 0,
            end: without_tokens(text).len(),
            words: Words::new(text),
            fences: Fences::default(),
            is_unlabelled: false,
            tail: python::tail(text),
            loose: 0,
        }
    }

    fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    fn run(&mut self) {
        while !self.is_stopped
            && let Some((at, mark)) = marks::next(self.text, self.from)
        {
            // Forward at least, whatever a reader says.
            self.from = at.saturating_add(1);
            self.step(at, mark);
        }
    }

    fn step(&mut self, at: usize, mark: Mark) {
        let rest = self.rest(at);
        self.words.look(at);
        match mark {
            Mark::Quote(run) | Mark::Fence(run) => {
                let quoted = match mark {
                    Mark::Fence(_) => self.fences.at(self.text, at, run),
                    _ => quoted::at(self.text, at, run),
                };
                match quoted {
                    Quoted::Upto(end) => {
                        self.from = end;
                        self.words.skip(end);
                    }
                    Quoted::Nothing => self.from = at.saturating_add(run),
                    Quoted::Open => self.stop(at, unclosed("expected the end of what is quoted")),
                }
            }
            Mark::Thought if self.is_unlabelled => {}
            Mark::Thought => match marks::next_label(self.text, at) {
                // A call before a result was no mere thought.
                Some(end) if marks::is_result(self.rest(end)) => {}
                Some(end) => {
                    self.from = end;
                    self.words.skip(end);
                }
                None => self.is_unlabelled = true,
            },
            Mark::Result => {
                let before = self.text.get(self.read..at).unwrap_or_default();
                if !self.found.is_empty() && before.trim_matches(['*', '`', ' ', '\t', '\r', '\n']).is_empty()
                {
                    self.doubt_foreign(at);
                }
            }
            Mark::Json | Mark::Python => self.unmarked(at, mark),
            Mark::Thoughts => match marks::thoughts_end(self.text, at) {
                Some(end) => {
                    self.words.skip(end);
                    self.think(end);
                }
                None => self.stop_before_marks(
                    at,
                    unclosed("expected the end of the thoughts: a call in them is not run"),
                ),
            },
            Mark::ThoughtsEnd(length) => {
                if !self.found.calls.is_empty() {
                    self.considered = Some(at);
                }
                self.dropped = self.dropped.saturating_add(self.found.problems.len());
                self.found = TextCalls::default();
                self.raw = None;
                if matches!(self.doubt, Some(Doubt::Talk(..))) {
                    self.doubt = None;
                }
                self.think(at.saturating_add(length));
                self.words.forget(self.from);
                // Whoever ends thoughts again and again, and writes no call that can be read, says nothing.
                if self.dropped > MOST {
                    self.stop(
                        at,
                        unclosed("expected calls that can be read, but there are too many that cannot"),
                    );
                }
            }
            Mark::Foreign => self.doubt_foreign(at),
            Mark::Wrapper => self.took(at, tagged::wrapped(rest, self.tail)),
            Mark::Element => self.took(
                at,
                elements::read(rest).map_err(Unread::Stop).map(|(element, rest)| {
                    (Calls { is_raw: element.is_raw, ..Calls::one(element.call) }, rest)
                }),
            ),
            Mark::Parts(parts) => self.took(at, marked::parted(rest, parts)),
            Mark::Before(mark, end) => self.took(at, marked::before(rest, mark, end, self.tail)),
            Mark::Mistral => self.took(at, marked::mistral(rest, self.tail)),
            Mark::Harmony => {
                let before = self.text.get(self.read..at).unwrap_or_default();
                self.took(at, harmony::read(before, rest));
                // A message to nobody is not what a call without a mark stands in.
                self.said = self.read.max(self.said);
            }
            Mark::React => self.took(at, react::read(rest)),
        }
    }

    fn think(&mut self, end: usize) {
        (self.from, self.read, self.said) = (end, end, end);
    }

    fn doubt_foreign(&mut self, at: usize) {
        // The token at the end stopped the model.
        let is_last = at >= self.end;
        if self.doubt.is_none() && !self.is_shown && !is_last {
            self.doubt = Some(Doubt::Foreign(at));
        }
    }

    /// Takes what was read behind the mark at a place.
    fn took(&mut self, at: usize, read: Read<'t>) {
        match read {
            Ok((calls, rest)) => {
                let end = self.text.len().saturating_sub(rest.len());
                if !calls.all.is_empty() && (self.is_shown_only(at, end) || self.stop_for_doubt()) {
                    return;
                }
                self.from = end.max(self.from);
                self.words.skip(end);
                if calls.is_raw && self.raw.is_none() {
                    self.raw = Some((self.found.calls.len(), self.found.problems.len(), end));
                }
                self.add(at, calls);
                self.read = end;
            }
            Err(Unread::Stop(problem)) => {
                if !self.stop_for_doubt() {
                    self.stop(at, problem);
                }
            }
            Err(Unread::Talk(problem)) => {
                if !self.stop_for_doubt() {
                    self.doubt = Some(Doubt::Talk(problem, at));
                }
            }
            Err(Unread::Foreign(rest)) => {
                self.from = self.text.len().saturating_sub(rest.len()).max(self.from);
                self.doubt_foreign(at);
            }
        }
    }

    /// Whether a call is an example, or stands in something that is not closed before it: then reading stops.
    fn is_shown_only(&mut self, at: usize, end: usize) -> bool {
        let within = self.words.within(at);
        if within == Within::Open {
            return false;
        }
        // Readers pass over the blanks behind a call.
        let call_end = self.text.get(..end).unwrap_or_default().trim_end().len();
        let Some(after) = words::end(self.text, call_end, &within) else {
            if !self.stop_for_doubt() {
                self.stop(
                    at,
                    unclosed(
                        "expected every bracket, quote and element before a call to be closed: it may be a part of them",
                    ),
                );
            }
            return true;
        };
        if !self.is_shown && without_tokens(self.rest(after)).is_empty() {
            return false;
        }
        self.from = end.max(self.from);
        self.words.skip(end);
        self.examples = self.examples.saturating_add(1);
        if self.examples > MOST {
            self.stop(at, unclosed("expected calls, but there are too many examples of them"));
        }
        true
    }

    fn add(&mut self, at: usize, calls: Calls) {
        let before = self.found.problems.len();
        self.is_stopped |= !self.found.add(calls);
        let problems = self.found.problems.iter_mut().skip(before);
        problems.for_each(|problem| locate(problem, self.text, at));
    }

    /// An object or a call in Python without any mark: its words are no marks, whether it is a call or not.
    fn unmarked(&mut self, at: usize, mark: Mark) {
        if matches!(self.doubt, Some(Doubt::Talk(..))) && self.stop_for_doubt() {
            return;
        }
        let rest = self.rest(at);
        let end = match mark {
            Mark::Json => json::strict_end(rest).or_else(|| self.loose_end(mark, rest)),
            _ => self.loose_end(mark, rest),
        };
        let Some(end) = end else {
            // The words of a call without any mark, unless they are those of other data.
            let is_call = mark == Mark::Json
                && self.text.get(self.said..at).is_some_and(|before| before.trim().is_empty())
                && ["\"name\"", "\"arguments\"", "\"parameters\""]
                    .iter()
                    .filter(|key| rest.contains(**key))
                    .count()
                    > 1;
            if is_call {
                self.stop(at, json::fault(rest));
            } else {
                self.stop_before_marks(
                    at,
                    unclosed("expected the end of what begins here: a call in it is not run"),
                );
            }
            return;
        };
        let is_next = !self.found.is_empty()
            && self
                .text
                .get(self.read..at)
                .is_some_and(|before| before.trim_matches([',', ';', '[', ' ', '\n']).is_empty());
        if mark == Mark::Json && is_next && rest.get(..end).is_some_and(json::is_meant) {
            return self.stop(at, unclosed("expected a mark before each call, but this one has none"));
        }
        self.from = at.saturating_add(end);
        self.words.skip(self.from);
    }

    /// The end of what is nearly JSON, or a call in Python; or no more than brackets.
    fn loose_end(&mut self, mark: Mark, rest: &str) -> Option<usize> {
        self.loose = self.loose.saturating_add(1);
        let read = match mark {
            _ if self.loose > MOST => None,
            Mark::Json => json::near_end(rest, self.tail),
            _ => python::arguments_end(rest, self.tail),
        };
        read.or_else(|| closed::end(rest))
    }

    fn stop(&mut self, at: usize, mut problem: Problem) {
        locate(&mut problem, self.text, at);
        self.found.problems.push(problem);
        self.is_stopped = true;
    }

    /// Stops at what says nothing by itself: a problem only where something follows that could be a call.
    fn stop_before_marks(&mut self, at: usize, problem: Problem) {
        self.is_stopped = true;
        let next = self.rest(at).chars().next().map_or(1, char::len_utf8);
        if marks::next_of_template(self.text, at.saturating_add(next)).is_some() {
            self.stop(at, problem);
        }
    }

    /// Stops where there is a doubt, now that something follows that could be a call.
    fn stop_for_doubt(&mut self) -> bool {
        match self.doubt.take() {
            Some(Doubt::Talk(problem, at)) => self.stop(at, problem),
            Some(Doubt::Foreign(at)) => self.stop(at, foreign()),
            None => return false,
        }
        true
    }

    fn finish(mut self, names: Option<&HashSet<&str>>) -> (TextCalls, Option<&'t str>) {
        let is_open = self.is_stopped || self.doubt.is_some();
        let said = Some(without_tokens(self.rest(self.said))).filter(|_| !is_open);
        let is_tool = |name: &str| {
            names.is_none_or(|names| resolve_name(name, names.iter().copied(), Repairs::default()).is_ok())
        };
        if let Some(said) = said.filter(|_| self.found.is_empty())
            && let Some(calls) = whole(said)
            && calls.all.iter().flatten().all(|call| is_tool(&call.name))
        {
            self.add(self.said, calls);
        }
        if let Some((calls, problems, end)) = self.raw
            && closes_too_much(self.rest(end))
        {
            self.found.calls.truncate(calls);
            self.found.problems.truncate(problems);
            self.stop(
                end,
                unclosed("expected no closing tag behind the calls: a value was cut short by its own text"),
            );
        }
        if let Some(at) = self.considered.filter(|_| self.found.calls.is_empty()) {
            self.stop(
                at,
                unclosed("expected the calls behind the end of the thoughts: those before it are not run"),
            );
        }
        (self.found, said)
    }
}

fn unclosed(expected: &str) -> Problem {
    Problem::new("", "call").expected(expected)
}

/// Adds to a problem where it is, and how the text goes on there.
fn locate(problem: &mut Problem, text: &str, at: usize) {
    let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
    let line = before.matches('\n').count().saturating_add(1);
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count().saturating_add(1);
    let place = format!("at line {line}, column {column}");
    let found = problem.found.take().unwrap_or_else(|| {
        let rest = rest.trim_start();
        let shown: String = rest.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let more = if shown.len() < rest.len() { "…" } else { "" };
        format!("`{shown}{more}`")
    });
    problem.found = Some(format!("{found} {place}"));
}
