//! What an answer's text says and its value does not: the digits of numbers that are rounded, and the first of two values
//! for one key. Arguments that hold such a thing stay text.
//!
//! Only the schema of the tool can tell whether the digits are wanted, and the stages after this one read texts exactly,
//! with keys that stand twice on the record. Answers that came as values have lost theirs already.

use serde_json::Value;

use crate::exact::{Look, with_zeros};
use crate::repair::{self, Written};

/// What the value of an answer lacks, by pointers into it.
#[derive(Debug, Default)]
pub(super) struct Lost {
    /// The digits that numbers were written with, sorted by their pointers.
    digits: Vec<(String, String)>,
    /// What a key had before in its object, sorted by the pointers of what it has now.
    earlier: Vec<(String, Value)>,
    /// Where numbers stand that no value holds, not even rounded. Sorted; they are among `digits` too.
    no_numbers: Vec<String>,
}

impl Lost {
    /// What of a text its value does not hold.
    pub(super) fn of(text: &str, value: &Value) -> Self {
        if Look::at(text).tells_all(text, value) {
            return Self::default();
        }
        match repair::read_json(text) {
            Ok(written) if written.value == *value => Self::in_marks(&written),
            _ => Self::default(),
        }
    }

    /// The value of a text that is JSON but for numbers that are too large (`1e400`), in whose places it has 0, and what it
    /// lacks. `None` for any other text.
    pub(super) fn beside_no_numbers(text: &str) -> Option<(Value, Self)> {
        let held: Value = serde_json::from_str(&with_zeros(text)?).ok()?;
        let written = repair::read_json(text).ok()?;
        // Read alike but for these numbers, of which there are some.
        let mut same = written.value.clone();
        let no_numbers = written.marks.no_numbers();
        for at in &no_numbers {
            *same.pointer_mut(at)? = Value::from(0);
        }
        (!no_numbers.is_empty() && same == held).then(|| (same, Self::in_marks(&written)))
    }

    /// Takes out the numbers that begin with a mark: where they stand, and the number behind the mark without its last
    /// digit.
    pub(super) fn take_marked(&mut self, mark: &str) -> Vec<(String, usize)> {
        let number = |digits: &str| {
            let number = digits.strip_prefix(mark)?;
            number.get(..number.len().checked_sub(1)?)?.parse().ok()
        };
        let mut marked = Vec::new();
        self.digits.retain(|(at, digits)| match number(digits) {
            Some(number) => {
                marked.push((at.clone(), number));
                false
            }
            None => true,
        });
        marked
    }

    /// Adds what the value at a place lacks.
    pub(super) fn add(&mut self, at: &str, written: &Written) {
        let Self { digits, earlier, no_numbers } = Self::in_marks(written);
        self.digits.extend(digits.into_iter().map(|(below, digits)| (format!("{at}{below}"), digits)));
        self.earlier.extend(earlier.into_iter().map(|(below, value)| (format!("{at}{below}"), value)));
        self.no_numbers.extend(no_numbers.into_iter().map(|below| format!("{at}{below}")));
        self.digits.sort_unstable();
        self.earlier.sort_by(|(a, _), (b, _)| a.cmp(b));
        self.no_numbers.sort_unstable();
    }

    fn in_marks(written: &Written) -> Self {
        let no_numbers = written.marks.no_numbers();
        let digits = written.marks.lost().into_iter().map(|(at, digits)| (at, digits.to_owned()));
        let too_large = no_numbers
            .iter()
            .filter_map(|at| Some((at.clone(), written.value.pointer(at)?.as_str()?.to_owned())));
        let mut digits: Vec<_> = digits.chain(too_large).collect();
        digits.sort();
        let earlier = written.marks.repeated().into_iter().map(|(at, value)| (at, value.clone()));
        Self { digits, earlier: earlier.collect(), no_numbers }
    }

    /// Whether it is not known that anything is lost.
    pub(super) fn is_nothing(&self) -> bool {
        self.digits.is_empty() && self.earlier.is_empty()
    }

    /// A key that stands twice on the way to a call, or as its name or arguments: another call may have been meant.
    pub(super) fn repeated_on_the_way(&self, call: &str) -> Option<&str> {
        let is_on_it = |at: &str| {
            let inside = at.strip_prefix(call).and_then(|rest| rest.strip_prefix('/'));
            at == call
                || call.strip_prefix(at).is_some_and(|rest| rest.starts_with('/'))
                || inside.is_some_and(|key| !key.contains('/'))
        };
        self.earlier.iter().map(|(at, _)| at.as_str()).find(|at| is_on_it(at))
    }

    /// Where in the arguments at a place a number stands that no value holds.
    pub(super) fn no_number_in(&self, arguments: &str) -> Option<&str> {
        let inside = |at: &str| {
            at.strip_prefix(arguments).is_some_and(|rest| rest.starts_with('/') || rest.is_empty())
        };
        self.no_numbers.iter().map(String::as_str).find(|at| inside(at))
    }

    /// Arguments as they were written: their value, or their text where it says more.
    pub(super) fn exact(&self, pointer: &str, arguments: &Value) -> Value {
        let inside = |at: &str| at.strip_prefix(pointer).is_some_and(|rest| rest.starts_with('/'));
        let any =
            self.digits.iter().any(|(at, _)| inside(at)) || self.earlier.iter().any(|(at, _)| inside(at));
        if !arguments.is_object() || !any {
            return arguments.clone();
        }
        let mut text = String::new();
        self.write(&mut text, &mut pointer.to_owned(), arguments);
        text.into()
    }

    /// Writes a value as JSON, with what was there. It nests no deeper than an answer may.
    fn write(&self, out: &mut String, pointer: &mut String, value: &Value) {
        let length = pointer.len();
        match value {
            Value::Object(members) => {
                out.push('{');
                for (i, (key, member)) in members.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    let key_text = Value::from(key.as_str()).to_string();
                    pointer.push('/');
                    pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                    if let Some(earlier) = find(&self.earlier, pointer) {
                        out.push_str(&format!("{key_text}:{earlier},"));
                    }
                    out.push_str(&key_text);
                    out.push(':');
                    self.write(out, pointer, member);
                    pointer.truncate(length);
                }
                out.push('}');
            }
            Value::Array(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    pointer.push_str(&format!("/{i}"));
                    self.write(out, pointer, item);
                    pointer.truncate(length);
                }
                out.push(']');
            }
            Value::Number(_) => match find(&self.digits, pointer) {
                Some(digits) => out.push_str(digits),
                None => out.push_str(&value.to_string()),
            },
            other => out.push_str(&other.to_string()),
        }
    }
}

fn find<'l, T>(sorted: &'l [(String, T)], pointer: &str) -> Option<&'l T> {
    let found = sorted.binary_search_by(|(at, _)| at.as_str().cmp(pointer)).ok()?;
    sorted.get(found).map(|(_, what)| what)
}
