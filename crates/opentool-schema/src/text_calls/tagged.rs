//! Calls in tags: Hermes, Qwen and Granite (`<tool_call>`, `<function_call>`), GLM-4.5, and the tags of several vendors
//! around them. What stands in a tag is read to its closing tag, or is a problem as a whole.

use opentool_core::Problem;
use serde_json::Map;

use super::elements::{self, nothing_else};
use super::marks::{self, Mark};
use super::tag::{Tag, enclosed};
use super::{Calls, Read, TextCall, Unread, cut_off, is_name, json, named, put, python, without_tokens};

/// Tags in the words behind a tag among which its closing one is looked for.
const TAGS: usize = 16;

/// The calls in the wrapper with which the text begins.
pub(super) fn wrapped(text: &str, tail: usize) -> Read<'_> {
    let tag = Tag::at(text).ok_or_else(cut_off)?;
    let body = tag.open()?.rest.trim_start();
    let close = tag.close();
    if body.is_empty() || close.starts_with(body) {
        return Err(cut_off().into());
    }
    // One wrapper around others says nothing itself.
    if is_wrapper(body) {
        return Ok((Calls::default(), body));
    }
    let listed = body.starts_with('[').then(|| python::prefix(body, tail)).flatten();
    if body.starts_with(['{', '[', '`']) && listed.is_none() {
        return Ok(json::items(body, |rest| behind(rest, &close))?);
    }
    if body.starts_with('<') {
        return elements(body, &close);
    }
    let word = body
        .split(|c: char| c.is_whitespace() || matches!(c, '<' | '{' | '(' | '`'))
        .next()
        .unwrap_or_default();
    let next = body.get(word.len()..).unwrap_or_default().trim_start();
    if next.starts_with(&close) || next.starts_with("<arg_key>") || close.starts_with(next) {
        return glm(word, next, &close);
    }
    if is_name(word) && next.starts_with(['{', '`']) {
        let (arguments, after) = json::value(next).ok_or_else(|| json::fault(next))?;
        let rest = behind(after, &close).ok_or_else(nothing_else)?;
        let call = json::arguments(arguments).and_then(|arguments| TextCall::new(word, arguments));
        return Ok((Calls::one(call), rest));
    }
    if let Some((calls, rest)) = listed.or_else(|| python::prefix(body, tail))
        && let Some(rest) = behind(rest, &close)
    {
        return Ok((calls, rest));
    }
    let problem =
        Problem::new("", "call").expected("expected a call in the tag: JSON, or a name and its arguments");
    // Whoever only talks of the tag neither closes it nor goes on with anything that could be a call.
    let tags = body.match_indices('<').take(TAGS).map(|(at, _)| at);
    let is_closed = tags
        .take_while(|at| marks::at_place(body, *at).is_none())
        .any(|at| body.get(at..).is_some_and(|tag| tag.starts_with(&close)));
    let talks = body.starts_with(char::is_alphabetic) && !next.starts_with('(') && !is_closed;
    Err(if talks { Unread::Talk(problem) } else { problem.into() })
}

fn is_wrapper(text: &str) -> bool {
    marks::at_place(text, 0) == Some(Mark::Wrapper)
}

/// What follows the last call in a wrapper: its closing tag; some templates have none, or leave the last one out. Brackets
/// too many say nothing.
fn behind<'t>(text: &'t str, close: &str) -> Option<&'t str> {
    let rest = text.trim_start();
    let closed = rest.trim_start_matches(|c: char| matches!(c, '}' | ']') || c.is_whitespace());
    if let Some(rest) = closed.strip_prefix(close) {
        return Some(rest);
    }
    let ends = without_tokens(rest).is_empty()
        || is_wrapper(rest)
        || marks::at_place(rest, 0) == Some(Mark::Foreign);
    (ends || closed.is_empty()).then_some(rest)
}

fn elements<'t>(body: &'t str, close: &str) -> Read<'t> {
    let mut calls = Calls::default();
    let mut rest = body;
    loop {
        if marks::at_place(rest, 0) != Some(Mark::Element) {
            return Err(nothing_else().into());
        }
        let (element, next) = elements::read(rest)?;
        calls.push(element.call);
        calls.is_raw |= element.is_raw;
        rest = next.trim_start();
        if let Some(rest) = rest.strip_prefix(close) {
            return Ok((calls, rest));
        }
        if rest.is_empty() || close.starts_with(rest) || is_wrapper(rest) {
            return Ok((calls, rest));
        }
    }
}

/// `name`, then `<arg_key>k</arg_key><arg_value>v</arg_value>` …
fn glm<'t>(name: &str, text: &'t str, close: &str) -> Read<'t> {
    let mut members = Ok(Map::new());
    let mut is_raw = false;
    let mut rest = text;
    while let Some(pair) = rest.strip_prefix("<arg_key>") {
        let (key, value) = pair.split_once("</arg_key>").ok_or_else(cut_off)?;
        let key = named(key)?;
        let value = value.trim_start();
        let tag = Tag::at(value).ok_or_else(cut_off)?;
        let inside = value.strip_prefix("<arg_value>").ok_or_else(cut_off)?;
        let (value, after) = enclosed(inside, &tag).ok_or_else(cut_off)?;
        is_raw = true;
        members = members.and_then(|mut members| put(&mut members, key, value.into()).map(|()| members));
        rest = after.trim_start();
    }
    let call = members.and_then(|members| TextCall::new(name, members));
    match rest.strip_prefix(close) {
        Some(rest) => Ok((Calls { is_raw, ..Calls::one(call) }, rest)),
        None if rest.is_empty() || close.starts_with(rest) => Err(cut_off().into()),
        None => Err(nothing_else().into()),
    }
}
