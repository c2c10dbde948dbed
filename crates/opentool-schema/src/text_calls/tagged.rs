//! Calls in tags: Hermes, Qwen and Granite 4 (`<tool_call>`), GLM-4.5, `<function=…>`, `<invoke name="…">` in the tags
//! of several vendors, DeepSeek's (`<｜DSML｜invoke name="…">`) among them.

use opentool_core::Problem;
use serde_json::{Map, Value};

use super::{MOST, TextCall, TextCalls, between, cut_off, is_name, is_quoted, json, put};
use crate::exact::Look;

/// Tags around calls of any inner form.
const WRAPPERS: [(&str, &str); 3] = [
    ("<tool_call>", "</tool_call>"),
    ("<tool_calls>", "</tool_calls>"),
    ("<function_call>", "</function_call>"),
];

/// The starts of calls without a wrapper.
const BARE: [&str; 4] = ["<function=", "<invoke name=", ":invoke name=", "｜invoke name="];

pub(super) fn read(text: &str) -> Option<TextCalls> {
    let wrapper = WRAPPERS
        .iter()
        .filter_map(|(open, close)| used(text, open).map(|at| (at, *open, *close)))
        .min_by_key(|(at, ..)| *at);
    let mut found = TextCalls::default();
    let Some((at, open, close)) = wrapper else {
        let at = BARE.iter().filter_map(|open| used(text, open)).min()?;
        // From the bracket on.
        let start =
            text.get(..at)?.rfind('<').filter(|_| !text.get(at..).is_some_and(|t| t.starts_with('<')));
        found.add(elements(text.get(start.unwrap_or(at)..)?));
        return Some(found);
    };
    let mut rest = text.get(at..)?;
    while let Some((_, after)) = rest.split_once(open) {
        let (mut inside, mut next) = between(after, close);
        // Some templates have no closing tag, or leave the last one out; whole JSON is whole without it.
        if let Some((this, _)) = inside.split_once(open).filter(|(this, _)| !this.trim().is_empty()) {
            next = after.get(this.len()..);
            inside = this;
        }
        found.add(if next.is_some() || inside.trim_end().ends_with(['}', ']']) {
            block(inside)
        } else {
            Err(cut_off())
        });
        match next {
            Some(next) if !found.full() => rest = next,
            _ => break,
        }
    }
    Some(found)
}

