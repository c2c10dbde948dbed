//! Results that are longer than a model should read, made shorter where it hurts least, and a notice of what is
//! missing.
//!
//! JSON stays JSON, and is cut between its items and members only: where most of it is in one place, that place is made
//! shorter, and where it is spread, the last ones go. Long texts lose their ends. Other text is cut at the end of a line.

use std::fmt::Write as _;

use opentool_text::pointer;
use serde_json::Value;

use crate::schema::definitions::{size, text_size};

/// How often something is taken away. Each time costs a walk over the value.
const ROUNDS: usize = 32;

/// After so many times, whole members go where before parts of them went.
const PATIENT: usize = 16;

/// A member that is this part of its object, or more, is made shorter itself; of smaller ones the last go.
const SHARE: usize = 8;

/// Texts are not cut below this many bytes: nothing is gained, and keys become unreadable.
const SHORT_TEXT: usize = 200;

/// A shorter result.
#[derive(Debug, PartialEq)]
pub(super) struct Shortened {
    pub(super) text: String,
    /// What is missing, for the model.
    pub(super) notice: String,
}

/// What was taken away at one place.
#[derive(Debug)]
struct Missing {
    pointer: String,
    total: usize,
    what: &'static str,
}

/// A JSON value in at most about `most` bytes of text.
pub(super) fn json(mut value: Value, most: usize) -> Option<Shortened> {
    let mut missing: Vec<Missing> = Vec::new();
    for round in 0..ROUNDS {
        let share = if round < PATIENT { SHARE } else { 1 };
        let Weighed { size, cut } = weigh(&value, share);
        if size <= most {
            let text = value.to_string();
            let notice = notice(&value, &missing);
            return Some(Shortened { text, notice });
        }
        let over = size.saturating_sub(most);
        let (place, pointer) = place(&mut value, cut?)?;
        let (total, what) = match place {
            Value::Array(items) => {
                let total = items.len();
                let mut freed = 0_usize;
                // One item stays: it shows what the list holds.
                while freed < over && items.len() > 1 {
                    freed =
                        freed.saturating_add(items.pop().as_ref().map_or(0, self::size)).saturating_add(1);
                }
                (total, "entries")
            }
            Value::Object(members) => {
                let total = members.len();
                let mut freed = 0_usize;
                while freed < over && members.len() > 1 {
                    let Some(last) = members.keys().next_back().cloned() else { break };
                    let value = members.shift_remove(&last);
                    let value = value.as_ref().map_or(0, self::size);
                    freed = freed.saturating_add(text_size(&last)).saturating_add(value).saturating_add(2);
                }
                (total, "members")
            }
            Value::String(text) => {
                let total = text.len();
                let keep = total.saturating_sub(over.saturating_add('…'.len_utf8())).max(SHORT_TEXT / 2);
                text.truncate(text.floor_char_boundary(keep));
                text.push('…');
                (total, "bytes")
            }
            _ => return None,
        };
        if !missing.iter().any(|known| known.pointer == pointer) {
            missing.push(Missing { pointer, total, what });
        }
    }
    None
}

/// Any text in at most about `most` bytes.
pub(super) fn plain(text: &str, most: usize) -> Shortened {
    let start = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    let line = start.rfind('\n').filter(|at| at.saturating_mul(2) >= start.len());
    let word = || start.rfind(char::is_whitespace).filter(|at| at.saturating_mul(2) >= start.len());
    let end = line.or_else(word).unwrap_or(start.len());
    let start = start.get(..end).unwrap_or(start);
    let notice = format!(
        "[Shortened: the first {} of {} bytes. The rest is missing; ask for less, or for a part.]",
        start.len(),
        text.len()
    );
    Shortened { text: start.to_owned(), notice }
}

/// What a model has to know: `/items` has 24 of 317 entries.
fn notice(value: &Value, missing: &[Missing]) -> String {
    let mut text = String::from("[Shortened: ");
    let mut separator = "";
    for Missing { pointer, total, what } in missing {
        let left = match value.pointer(pointer) {
            Some(Value::Array(items)) => items.len(),
            Some(Value::Object(members)) => members.len(),
            Some(Value::String(text)) => text.len().saturating_sub('…'.len_utf8()),
            // It went away with what was around it, which is told.
            _ => continue,
        };
        let place = match (pointer.is_empty(), *what) {
            (true, "entries") => "the list".to_owned(),
            (true, "members") => "the object".to_owned(),
            (true, _) => "the text".to_owned(),
            (false, _) => format!("`{pointer}`"),
        };
        let _ = write!(text, "{separator}{place} has {left} of {total} {what}");
        separator = "; ";
    }
    text.push_str(
        ". The rest is missing; ask for less, or for the next part, with the tool's own arguments.]",
    );
    text
}

/// How many bytes a value has as JSON, and where to take something away.
struct Weighed {
    size: usize,
    /// The members on the way to it by their numbers, the last one first; `None` where nothing can be taken away.
    cut: Option<Vec<usize>>,
}

