//! The kinds of values, and a value of one kind as one of another.

use serde_json::Value;

use super::scalar::{boolean, is_nothing, number, whole_number};
use super::view::View;
use super::{Coercer, MAX_UNPACKED};
use crate::explain::Path;
use crate::intake::note_repeated;
use crate::repair::{self, Mark, Marks, Tolerance};
use crate::validator::within;

/// What the schemas allow; all kinds where they say nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kinds(u8);

impl Kinds {
    const NULL: u8 = 1;
    const BOOLEAN: u8 = 2;
    const INTEGER: u8 = 4;
    const NUMBER: u8 = 8;
    const STRING: u8 = 16;
    const ARRAY: u8 = 32;
    const OBJECT: u8 = 64;

    /// `None` where the schemas name no type.
    pub(super) fn of(views: &[View<'_>]) -> Option<Self> {
        let mut kinds = None;
        for view in views {
            let here = match view.words.kind {
                Some(Value::String(name)) => Self::named(name),
                Some(Value::Array(names)) if names.iter().any(Value::is_string) => {
                    let names = names.iter().filter_map(Value::as_str);
                    names.fold(0, |kinds, name| kinds | Self::named(name))
                }
                _ => continue,
            };
            kinds = Some(kinds.unwrap_or(u8::MAX) & here);
        }
        kinds.map(Self)
    }

    fn named(name: &str) -> u8 {
        match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            // Every integer is a number.
            "number" => Self::NUMBER | Self::INTEGER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => 0,
        }
    }

    fn has(self, kind: u8) -> bool {
        self.0 & kind != 0
    }

    pub(super) fn text(self) -> bool {
        self.has(Self::STRING)
    }

    fn fits(self, value: &Value) -> bool {
        self.has(match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(n) if n.is_f64() && n.as_f64().is_some_and(|f| f.fract() != 0.0) => Self::NUMBER,
            Value::Number(_) => Self::INTEGER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        })
    }
}

/// What a value could be instead.
struct Candidate {
    rule: &'static str,
    value: Value,
    marks: Marks,
}

impl Candidate {
    fn new(rule: &'static str, value: impl Into<Value>) -> Self {
        Self { rule, value: value.into(), marks: Marks::default() }
    }
}

impl<'s> Coercer<'_, 's> {
    /// Turns a value of a kind that the schemas do not allow into one that they do, if it can be only one.
    pub(super) fn kind(&mut self, views: &[View<'s>], value: &mut Value, marks: &mut Marks, at: &Path<'_>) {
        let Some(kinds) = Kinds::of(views) else { return };
        if kinds.fits(value) || marks.own() == Some(&Mark::NoNumber) {
            return;
        }
        let mut candidates = self.candidates(kinds, value, marks);
        if candidates.len() > 1 {
            candidates
                .retain(|candidate| self.accepted(views.iter().map(|view| view.place), &candidate.value));
        }
        match (candidates.pop(), candidates.is_empty()) {
            (Some(only), true) => {
                self.note(only.rule, at, (value, marks), &only.value);
                if !only.marks.none() {
                    note_repeated(&at.pointer(), &only.value, &only.marks, self.changes);
                }
                *value = only.value;
                *marks = only.marks;
            }
            (None, _) if kinds.has(Kinds::ARRAY) => self.listed(views, value, marks, at),
            _ => {}
        }
    }

    fn candidates(&mut self, kinds: Kinds, value: &mut Value, marks: &mut Marks) -> Vec<Candidate> {
        let wide = self.wide();
        let mut found = Vec::new();
        match value {
            Value::String(text) => {
                if kinds.has(Kinds::NUMBER) {
                    found.extend(number(text).map(|n| Candidate::new("text to number", n)));
                } else if kinds.has(Kinds::INTEGER) {
                    found.extend(whole_number(text).map(|n| Candidate::new("text to integer", n)));
                }
                if kinds.has(Kinds::BOOLEAN) {
                    found.extend(boolean(text, wide).map(|b| Candidate::new("text to boolean", b)));
                }
                if kinds.has(Kinds::NULL) && is_nothing(text, wide) {
                    found.push(Candidate::new("text to null", Value::Null));
                }
                if kinds.has(Kinds::OBJECT) || kinds.has(Kinds::ARRAY) {
                    found.extend(self.unpack(kinds, text));
                }
            }
            Value::Number(number) => {
                let digits = match marks.own() {
                    Some(Mark::Digits(digits)) => Some(digits.to_string()),
                    // Digits that nobody wrote down are gone where a float cannot hold them.
                    _ if number.as_f64().is_some_and(|f| number.is_f64() && f.abs() >= 9e15) => None,
                    _ => Some(number.to_string()),
                };
                if kinds.has(Kinds::STRING) {
                    found.extend(digits.map(|digits| Candidate::new("number to text", digits)));
                }
                if kinds.has(Kinds::BOOLEAN) && wide && matches!(number.as_u64(), Some(0 | 1)) {
                    found.push(Candidate::new("number to boolean", number.as_u64() == Some(1)));
                }
            }
            Value::Array(items) => match items.as_mut_slice() {
                [] if kinds.has(Kinds::OBJECT) && wide => {
                    found.push(Candidate::new("empty list to object", serde_json::Map::new()));
                }
                [only] if self.single(only) => {
                    let mut only = only.clone();
                    let mut inner = marks.take_item(0);
                    // A list of one of something that fits, or can be made to: `["3"]` for 3.
                    if !kinds.fits(&only) {
                        let mut inside = self.candidates(kinds, &mut only, &mut inner);
                        let Some(one) = inside.pop().filter(|_| inside.is_empty()) else { return found };
                        (only, inner) = (one.value, one.marks);
                    }
                    found.push(Candidate { rule: "list of one to its item", value: only, marks: inner });
                }
                _ => {}
            },
            Value::Null | Value::Bool(_) | Value::Object(_) => {}
        }
        found
    }

    /// Whether a list of this one may be taken for it.
    fn single(&self, item: &Value) -> bool {
        match item {
            Value::Array(_) | Value::Null => false,
            Value::Object(_) => self.wide(),
            _ => true,
        }
    }

    /// Text that is an object or a list as a whole: JSON, or a Python literal with its quotes. A word without quotes
    /// makes it text: `[draft]` is no list.
    fn unpack(&mut self, kinds: Kinds, text: &str) -> Option<Candidate> {
        let body = text.trim();
        let whole =
            (body.starts_with('{') && body.ends_with('}')) || (body.starts_with('[') && body.ends_with(']'));
        if !whole || self.unpacked >= MAX_UNPACKED {
            return None;
        }
        let (written, end) = repair::first_value(body, Tolerance::Quoted)?;
        let deep = end < body.len() || !within(&written.value, self.levels.saturating_sub(self.depth));
        if deep || !kinds.fits(&written.value) || written.marks.no_number().is_some() {
            return None;
        }
        self.unpacked = self.unpacked.saturating_add(1);
        let rule = if written.value.is_array() { "text to list" } else { "text to object" };
        Some(Candidate { rule, value: written.value, marks: written.marks })
    }
}
