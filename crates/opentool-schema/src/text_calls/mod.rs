//! Tool calls that a model wrote into its text, because its server or template has no calls of its own.
//!
//! Hermes and Qwen tags, Mistral, Llama, DeepSeek, Kimi, GLM, Granite, Cohere, Harmony, XML, ReAct, Python calls, fenced
//! JSON: the marker that comes first decides, and its call is read to its end before the next one is looked for; what
//! stands inside an argument is never a call. It reads only: names are as they were written (see
//! [`resolve_name`](crate::resolve_name)), arguments still pass through validation. It is for a host to decide that
//! a model's text may hold calls; text from elsewhere must never come here. Text that merely talks about calls has
//! none: a marker in quotes, an example with more words behind it.

mod amid;
mod json;
mod marked;
mod named;
mod opening;
mod python;
mod react;
mod tagged;

pub(crate) use json::object;
use std::collections::HashSet;

use opentool_core::Problem;
use serde_json::{Map, Value};

use crate::intake::{no_number, rounded};
use crate::repair::Marks;

/// Calls in one text; more are not read.
const MOST: usize = 128;

/// Tokens that end a message, and that some servers leave in.
const ENDS: [&str; 6] =
    ["<|eom_id|>", "<|eot_id|>", "<|im_end|>", "<|end_of_text|>", "</s>", "<｜end▁of▁sentence｜>"];

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
    fn new(name: &str, arguments: impl Into<Value>) -> Self {
        Self { name: name.trim().to_owned(), arguments: arguments.into(), id: None }
    }
}

/// What [`parse_text_calls`] found.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct TextCalls {
    /// The calls in order.
    pub calls: Vec<TextCall>,
    /// What was meant to be a call and cannot be read, one problem each: cut off, or not JSON.
    pub problems: Vec<Problem>,
}

impl TextCalls {
    /// Neither calls nor attempts at one.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.problems.is_empty()
    }

    fn add(&mut self, calls: Result<Vec<TextCall>, Problem>) {
        match calls {
            Ok(calls) => self.calls.extend(calls),
            Err(problem) => self.problems.push(problem),
        }
        if self.calls.len() > MOST {
            self.calls.truncate(MOST);
            let problem = Problem::new("", "more").expected(format!("expected at most {MOST} calls"));
            self.problems.push(problem);
        }
    }

    fn extend(&mut self, more: Self) {
        self.add(Ok(more.calls));
        self.problems.extend(more.problems);
    }

    fn full(&self) -> bool {
        self.calls.len() >= MOST || self.problems.len() >= MOST
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
    let body = after_thoughts(text);
    whole(body).unwrap_or_else(|| opening::read(body, whole))
}

/// A text that is calls and nothing else, without any mark.
fn whole(text: &str) -> Option<TextCalls> {
    [json::whole, python::read, named::read].iter().find_map(|read| read(text))
}

/// [`parse_text_calls`] for a host that knows the names of its tools. Besides, it finds calls without any marker with
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
    let found = parse_text_calls(text);
    if !found.is_empty() {
        return found;
    }
    let names: HashSet<&str> = names.into_iter().collect();
    amid::read(after_thoughts(text), &names).unwrap_or_default()
}

/// The text after what the model thought to itself: calls in there were only considered. Where the opening tag is part
/// of the prompt, [`opening`] finds the closing one, outside the strings of calls.
fn after_thoughts(text: &str) -> &str {
    let text = without_end(text);
    let Some((open, close)) = opening::THOUGHTS.iter().find(|(open, _)| text.starts_with(open)) else {
        return text;
    };
    match text.get(open.len()..).and_then(|thoughts| thoughts.split_once(close)) {
        Some((_, said)) => said.trim_start(),
        None => "",
    }
}

/// A call that ends before it is whole.
fn cut_off() -> Problem {
    Problem::new("", "truncated")
        .expected("expected a whole call, but the text ends too early; it is not run")
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

/// Whether a marker at a place is quoted, not used: `` `<tool_call>` ``. A fence does not count.
fn is_quoted(before: &str, after: &str) -> bool {
    let tick = |end: Option<char>, next: Option<char>| end == Some('`') && next != Some('`');
    let (mut back, mut on) = (before.chars().rev(), after.chars());
    tick(back.next(), back.next()) || tick(on.next(), on.next())
}

/// Whether a word can be the name of a tool.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | ':' | '/'))
}

/// A text without the tokens that end a message.
fn without_end(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(shorter) = ENDS.iter().find_map(|end| text.strip_suffix(end)) {
        text = shorter.trim_end();
    }
    text
}

/// What stands between two marks, and what follows; `None` for the end where it does not come. Marks inside JSON with
/// which the text begins are part of a string, and mark nothing.
fn between<'t>(text: &'t str, end: &str) -> (&'t str, Option<&'t str>) {
    between_past(text, json::end(text).unwrap_or(0), end)
}

/// [`between`], with the end looked for from a place on.
fn between_past<'t>(text: &'t str, from: usize, end: &str) -> (&'t str, Option<&'t str>) {
    let found = text.get(from..).and_then(|rest| rest.find(end)).map(|at| at.saturating_add(from));
    match found.and_then(|at| text.split_at_checked(at)) {
        Some((inside, after)) => (inside, after.get(end.len()..)),
        None => (text, None),
    }
}
