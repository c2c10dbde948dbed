//! What becomes of tools in another format, in lines for people.

use std::collections::HashMap;

use crate::loss::{Told, Word};

/// How many tools a line names before it counts them.
const NAMED: usize = 3;

/// What happened to how many tools at one place.
pub(crate) struct Line<'t> {
    /// What it says.
    pub(crate) word: Word,
    /// Where.
    pub(crate) place: String,
    /// What was done, or why.
    pub(crate) message: &'t str,
}

/// One line for each entry, but for those that say the same of several tools: these are told together unless `each`
/// is wanted.
pub(crate) fn losses(told: &[Told], each: bool) -> Vec<Line<'_>> {
    let mut groups: Vec<(&Told, Vec<&str>)> = Vec::new();
    let mut index = HashMap::new();
    for entry in told {
        let group = *index.entry((entry.word, &entry.pointer, &entry.message)).or_insert(groups.len());
        match groups.get_mut(group) {
            Some((_, tools)) if !each => tools.push(&entry.tool),
            _ => groups.push((entry, vec![&entry.tool])),
        }
    }
    groups
        .into_iter()
        .map(|(entry, tools)| Line {
            word: entry.word,
            place: place(&entry.pointer, &tools),
            message: &entry.message,
        })
        .collect()
}

fn place(pointer: &str, tools: &[&str]) -> String {
    let parts = match tools {
        [""] => vec![pointer.to_owned()],
        [tool] => vec![(*tool).to_owned(), pointer.to_owned()],
        several => {
            let named = several.get(..NAMED).filter(|_| several.len() > NAMED).unwrap_or(several);
            let more = if named.len() < several.len() { ", …" } else { "" };
            let of = if pointer.is_empty() { "" } else { "of " };
            vec![pointer.to_owned(), format!("{of}{} tools ({}{more})", several.len(), named.join(", "))]
        }
    };
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}
