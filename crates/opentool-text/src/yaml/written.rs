//! Numbers that are texts: `enum: [1.10, 0x1f]` beside `type: string` lists `1.10`, and not 1.1; and a parameter (`in: query`)
//! whose `name` is `1.10` is called so.
//!
//! Only what a number would not say as it is written is kept, and only where the mapping itself says that texts are
//! meant. What `type` means in a mapping that is no schema is the same, or of no matter.

use serde_json::{Map, Value};

use super::{Key, Kind, Open};

/// A number as it is written.
pub(super) struct Written {
    /// The member that holds it, empty while its list is not finished.
    pub(super) key: &'static str,
    index: Option<usize>,
    text: String,
}

/// The members that hold one value, or the list of them.
const ONE: [&str; 3] = ["default", "const", NAME];
const LIST: &str = "enum";

/// What is a text in what has a place (`in`), as parameters do.
const NAME: &str = "name";

/// Whether the next value stands where `type` beside it decides.
pub(super) fn counts(stack: &[Open]) -> bool {
    match stack {
        [.., Open { kind: Kind::Mapping { key: Some(Key::Member(key)), .. }, .. }] => {
            ONE.contains(&key.as_str())
        }
        [.., holder, Open { kind: Kind::List(_), .. }] => is_list(holder),
        _ => false,
    }
}

/// Remembers how the next value is written, if it is a number that would be written in another way.
pub(super) fn note(stack: &mut [Open], value: &Value, text: &str) {
    let Value::Number(number) = value else { return };
    let again = number.to_string();
    if again == text {
        return;
    }
    let Some(Open { kind, written, .. }) = stack.last_mut() else { return };
    let (key, index) = match kind {
        Kind::List(items) => ("", Some(items.len())),
        Kind::Mapping { key: Some(Key::Member(key)), .. } => {
            let Some(key) = ONE.into_iter().find(|one| one == key) else { return };
            (key, None)
        }
        Kind::Mapping { .. } => return,
    };
    written.push(Written { key, index, text: text.to_owned() });
}

/// A list is finished; what was written in it belongs to the mapping that has it.
pub(super) fn hand_over(stack: &mut [Open], written: Vec<Written>) {
    if let Some(holder) = stack.last_mut().filter(|holder| is_list(holder)) {
        holder.written.extend(written.into_iter().map(|number| Written { key: LIST, ..number }));
    }
}

/// A mapping is finished: where it says that its values are texts, they are.
pub(super) fn settle(members: &mut Map<String, Value>, written: Vec<Written>) {
    let is_typed = members.get("type").is_some_and(is_text);
    let is_placed = members.get("in").is_some_and(Value::is_string);
    for Written { key, index, text } in written {
        if !(if key == NAME { is_placed } else { is_typed }) {
            continue;
        }
        let slot = match index {
            Some(index) => members.get_mut(key).and_then(|list| list.get_mut(index)),
            None => members.get_mut(key),
        };
        if let Some(slot) = slot.filter(|slot| slot.is_number()) {
            *slot = Value::String(text);
        }
    }
}

fn is_list(open: &Open) -> bool {
    matches!(&open.kind, Kind::Mapping { key: Some(Key::Member(key)), .. } if key == LIST)
}

/// `string`, or a list of it and null.
fn is_text(kind: &Value) -> bool {
    match kind {
        Value::Array(kinds) => {
            kinds.contains(&Value::from("string"))
                && kinds.iter().all(|kind| matches!(kind.as_str(), Some("string" | "null")))
        }
        one => one == "string",
    }
}
