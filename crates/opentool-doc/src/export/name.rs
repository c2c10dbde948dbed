//! Names that the format allows, one for each tool.

use std::collections::HashSet;

use indexmap::IndexMap;

use crate::lint::name::{LONGEST, valid};

/// A function name for each tool name, in order, with the tool's name. Names that are allowed stay; the others give way to
/// them.
pub(super) fn assign<'t>(tools: impl IntoIterator<Item = &'t str>) -> IndexMap<String, String> {
    let tools: Vec<&str> = tools.into_iter().collect();
    let allowed = |name: &str| !name.is_empty() && name.len() <= LONGEST && valid(name) == name;
    let mut taken: HashSet<String> = HashSet::new();
    // Tool sets have unique names; lists of definitions may not.
    let stays: Vec<bool> =
        tools.iter().map(|name| allowed(name) && taken.insert((*name).to_owned())).collect();
    let mut names = IndexMap::new();
    for (tool, stays) in tools.into_iter().zip(stays) {
        let name = if stays { tool.to_owned() } else { free(tool, &mut taken) };
        names.insert(name, tool.to_owned());
    }
    names
}

fn free(tool: &str, taken: &mut HashSet<String>) -> String {
    let base = valid(tool);
    let base = if base.is_empty() { "tool" } else { base.as_str() };
    let mut candidate = base.to_owned();
    let mut number = 2_u64;
    while !taken.insert(candidate.clone()) {
        let suffix = format!("_{number}");
        // The name is ASCII, so any byte is a boundary.
        let kept = base.get(..LONGEST.saturating_sub(suffix.len())).unwrap_or(base);
        candidate = format!("{kept}{suffix}");
        number = number.saturating_add(1);
    }
    candidate
}