/// The first place where a tag is used: not quoted, and with the beginning of a call behind it.
fn used(text: &str, tag: &str) -> Option<usize> {
    text.match_indices(tag).take(MOST).map(|(at, _)| at).find(|at| {
        let (before, after) = text.split_at_checked(*at).unwrap_or((text, ""));
        let after = after.get(tag.len()..).unwrap_or_default();
        if !tag.ends_with('>') {
            let bracket = before.rsplit_once('<').filter(|_| !tag.starts_with('<'));
            return !is_quoted(bracket.map_or(before, |(before, _)| before), "");
        }
        let next = after.trim_start();
        let word = next.split(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default();
        let behind = next.get(word.len()..).unwrap_or_default().trim_start();
        let call = next.is_empty()
            || next.starts_with(['{', '[', '<'])
            || next.starts_with("```")
            || (is_name(word) && (behind.is_empty() || behind.starts_with('<')));
        call && !is_quoted(before, after)
    })
}

/// What stands in a wrapper.
fn block(inside: &str) -> Result<Vec<TextCall>, Problem> {
    let body = inside.trim();
    if body.starts_with(['{', '[', '`']) {
        json::calls(body)
    } else if body.contains("<arg_key>") || !body.contains('<') {
        glm(body)
    } else {
        elements(body)
    }
}

/// `name`, then `<arg_key>k</arg_key><arg_value>v</arg_value>` …
fn glm(body: &str) -> Result<Vec<TextCall>, Problem> {
    let (name, mut rest) =
        body.split_once("<arg_key>").map_or((body, None), |(name, rest)| (name, Some(rest)));
    let mut members = Map::new();
    while let Some(pair) = rest {
        let (key, value) = pair.split_once("</arg_key>").ok_or_else(cut_off)?;
        let value = value.trim_start().strip_prefix("<arg_value>").ok_or_else(cut_off)?;
        let (value, after) = value.split_once("</arg_value>").ok_or_else(cut_off)?;
        put(&mut members, key.trim(), value.into())?;
        rest = after.split_once("<arg_key>").map(|(_, next)| next);
    }
    named(name, members.into()).map(|call| vec![call])
}

/// How an element starts and ends.
type Tag = (&'static str, &'static str);

const CALLS: [Tag; 2] = [("<function=", "</function>"), ("invoke name=", "invoke>")];
const PARAMETERS: [Tag; 2] = [("<parameter=", "</parameter>"), ("parameter name=", "parameter>")];

/// `<function=name>…</function>` and `<invoke name="name">…</invoke>`, one after the other.
fn elements(text: &str) -> Result<Vec<TextCall>, Problem> {
    let tag = first(text, &CALLS).ok_or_else(cut_off)?;
    let mut calls = Vec::new();
    let mut rest = text;
    while let Some(Element { name, inside, next, .. }) = element(rest, tag)? {
        let body = inside.trim();
        let arguments = if body.starts_with('{') { json::arguments(body)? } else { parameters(inside)? };
        calls.push(named(name, arguments)?);
        rest = next;
        if calls.len() > MOST {
            break;
        }
    }
    Ok(calls)
}

/// `<parameter=key>value</parameter>`, `<parameter name="key">value</parameter>`. Values are text; which of them
/// are numbers or lists, the schema knows.
fn parameters(text: &str) -> Result<Value, Problem> {
    let mut members = Map::new();
    let Some(tag) = first(text, &PARAMETERS) else { return Ok(Value::Object(members)) };
    let mut rest = text;
    while let Some(Element { name: key, attributes, inside, next }) = element(rest, tag)? {
        // The line ends next to the tags belong to the template.
        let value = inside.strip_prefix('\n').unwrap_or(inside);
        let value = value.strip_suffix('\n').unwrap_or(value);
        let value = if attributes.contains("string=\"false\"") { told(value) } else { value.into() };
        put(&mut members, key, value)?;
        rest = next;
    }
    Ok(Value::Object(members))
}

/// The tag that comes first.
fn first(text: &str, tags: &[Tag; 2]) -> Option<Tag> {
    let found = tags.iter().filter_map(|tag| text.find(tag.0).map(|at| (at, *tag)));
    found.min_by_key(|(at, _)| *at).map(|(_, tag)| tag)
}

/// A value of which is said that it is JSON; text where it is none, or would lose something as a value.
fn told(text: &str) -> Value {
    match serde_json::from_str::<Value>(text) {
        Ok(value) if Look::at(text).tells_all(text, &value) => value,
        _ => text.into(),
    }
}

/// An element.
struct Element<'t> {
    /// The name in its opening tag.
    name: &'t str,
    /// What stands behind the name in the tag.
    attributes: &'t str,
    inside: &'t str,
    /// What follows.
    next: &'t str,
}

/// The next element.
fn element(text: &str, (open, close): Tag) -> Result<Option<Element<'_>>, Problem> {
    let Some((_, after)) = text.split_once(open) else { return Ok(None) };
    let (head, after) = after.split_once('>').ok_or_else(cut_off)?;
    let (inside, next) = after.split_once(close).ok_or_else(cut_off)?;
    // `</ns:invoke>`: the start of the closing tag is no part of what is inside.
    let inside =
        if close.starts_with('<') { inside } else { inside.rsplit_once("</").ok_or_else(cut_off)?.0 };
    let head = head.trim();
    let quoted = ['"', '\''].iter().find_map(|quote| head.strip_prefix(*quote)?.split_once(*quote));
    let (name, attributes) = quoted.unwrap_or((head, ""));
    Ok(Some(Element { name: name.trim(), attributes, inside, next }))
}

fn named(name: &str, arguments: Value) -> Result<TextCall, Problem> {
    let name = name.trim();
    if name.is_empty() || name.contains(char::is_whitespace) || name.contains('<') {
        return Err(Problem::new("", "json").expected("expected the name of a tool"));
    }
    Ok(TextCall::new(name, arguments))
}
