//! Numbers of an answer's text that a value would round: arguments that hold one stay text.
//!
//! Only the schema of the tool can tell whether the digits are wanted, and the stages after this one read texts
//! exactly. Answers that came as values have lost theirs already.

use serde_json::Value;

use crate::exact::inexact_number;
use crate::repair::{self, Tolerance};

/// The pointers of numbers in the answer and the digits that they were written with, sorted.
pub(super) type Lost = Vec<(String, String)>;

/// The numbers of a text that are others in its value.
pub(super) fn lost(text: &str, value: &Value) -> Lost {
    if inexact_number(text).is_none() {
        return Lost::new();
    }
    match repair::read(text, Tolerance::Sure) {
        Ok(written) if written.value == *value => {
            written.marks.lost().into_iter().map(|(at, digits)| (at, digits.to_owned())).collect()
        }
        _ => Lost::new(),
    }
}

/// Arguments as they were written: their value, or their text where it says more.
pub(super) fn exact(pointer: &str, arguments: &Value, lost: &Lost) -> Value {
    if !arguments.is_object() || !lost.iter().any(|(at, _)| is_inside(at, pointer)) {
        return arguments.clone();
    }
    let mut text = String::new();
    write(&mut text, &mut pointer.to_owned(), arguments, lost);
    text.into()
}

fn is_inside(at: &str, pointer: &str) -> bool {
    at.strip_prefix(pointer).is_some_and(|rest| rest.starts_with('/'))
}

/// Writes a value as JSON, with the digits that were there. It nests no deeper than an answer may.
fn write(out: &mut String, pointer: &mut String, value: &Value, lost: &Lost) {
    let length = pointer.len();
    match value {
        Value::Object(members) => {
            out.push('{');
            for (i, (key, member)) in members.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                write(out, pointer, member, lost);
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
                write(out, pointer, item, lost);
                pointer.truncate(length);
            }
            out.push(']');
        }
        Value::Number(_) => match lost.iter().find(|(at, _)| at == pointer) {
            Some((_, digits)) => out.push_str(digits),
            None => out.push_str(&value.to_string()),
        },
        other => out.push_str(&other.to_string()),
    }
}
