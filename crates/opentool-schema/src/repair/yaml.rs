//! Lines of `key: value`, for the wide reading only. No YAML beyond that: no nesting, no lists.

use serde_json::{Map, Value};

use super::bare::{Bare, classify, is_placeholder};
use super::scan::is_word;
use super::{Marks, Written};

/// The object that the lines are, if every one is `key: value`.
pub(super) fn lines(text: &str) -> Option<Written> {
    let (mut members, mut marks) = (Map::new(), Marks::default());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "---") {
        let (key, value) = line.split_once(':')?;
        let (key, value) = (key.trim().trim_matches(['"', '\'']), value.trim());
        let spaced = line.get(line.find(':')?.saturating_add(1)..)?.starts_with(char::is_whitespace);
        if key.is_empty() || !key.chars().all(is_word) || value.is_empty() || !spaced {
            return None;
        }
        let quotes = ['"', '\''].iter().find_map(|quote| {
            value.strip_prefix(*quote)?.strip_suffix(*quote).filter(|inner| !inner.contains(*quote))
        });
        if quotes.is_none() && is_placeholder(value) {
            return None;
        }
        let written = match quotes.map_or_else(|| classify(value), classify_text) {
            Bare::Value(written) => written,
            _ => continue,
        };
        if members.contains_key(key) || value.starts_with(['{', '[', '|', '>', '&', '*']) {
            return None;
        }
        marks.set_key(key, written.marks);
        members.insert(key.to_owned(), written.value);
    }
    (!members.is_empty()).then_some(Written { value: Value::Object(members), marks })
}

fn classify_text(text: &str) -> Bare {
    Bare::Value(Written::plain(text))
}
