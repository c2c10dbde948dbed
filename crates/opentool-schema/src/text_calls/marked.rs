//! Calls after the special tokens of chat templates: Mistral, Llama, Kimi, DeepSeek, Granite, Cohere, and the like.

use opentool_core::Problem;

use super::marks::Parts;
use super::{Calls, Read, TextCall, Unread, cut_off, is_name, json, python};

/// One call: begin, name, middle, arguments, end.
pub(super) fn parted<'t>(text: &'t str, parts: &Parts) -> Read<'t> {
    let after = text.get(parts.begin.len()..).unwrap_or_default();
    let (name, marked) = after.split_at_checked(after.find('<').ok_or_else(cut_off)?).ok_or_else(cut_off)?;
    let Some(behind) = marked.strip_prefix(parts.middle) else {
        return Err(if parts.middle.starts_with(marked) { cut_off() } else { not_a_call() }.into());
    };
    // DeepSeek's older form: `function<sep>name`, a line end, and a fence.
    let (name, behind) = match (name.trim(), behind.split_once('\n')) {
        ("function", Some((name, fenced))) => (name, fenced),
        (name, _) => (name, behind),
    };
    let (arguments, rest) = json::value(behind).ok_or_else(|| json::fault(behind))?;
    let rest = rest.trim_start();
    let Some(next) = rest.strip_prefix(parts.end) else {
        return Err(if parts.end.starts_with(rest) { cut_off() } else { not_a_call() }.into());
    };
    // Kimi's: `functions.name:0`, which as a whole is the id.
    let numbered = name
        .rsplit_once(':')
        .filter(|(_, number)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    let (id, name) = match numbered {
        Some((function, _)) => {
            (Some(name.to_owned()), function.strip_prefix("functions.").unwrap_or(function))
        }
        None => (None, name),
    };
    let call = json::arguments(arguments).and_then(|arguments| TextCall::new(name, arguments));
    Ok((Calls::one(call.map(|call| TextCall { id, ..call })), next))
}

/// Calls as JSON or Python behind a mark.
pub(super) fn before<'t>(text: &'t str, mark: &str, end: &str, tail: usize) -> Read<'t> {
    let body = text.get(mark.len()..).unwrap_or_default().trim_start();
    if body.is_empty() {
        return Err(cut_off().into());
    }
    if !body.starts_with(['{', '`'])
        && let Some((mut calls, rest)) = python::prefix(body, tail)
        && let Some(rest) = behind(rest, end)
    {
        // Llama's own tools: `brave_search.call(query="…")`.
        for call in calls.all.iter_mut().flatten() {
            if let Some(name) = call.name.strip_suffix(".call") {
                call.name = name.to_owned();
            }
        }
        return Ok((calls, rest));
    }
    Ok(json::items(body, |rest| behind(rest, end))?)
}

/// What follows the calls behind a mark: the mark that ends them, the next one, or words. What goes on like JSON may be a
/// part of it.
fn behind<'t>(text: &'t str, end: &str) -> Option<&'t str> {
    let rest = text.trim_start();
    let open = rest.trim_start_matches(|c: char| matches!(c, '}' | ']' | ';') || c.is_whitespace());
    if let Some(rest) = open.strip_prefix(end) {
        return Some(rest);
    }
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '<' | '[' | '`' | '~' | '*' | '#' | '(');
    (open.is_empty() || (open.len() == rest.len() && rest.starts_with(is_word))).then_some(open)
}

/// Mistral's: a list of calls, or since version 11 one mark a call: `name[CALL_ID]id[ARGS]{…}`, `name[ARGS]{…}`,
/// `name{…}`.
pub(super) fn mistral(text: &str, tail: usize) -> Read<'_> {
    const MARK: &str = "[TOOL_CALLS]";
    let body = text.get(MARK.len()..).unwrap_or_default().trim_start();
    if body.is_empty() {
        return Err(cut_off().into());
    }
    if body.starts_with(MARK) {
        return Err(not_a_call().into());
    }
    if body.starts_with(['[', '{', '`']) && !body.starts_with("[ARGS]") {
        return before(text, MARK, "[/TOOL_CALLS]", tail);
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, '[' | '{' | '(' | '<' | '"' | '\'');
    let name = body.split(ends).next().unwrap_or_default();
    let mut next = body.get(name.len()..).unwrap_or_default().trim_start();
    let mut id = None;
    if let Some(marked) = next.strip_prefix("[CALL_ID]") {
        let end = marked.find('[').ok_or_else(cut_off)?;
        let (written, rest) = marked.split_at_checked(end).ok_or_else(cut_off)?;
        id = Some(written.trim().to_owned()).filter(|id| !id.is_empty());
        next = rest;
    }
    next = next.strip_prefix("[ARGS]").unwrap_or(next).trim_start();
    if next.starts_with(['{', '`']) {
        let (arguments, rest) = json::value(next).ok_or_else(|| json::fault(next))?;
        let rest = behind(rest, "[/TOOL_CALLS]").ok_or_else(not_a_call)?;
        let call = json::arguments(arguments).and_then(|arguments| TextCall::new(name, arguments));
        return Ok((Calls::one(call.map(|call| TextCall { id, ..call })), rest));
    }
    if next.starts_with('(')
        && let Some((calls, rest)) = python::prefix(body, tail)
        && let Some(rest) = behind(rest, "[/TOOL_CALLS]")
    {
        return Ok((calls, rest));
    }
    if next.is_empty() {
        return Err(cut_off().into());
    }
    // Words that talk of the mark; unless there is something behind them.
    let talks = is_name(name) && id.is_none() && !next.starts_with(['[', '(', '<', '"', '\'']);
    Err(if talks { Unread::Talk(not_a_call()) } else { not_a_call().into() })
}

fn not_a_call() -> Problem {
    Problem::new("", "call").expected("expected a call behind the mark: a name, and its arguments as JSON")
}
