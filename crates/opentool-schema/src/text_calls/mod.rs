//! Tool calls that a model wrote into its text, because its server or template has no calls of its own.
//!
//! Hermes and Qwen tags, Mistral, Llama, DeepSeek, Kimi, GLM, Granite, Cohere, Harmony, XML, ReAct, Python calls, fenced
//! JSON: a text is read from its first mark on, and each call to its end by its own grammar before the next mark is
//! looked for; what stands inside an argument is never a call. What is begun and cannot be read to its end is a problem,
//! and nothing behind it counts as a call: it may be a part of an argument. The calls before it stand. So do not those in
//! tags whose values nothing escapes, where a later closing tag tells that a value was longer than it seemed.
//!
//! What tools answered is not the model's to write, and thoughts are not what it does: no call is taken from them.
//!
//! It reads only: names are as they were written (see [`resolve_name`](crate::resolve_name)), arguments still pass through
//! validation. It is for a host to decide that a model's text may hold calls; text from elsewhere must never come here.
//! Text that merely talks about calls has none: a marker in quotes, an example in a fence or a quotation with more words
//! behind it. A mark in a bracket, a string, or an element that the words before it leave open is a problem: it may stand
//! in an argument of a call that has no mark.

mod amid;
mod closed;
mod elements;
mod harmony;
mod json;
mod marked;
mod marks;
mod named;
mod python;
mod quoted;
mod react;
mod scan;
mod tag;
mod tagged;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use json::object;
use std::collections::HashSet;

use opentool_core::Problem;
use serde_json::{Map, Value};

use crate::intake::{no_number, rounded};
use crate::repair::Marks;

/// Calls in one text; more are not read.
const MOST: usize = 128;

/// What some programs write before a text.
const MARK_OF_ORDER: char = '\u{feff}';

/// Tokens that end a message, and that some servers leave in.
const ENDS: [&str; 9] = [
    "<|eom_id|>",
    "<|eot_id|>",
    "<|eot|>",
    "<|im_end|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<end_of_turn>",
    "</s>",
    "<｜end▁of▁sentence｜>",
];

/// One call that was written as text.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TextCall {
    /// The name, as it was written.
    pub name: String,
    /// The arguments: an object, or what was written instead of one.
    pub arguments: Value,
    /// The id, where the template has ids (Mistral) and the model wrote one.
    pub id: Option<String>,
}

impl TextCall {
    fn new(name: &str, arguments: impl Into<Value>) -> Result<Self, Problem> {
        Ok(Self { name: named(name)?.to_owned(), arguments: arguments.into(), id: None })
    }
}

/// The calls that one reader found: each read, or refused where only that one is in doubt.
#[derive(Debug, Default)]
struct Calls {
    all: Vec<Result<TextCall, Problem>>,
    /// Values are text as it stands, in which nothing is escaped.
    is_raw: bool,
}

impl Calls {
    fn one(call: Result<TextCall, Problem>) -> Self {
        Self { all: vec![call], is_raw: false }
    }

    fn push(&mut self, call: Result<TextCall, Problem>) {
        self.all.push(call);
    }
}

/// What a reader found, and what follows; or why nothing behind the mark is read.
type Read<'t> = Result<(Calls, &'t str), Unread<'t>>;

/// Why a mark has no calls.
enum Unread<'t> {
    /// It cannot be read to its end: nobody knows what the rest of the text is.
    Stop(Problem),
    /// It is only words, unless something follows that could be a call.
    Talk(Problem),
    /// What begins here is not the model's to write; up to here it was looked at.
    Foreign(&'t str),
}

impl From<Problem> for Unread<'_> {
    fn from(problem: Problem) -> Self {
        Self::Stop(problem)
    }
}

/// What [`parse_text_calls`] found.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct TextCalls {
    /// The calls in order.
    pub calls: Vec<TextCall>,
    /// What was meant to be a call and cannot be read, one problem each, with the beginning and the line of the text: cut
    /// off, not JSON, a name that is none. Where nobody knows its end, nothing behind it was read.
    pub problems: Vec<Problem>,
}

impl TextCalls {
    /// Neither calls nor attempts at one.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.problems.is_empty()
    }

    /// Takes calls; `false` where there are more than are read.
    fn add(&mut self, calls: Calls) -> bool {
        for call in calls.all {
            if self.calls.len() >= MOST || self.problems.len() >= MOST {
                let problem = Problem::new("", "more").expected(format!("expected at most {MOST} calls"));
                self.problems.push(problem);
                return false;
            }
            match call {
                Ok(call) => self.calls.push(call),
                Err(problem) => self.problems.push(problem),
            }
        }
        true
    }
}

