//! Tool calls that a model wrote into its text, because its server or template has no calls of its own.
//!
//! Hermes and Qwen tags, Mistral, Llama, DeepSeek, Kimi, GLM, Harmony, XML, ReAct, Python calls, fenced JSON: one
//! marker each, found in this order. It reads only: names are as they were written (see
//! [`resolve_name`](crate::resolve_name)), arguments still pass through validation. It is for a host to decide that
//! a model's text may hold calls; text from elsewhere must never come here.

mod json;
mod marked;
mod python;
mod react;
mod tagged;

pub(crate) use json::object;
use opentool_core::Problem;
use serde_json::Value;

use crate::intake::rounded;
use crate::repair::Marks;

/// Calls in one text; more are not read.
const MOST: usize = 128;

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

    fn full(&self) -> bool {
        self.calls.len() >= MOST || self.problems.len() >= MOST
    }
}

/// Reads the calls that are written in a model's text. Text without calls gives none.
///
/// ```
/// # use opentool_schema::parse_text_calls;
/// let found = parse_text_calls("<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 1}}</tool_call>");
/// assert_eq!(found.calls[0].name, "add");
/// ```
pub fn parse_text_calls(text: &str) -> TextCalls {
    let body = after_thoughts(text);
    let readers = [tagged::read, marked::read, react::read, json::whole, python::read];
    readers.iter().find_map(|read| read(body)).unwrap_or_default()
}

/// The text after what the model thought to itself: calls in there were only considered.
fn after_thoughts(text: &str) -> &str {
    let thinking = text.trim_start().starts_with("<think>");
    match text.find("</think>") {
        Some(end) => text.get(end.saturating_add("</think>".len())..).unwrap_or_default(),
        None if thinking => "",
        None => text,
    }
}

/// A call that ends before it is whole.
fn cut_off() -> Problem {
    Problem::new("", "truncated")
        .expected("expected a whole call, but the text ends too early; it is not run")
}

/// That no number was rounded when it was read.
fn whole_numbers(marks: &Marks) -> Result<(), Problem> {
    match marks.lost().first() {
        Some((pointer, digits)) => Err(rounded(pointer, digits, false)),
        None => Ok(()),
    }
}

/// What stands between two marks, and what follows; `None` for the end where it does not come.
fn between<'t>(text: &'t str, end: &str) -> (&'t str, Option<&'t str>) {
    match text.split_once(end) {
        Some((inside, after)) => (inside, Some(after)),
        None => (text, None),
    }
}
