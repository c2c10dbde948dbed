//! Results that are longer than a model should read, made shorter where it hurts least, and a notice of what is
//! missing.
//!
//! JSON stays JSON: the longest lists lose their last items, then the longest texts their ends. Other text is cut at the
//! end of a line.

use std::fmt::Write as _;

use serde_json::Value;

/// How often something is taken away. Each time costs a walk over the value.
const ROUNDS: usize = 24;

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
    for _ in 0..ROUNDS {
        let size = size(&value);
        if size <= most {
            let text = value.to_string();
            let notice = notice(&value, &missing);
            return Some(Shortened { text, notice });
        }
        let over = size.saturating_sub(most);
        let (pointer, what) = heaviest(&value)?;
        let total = match value.pointer_mut(&pointer)? {
            Value::Array(items) => {
                let total = items.len();
                let mut freed = 0_usize;
                // One item stays: it shows what the list holds.
                while freed < over && items.len() > 1 {
                    freed =
                        freed.saturating_add(items.pop().as_ref().map_or(0, self::size)).saturating_add(1);
                }
                total
            }
            Value::String(text) => {
                let total = text.len();
                let keep = total.saturating_sub(over.saturating_add('…'.len_utf8())).max(SHORT_TEXT / 2);
                text.truncate(text.floor_char_boundary(keep));
                text.push('…');
                total
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
            Some(Value::String(text)) => text.len().saturating_sub('…'.len_utf8()),
            // It went away with a list around it, which is told.
            _ => continue,
        };
        let place = if pointer.is_empty() { "the list".to_owned() } else { format!("`{pointer}`") };
        let _ = write!(text, "{separator}{place} has {left} of {total} {what}");
        separator = "; ";
    }
    text.push_str(
        ". The rest is missing; ask for less, or for the next part, with the tool's own arguments.]",
    );
    text
}

/// Where the most can be taken away: the largest list, else the longest text.
fn heaviest(value: &Value) -> Option<(String, &'static str)> {
    let mut list = (0, None);
    let mut text = (SHORT_TEXT, None);
    weigh(value, &mut opentool_text::Pointer::default(), &mut list, &mut text);
    list.1.map(|pointer| (pointer, "entries")).or(text.1.map(|pointer| (pointer, "bytes")))
}

type Heaviest = (usize, Option<String>);

fn weigh(value: &Value, at: &mut opentool_text::Pointer, list: &mut Heaviest, text: &mut Heaviest) -> usize {
    match value {
        Value::Array(items) => {
            let mut size = 2_usize;
            for (index, item) in items.iter().enumerate() {
                let mark = at.enter_item(index);
                size = size.saturating_add(weigh(item, at, list, text)).saturating_add(1);
                at.back(mark);
            }
            // Of a list in a list the outer one is the larger, and is found later.
            if items.len() > 1 && size >= list.0 {
                *list = (size, Some(at.as_str().to_owned()));
            }
            size
        }
        Value::Object(members) => {
            let mut size = 2_usize;
            for (name, member) in members {
                let mark = at.enter(name);
                size = size
                    .saturating_add(name.len())
                    .saturating_add(weigh(member, at, list, text))
                    .saturating_add(4);
                at.back(mark);
            }
            size
        }
        Value::String(own) => {
            if own.len() > text.0 {
                *text = (own.len(), Some(at.as_str().to_owned()));
            }
            self::size(value)
        }
        other => self::size(other),
    }
}

/// How many bytes a value has as JSON.
fn size(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.saturating_add(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
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
        let many: serde_json::Map<String, Value> = (0..1_000).map(|n| (format!("k{n}"), json!(n))).collect();
        assert_eq!(json(Value::Object(many), 100), None);
    }

    #[test]
    fn other_text_is_cut_at_the_end_of_a_line() {
        let short = plain("first line\nsecond line\nthird line\n", 25);
        assert_eq!(short.text, "first line\nsecond line");
        assert!(short.notice.starts_with("[Shortened: the first 22 of 34 bytes."), "{}", short.notice);
        assert_eq!(plain(&"日本".repeat(100), 10).text, "日本日");
    }
}