fn weigh(value: &Value, patience: usize) -> Weighed {
    let children: &mut dyn Iterator<Item = (usize, &Value)> = match value {
        Value::Array(items) => &mut items.iter().map(|item| (0, item)),
        Value::Object(members) => {
            &mut members.iter().map(|(name, member)| (text_size(name).saturating_add(1), member))
        }
        Value::String(text) => {
            let cut = (text.len() > SHORT_TEXT).then(Vec::new);
            return Weighed { size: size(value), cut };
        }
        other => return Weighed { size: size(other), cut: None },
    };
    // Of a list the items are alike, so that only one which is most of it is cut itself.
    let share = if value.is_array() { patience.min(2) } else { patience };
    let (mut total, mut count) = (2_usize, 0_usize);
    let mut heaviest: Option<(usize, usize, Vec<usize>)> = None;
    for (index, (around, child)) in children.enumerate() {
        let weighed = weigh(child, patience);
        total = total.saturating_add(around).saturating_add(weighed.size);
        count = index.saturating_add(1);
        if let Some(cut) = weighed.cut
            && heaviest.as_ref().is_none_or(|(size, ..)| weighed.size > *size)
        {
            heaviest = Some((weighed.size, index, cut));
        }
    }
    total = total.saturating_add(count.saturating_sub(1));
    let within = |size: usize| size.saturating_mul(share) >= total;
    let cut = match heaviest {
        Some((size, index, mut way)) if count == 1 || within(size) => {
            way.push(index);
            Some(way)
        }
        _ => (count > 1).then(Vec::new),
    };
    Weighed { size: total, cut }
}

/// The value at the end of a way, and its pointer.
fn place(value: &mut Value, mut way: Vec<usize>) -> Option<(&mut Value, String)> {
    let (mut value, mut at) = (value, String::new());
    while let Some(index) = way.pop() {
        value = match value {
            Value::Array(items) => {
                at = pointer::join(&at, &index.to_string());
                items.get_mut(index)?
            }
            Value::Object(members) => {
                let (name, member) = members.iter_mut().nth(index)?;
                at = pointer::join(&at, name);
                member
            }
            _ => return None,
        };
    }
    Some((value, at))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{json, plain};

    #[test]
    fn lists_lose_their_last_items_and_say_so() {
        let items: Vec<Value> = (0..300).map(|id| json!({"id": id, "tags": ["a", "b"]})).collect();
        let short = json(json!({"items": items, "total": 300}), 1_000).unwrap();
        assert!(short.text.len() <= 1_000 && short.text.len() > 800, "{}", short.text.len());
        let value: Value = serde_json::from_str(&short.text).unwrap();
        let left = value["items"].as_array().unwrap().len();
        assert_eq!(value["total"], 300);
        assert!(
            short.notice.starts_with(&format!("[Shortened: `/items` has {left} of 300 entries.")),
            "{}",
            short.notice
        );
    }

    #[test]
    fn texts_are_cut_where_no_list_can_be() {
        let short = json(json!({"id": 1, "body": "x".repeat(5_000)}), 500).unwrap();
        let value: Value = serde_json::from_str(&short.text).unwrap();
        assert!(short.text.len() <= 500 && value["body"].as_str().unwrap().ends_with('…'));
        assert!(short.notice.contains("of 5000 bytes"), "{}", short.notice);
        assert_eq!(json(json!({"id": 1}), 3), None);
    }

    #[test]
    fn objects_lose_whole_members_and_say_so() {
        let many = |value: Value| -> Value {
            Value::Object((0..1_000).map(|n| (format!("k{n}"), value.clone())).collect())
        };
        let two = json!([{"id": 1, "tags": ["a"]}, {"id": 2}]);
        for (value, place) in [
            (many(json!(7)), "the object"),
            (many(two.clone()), "the object"),
            (json!({"total": 1_000, "by": {"name": many(two)}}), "`/by/name`"),
        ] {
            let short = json(value.clone(), 500).unwrap();
            let left: Value = serde_json::from_str(&short.text).unwrap();
            let map = |value: &Value| value.pointer("/by/name").unwrap_or(value).as_object().unwrap().clone();
            let (all, left) = (map(&value), map(&left));
            assert!(short.text.len() <= 500 && short.text.len() > 400, "{}", short.text);
            assert!(left.iter().all(|(name, member)| all[name] == *member), "{}", short.text);
            let told = format!("[Shortened: {place} has {} of 1000 members.", left.len());
            assert!(short.notice.starts_with(&told), "{}", short.notice);
        }
    }

    #[test]
    fn what_is_large_among_small_things_is_cut_itself() {
        let list: Vec<u32> = (1_000..3_000).collect();
        let value = json!([{"id": 1, "log": list}, {"id": 2}, {"id": 3, "a": {"b": 1}}]);
        let short = json(value, 1_000).unwrap();
        let left: Value = serde_json::from_str(&short.text).unwrap();
        assert!(left.as_array().unwrap().len() == 3 && short.text.len() > 900, "{}", short.text);
        assert!(short.notice.starts_with("[Shortened: `/0/log` has 1"), "{}", short.notice);
        // Two lists share the loss as they are met, and nothing else goes.
        let both = json!({"a": list, "b": list, "page": 2});
        let short = json(both, 6_000).unwrap();
        let left: Value = serde_json::from_str(&short.text).unwrap();
        assert_eq!((left["page"].as_u64(), left.as_object().unwrap().len()), (Some(2), 3));
        // However it nests, what is left is JSON.
        let mut deep = json!(vec!["x".repeat(50); 100]);
        for level in 0..100 {
            deep = json!({"own": "y".repeat(90), "next": deep, "n": level});
        }
        let short = json(deep, 300).unwrap();
        assert!(
            serde_json::from_str::<Value>(&short.text).is_ok() && short.text.len() <= 300,
            "{}",
            short.text
        );
    }

    #[test]
    fn other_text_is_cut_at_the_end_of_a_line() {
        let short = plain("first line\nsecond line\nthird line\n", 25);
        assert_eq!(short.text, "first line\nsecond line");
        assert!(short.notice.starts_with("[Shortened: the first 22 of 34 bytes."), "{}", short.notice);
        assert_eq!(plain(&"日本".repeat(100), 10).text, "日本日");
    }
}
