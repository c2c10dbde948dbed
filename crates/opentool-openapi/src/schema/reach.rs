//! How many schemas the tools of a document reach, before any of them is built.
//!
//! Each tool carries its own copy of what it refers to. A document in which each of 800 operations reaches each of 800
//! schemas would need gigabytes, so a tool carries no more than a limit, and the reader says which tools reach more.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::Knowledge;
use super::definitions::collect;

/// How many schemas a tool carries beside its own. No model reads more.
pub(crate) const MOST: usize = 250;

/// The largest schema of arguments in bytes, where the host sets no other limit.
pub(crate) const MOST_BYTES: usize = 64 * 1024;

/// Whether sets of schemas reach more than a tool carries, as far as it was asked.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    known: HashMap<Vec<String>, bool>,
}

impl Reach {
    /// Whether these converted schemas refer to more than a tool carries.
    pub(crate) fn is_too_much<'v>(
        &mut self,
        schemas: impl Iterator<Item = &'v Value>,
        knowledge: &Knowledge,
    ) -> bool {
        let mut names = Vec::new();
        schemas.for_each(|schema| collect(schema, &mut names));
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            return false;
        }
        if let Some(known) = self.known.get(&names) {
            return *known;
        }
        let found = is_too_much(&names, knowledge);
        self.known.insert(names, found);
        found
    }
}

/// Stops as soon as it is clear, so that nobody pays for the size of what is never built.
fn is_too_much(names: &[String], knowledge: &Knowledge) -> bool {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut waiting: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut bytes = 0_usize;
    while let Some(name) = waiting.pop() {
        if !seen.insert(name) {
            continue;
        }
        let Some((size, targets)) = knowledge.reach.get(name) else { continue };
        bytes = bytes.saturating_add(*size).saturating_add(name.len());
        if seen.len() > MOST || bytes > MOST_BYTES {
            return true;
        }
        waiting.extend(targets.iter().map(String::as_str));
    }
    false
}

/// About how many bytes a schema has without what is cut first: notes and examples.
pub(crate) fn bare_size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len().saturating_add(2),
        Value::Array(items) => {
            items.iter().map(bare_size).fold(2, |sum, n| sum.saturating_add(n).saturating_add(1))
        }
        Value::Object(members) => members
            .iter()
            .filter(|(key, value)| {
                !(key.starts_with("example") || (value.is_string() && *key == "description"))
            })
            .map(|(key, value)| bare_size(value).saturating_add(key.len()).saturating_add(4))
            .fold(2, usize::saturating_add),
        _ => 5,
    }
}
