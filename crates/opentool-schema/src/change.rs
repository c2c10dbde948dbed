//! The record of what was changed between what a model wrote and what runs.
//!
//! For approval and audit: whoever looks at a call sees the arguments that run *and* how they came to be.

use serde_json::{Map, Value};

use crate::text::shorten;

/// Bytes of text in a recorded value, beyond which the record shows a shortened picture of it.
const LONGEST: usize = 4096;

/// One change to the arguments of a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// In which stage.
    pub stage: Stage,
    /// What kind of change, in a few fixed words: `text to integer`, `key spelling`, `syntax`.
    pub rule: &'static str,
    /// The JSON Pointer of the argument, in the arguments as they run; empty for the whole.
    pub pointer: String,
    /// What was there. Values of more than 4 KiB are shown shortened, as text; a number that prints in other digits than
    /// it was written with (`1.10`, `12345678901234567890123`) as the text of these digits.
    pub before: Option<Value>,
    /// What is there now; `None` for what was taken out. Shortened like `before`.
    pub after: Option<Value>,
}

/// The stages between a model's text and the arguments of a call, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// The name of the tool.
    Name,
    /// Text that was nearly JSON was read; wrappers around the arguments were taken off.
    Repair,
    /// What was written for a dialect's schema became what the tool's own schema says.
    Decode,
    /// Values and keys became what the schema wants.
    Coerce,
    /// Keys that the schema forbids were taken out.
    Drop,
}

impl Stage {
    /// The stage in one word: `name`, `repair`, `decode`, `coerce`, `drop`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Repair => "repair",
            Self::Decode => "decode",
            Self::Coerce => "coerce",
            Self::Drop => "drop",
        }
    }
}

impl Change {
    pub(crate) fn new(stage: Stage, pointer: impl Into<String>, rule: &'static str) -> Self {
        Self { stage, rule, pointer: pointer.into(), before: None, after: None }
    }

    pub(crate) fn before(mut self, value: &Value) -> Self {
        self.before = Some(picture(value));
        self
    }

    /// [`Change::before`] for a text.
    pub(crate) fn before_text(mut self, text: &str) -> Self {
        self.before = Some(picture_of_text(text));
        self
    }

    pub(crate) fn after(mut self, value: &Value) -> Self {
        self.after = Some(picture(value));
        self
    }
}

/// `{stage, rule, pointer, before?, after?}`.
impl From<&Change> for Value {
    fn from(change: &Change) -> Self {
        let mut members = Map::new();
        members.insert("stage".to_owned(), change.stage.as_str().into());
        members.insert("rule".to_owned(), change.rule.into());
        members.insert("pointer".to_owned(), change.pointer.as_str().into());
        for (key, value) in [("before", &change.before), ("after", &change.after)] {
            if let Some(value) = value {
                members.insert(key.to_owned(), value.clone());
            }
        }
        Value::Object(members)
    }
}

/// The value, or a shortened picture of a long one.
fn picture(value: &Value) -> Value {
    match value {
        Value::String(text) => picture_of_text(text),
        Value::Array(_) | Value::Object(_) if weight(value) > LONGEST => {
            // Printing stops where the picture ends: a huge value costs no more than its picture.
            let mut print = Picture(String::new());
            let _ = std::fmt::Write::write_fmt(&mut print, format_args!("{value}"));
            shorten(&print.0, LONGEST / 4).into()
        }
        other => other.clone(),
    }
}

fn picture_of_text(text: &str) -> Value {
    if text.len() > LONGEST { shorten(text, LONGEST / 4).into() } else { text.into() }
}

/// About how many bytes a value is in print, not counted further than needed.
fn weight(value: &Value) -> usize {
    let mut sum = 0_usize;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        sum = sum.saturating_add(match value {
            Value::String(text) => text.len(),
            _ => 4,
        });
        match value {
            Value::Array(items) => open.extend(items.iter().take(LONGEST)),
            Value::Object(members) => {
                sum = members.keys().take(LONGEST).fold(sum, |sum, key| sum.saturating_add(key.len()));
                open.extend(members.values().take(LONGEST));
            }
            _ => {}
        }
        if sum > LONGEST {
            break;
        }
    }
    sum
}

/// A text that takes no more than it may.
struct Picture(String);

impl std::fmt::Write for Picture {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        if self.0.len() > LONGEST {
            return Err(std::fmt::Error);
        }
        self.0.push_str(&shorten(text, LONGEST));
        Ok(())
    }
}