/// Reads the calls that are written in a model's text. Text without calls gives none. Whoever knows which tools there
/// are, uses [`parse_text_calls_of`], which finds more.
///
/// ```
/// # use opentool_schema::parse_text_calls;
/// let found = parse_text_calls("<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 1}}</tool_call>");
/// assert_eq!(found.calls[0].name, "add");
/// ```
pub fn parse_text_calls(text: &str) -> TextCalls {
    scan::read(without_end(text.trim_start_matches(MARK_OF_ORDER)), None).0
}

/// A text that is calls and nothing else, without any mark.
fn whole(text: &str) -> Option<Calls> {
    [json::whole, python::read, named::read].iter().find_map(|read| read(text))
}

/// [`parse_text_calls`] for a host that knows the names of its tools. A text that is nothing but calls without any marker is
/// one only if each names a tool of `names`, as [`resolve_name`](crate::resolve_name) reads names. Besides, it finds calls without any marker with
/// which a text ends: in a fence, in backticks on a line of their own, or as bare JSON, if each of them names a tool
/// of `names` exactly. One with more words behind it is an example, not a call.
///
/// ```
/// # use opentool_schema::parse_text_calls_of;
/// let text = "I will look it up.\n```json\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n```";
/// assert_eq!(parse_text_calls_of(text, ["add"]).calls[0].name, "add");
/// assert!(parse_text_calls_of(text, ["multiply"]).is_empty());
/// ```
pub fn parse_text_calls_of<'n>(text: &str, names: impl IntoIterator<Item = &'n str>) -> TextCalls {
    let names: HashSet<&str> = names.into_iter().collect();
    let (mut found, said) = scan::read(without_end(text.trim_start_matches(MARK_OF_ORDER)), Some(&names));
    if let Some(said) = said.filter(|_| found.is_empty()) {
        found.add(amid::read(said, &names));
    }
    found
}

/// A call that ends before it is whole.
fn cut_off() -> Problem {
    Problem::new("", "truncated")
        .expected("expected a whole call, but the text ends too early; it is not run")
}

/// Something that the model did not get, but wrote itself.
fn foreign() -> Problem {
    Problem::new("", "call")
        .expected("expected the model to stop before the result of a tool, but it wrote one itself; no call behind it is run")
}

/// That nothing was lost when it was read: no number rounded, no member for another one with its key.
fn nothing_lost(marks: &Marks) -> Result<(), Problem> {
    if let Some((pointer, digits)) = marks.lost().first() {
        return Err(rounded(pointer, digits, false));
    }
    if let Some(pointer) = marks.no_number() {
        return Err(no_number(pointer));
    }
    match marks.repeated().first() {
        Some((pointer, _)) => Err(twice(pointer)),
        None => Ok(()),
    }
}

fn twice(pointer: &str) -> Problem {
    Problem::new(pointer, "repeated").expected("expected the key once, but it stands twice")
}

/// Puts an argument among the others.
fn put(members: &mut Map<String, Value>, key: &str, value: Value) -> Result<(), Problem> {
    match members.insert(key.to_owned(), value) {
        Some(_) => Err(twice(&format!("/{}", key.replace('~', "~0").replace('/', "~1")))),
        None => Ok(()),
    }
}

/// Whether a word can be the name of a tool.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | ':' | '/'))
}

/// The name of a tool or an argument, without the space around it: one that could be a part of something else is none.
fn named(name: &str) -> Result<&str, Problem> {
    let name = name.trim();
    let is_odd = |c: char| c.is_control() || "()[]{}<>|｜\"'`\\".contains(c);
    if name.is_empty() || name.contains(is_odd) {
        let problem = Problem::new("", "call-name");
        return Err(problem.expected("expected a name without brackets, quotes, bars and control characters"));
    }
    Ok(name)
}

/// A text without any token behind it: the model may have begun the turn of another one.
fn without_tokens(text: &str) -> &str {
    let mut text = without_end(text);
    while text.ends_with(['>'])
        && let Some((before, token)) = text.rfind('<').and_then(|at| text.split_at_checked(at))
        && marks::token_length(token) == Some(token.len())
    {
        text = without_end(before);
    }
    text
}

/// A text without the tokens that end a message.
fn without_end(text: &str) -> &str {
    let mut text = text.trim_end();
    while let Some(shorter) = ENDS.iter().find_map(|end| text.strip_suffix(end)) {
        text = shorter.trim_end();
    }
    text
}
