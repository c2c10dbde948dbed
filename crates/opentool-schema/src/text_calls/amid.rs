//! Calls without a marker at the end of other words, for a host that knows its tools.
//!
//! Nothing tells such a call from an example of one but that it names a tool that exists, and that the model stopped
//! behind it to wait. Both are needed.

use std::collections::HashSet;

use serde_json::Value;

use super::{Calls, json, python};

/// Calls in a row at the end of a text.
const MOST: usize = 16;

pub(super) fn read(text: &str, names: &HashSet<&str>) -> Calls {
    let mut rest = text.trim_end();
    let mut pieces = Vec::new();
    while pieces.len() < MOST
        && let Some((before, code)) = last_code(rest)
        && let Some(calls) = calls(code, names)
    {
        pieces.push(calls);
        rest = before.trim_end();
    }
    let mut all = Calls::default();
    all.all.extend(pieces.into_iter().rev().flat_map(|piece: Calls| piece.all));
    all
}

/// The code with which a text ends, and what stands before it.
fn last_code(text: &str) -> Option<(&str, &str)> {
    if let Some(fenced) = text.strip_suffix("```") {
        // A fence begins a line; those in the strings of JSON do not.
        let line = fenced.rfind("\n```").map(|at| at.saturating_add(1));
        let (before, opened) =
            fenced.split_at_checked(line.or_else(|| fenced.starts_with("```").then_some(0))?)?;
        let inside = opened.strip_prefix("```")?;
        let language = inside.find('\n')?;
        return Some((before, inside.get(language..)?));
    }
    let line = text.rfind('\n').map_or(0, |end| end.saturating_add(1));
    let (before, last) = text.split_at_checked(line)?;
    if let Some(quoted) = last.trim().strip_prefix('`').and_then(|last| last.strip_suffix('`')) {
        return Some((before, quoted)).filter(|_| !quoted.contains('`'));
    }
    // Bare JSON: from the last line that begins with its bracket and where it is whole.
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at.saturating_add(1)));
    let opens = |at: &usize| text.get(*at..).is_some_and(|line| line.starts_with(['{', '[']));
    let at = starts.rfind(opens)?;
    let outer = text.get(..at)?.rfind("\n\n").map_or(0, |end| end.saturating_add(2));
    let whole = [at, outer]
        .into_iter()
        .find(|at| text.get(*at..).is_some_and(|code| serde_json::from_str::<Value>(code).is_ok()))?;
    text.split_at_checked(whole)
}

/// The calls that a piece of code is, if all of them name tools.
fn calls(code: &str, names: &HashSet<&str>) -> Option<Calls> {
    let code = code.trim();
    let found = json::whole(code).or_else(|| python::read(code))?;
    let mut calls = found.all.iter().flatten();
    let known = calls.all(|call| names.contains(call.name.as_str()));
    (known && found.all.iter().any(Result::is_ok)).then_some(found)
}
