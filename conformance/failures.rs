//! What all case files share: reading them, and the list of known failures, which only shrinks.

use std::collections::BTreeMap;
use std::path::Path;

/// A file of this folder.
pub(crate) fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares verdicts with the list of known failures and fails with all that is not as it should be. A test may judge
/// a part of the `cases` only; the list is of them all.
#[track_caller]
pub(crate) fn settle<'a>(
    list: &str,
    cases: impl IntoIterator<Item = &'a str>,
    verdicts: &[(String, Result<(), String>)],
) {
    let mut listed = listed(list);
    let mut wrong: Vec<String> = Vec::new();
    for (id, verdict) in verdicts {
        match (verdict, listed.contains_key(id)) {
            (Ok(()), true) => wrong.push(format!("{id}: passes; take it off the list of failures")),
            (Err(why), false) => wrong.push(format!("{id}: {why}")),
            _ => {}
        }
    }
    for id in cases {
        listed.remove(id);
    }
    wrong.extend(listed.keys().map(|id| format!("{id}: is on the list of failures, and is no case")));
    assert!(wrong.is_empty(), "{} of {} cases:\n  {}", wrong.len(), verdicts.len(), wrong.join("\n  "));
}

/// The list: ids and reasons.
fn listed(list: &str) -> BTreeMap<String, String> {
    let text = read(list);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| match line.split_once(": ") {
            Some((id, reason)) => (id.to_owned(), reason.to_owned()),
            None => panic!("a known failure is written `id: reason`, not `{line}`"),
        })
        .collect()
}
