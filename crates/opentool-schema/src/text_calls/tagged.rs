//! Calls in tags: Hermes, Qwen and Granite 4 (`<tool_call>`), GLM-4.5, `<function=…>`, `<invoke name="…">` in the tags
//! of several vendors, DeepSeek's (`<｜DSML｜invoke name="…">`) among them.

use opentool_core::Problem;
use serde_json::{Map, Value};

use super::opening::Run;
use super::{MOST, TextCall, TextCalls, between_past, cut_off, is_name, json, put};
use crate::exact::Look;

/// Tags around calls of any inner form.
pub(super) const WRAPPERS: [(&str, &str); 3] = [
    ("<tool_call>", "</tool_call>"),
    ("<tool_calls>", "</tool_calls>"),
    ("<function_call>", "</function_call>"),
];

/// The starts of calls without a wrapper.
pub(super) const BARE: [&str; 4] = ["<function=", "<invoke name=", ":invoke name=", "｜invoke name="];

/// The call in the wrapper with which the text begins.
pub(super) fn wrapped<'t>(text: &'t str, open: &str, close: &str) -> Run<'t> {
    let after = text.get(open.len()..).unwrap_or_default();
    let whole = whole(after);
    let (mut inside, mut next) = between_past(after, whole, close);
    // Some templates have no closing tag, or leave the last one out; whole JSON is whole without it.
    if let Some(at) = inside.get(whole..).and_then(|rest| rest.find(open)).map(|at| at.saturating_add(whole))
        && let Some((this, _)) = inside.split_at_checked(at).filter(|(this, _)| !this.trim().is_empty())
    {
        next = after.get(at..);
        inside = this;
    }
    let mut found = TextCalls::default();
    found.add(if next.is_some() || inside.trim_end().ends_with(['}', ']']) {
        block(inside)
    } else {
        Err(cut_off())
    });
    // What follows a call that cannot be read may be a part of it: nothing there is taken for another one.
    Run { rest: next.filter(|_| whole > 0 || found.problems.is_empty()), found }
}

/// The element with which the text begins.
pub(super) fn bare(text: &str) -> Run<'_> {
    let mut found = TextCalls::default();
    let one = first(text, &CALLS).ok_or_else(cut_off).and_then(|tag| element(text, tag)).and_then(|one| {
        let one = one.ok_or_else(cut_off)?;
        Ok((one.call()?, one.next))
    });
    match one {
        Ok((call, next)) => {
            found.add(Ok(vec![call]));
            Run { found, rest: Some(next) }
        }
        Err(problem) => {
            found.add(Err(problem));
            Run { found, rest: None }
        }
    }
}

/// How much of what stands in a wrapper is one call for certain, whatever closing tags its values hold.
fn whole(text: &str) -> usize {
    if let Some(end) = json::end(text) {
        return end;
    }
    let mut end = 0_usize;
    if text.trim_start().starts_with('<') {
        let Some(tag) = first(text, &CALLS) else { return 0 };
        while let Some(rest) = text.get(end..).filter(|rest| rest.trim_start().starts_with('<'))
            && rest.find(tag.0).is_some_and(|at| rest.get(..at).is_some_and(is_start))
            && let Ok(Some(one)) = element(rest, tag)
        {
            end = text.len().saturating_sub(one.next.len());
        }
        return end;
    }
    let Some((name, mut rest)) = text.split_once("<arg_key>").filter(|(name, _)| is_name(name.trim())) else {
        return 0;
    };
    end = name.len();
    while let Some((_, value)) = rest.split_once("</arg_key>")
        && let Some((_, after)) =
            value.trim_start().strip_prefix("<arg_value>").and_then(|v| v.split_once("</arg_value>"))
    {
        end = text.len().saturating_sub(after.len());
        match after.trim_start().strip_prefix("<arg_key>") {
            Some(next) => rest = next,
            None => break,
        }
    }
    end
}

/// The beginning of a tag, up to the word that tells its kind: `<`, `<x:`, `<｜DSML｜`.
fn is_start(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.strip_prefix('<').is_some_and(|prefix| !prefix.contains(['<', '>', ' ', '\n']))
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
        let after = after.trim_start();
        rest = after.strip_prefix("<arg_key>");
        if rest.is_none() && !after.is_empty() {
            nothing_between(".")?;
        }
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
    while let Some(one) = element(rest, tag)? {
        calls.push(one.call()?);
        rest = one.next;
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
    let Some(tag) = first(text, &PARAMETERS) else {
        nothing_between(text)?;
        return Ok(Value::Object(members));
    };
    let mut rest = text;
    while let Some(Element { before, name: key, attributes, inside, next }) = element(rest, tag)? {
        nothing_between(before)?;
        // The line ends next to the tags belong to the template.
        let value = inside.strip_prefix('\n').unwrap_or(inside);
        let value = value.strip_suffix('\n').unwrap_or(value);
        let value = if attributes.contains("string=\"false\"") { told(value) } else { value.into() };
        put(&mut members, key, value)?;
        rest = next;
    }
    nothing_between(rest)?;
    Ok(Value::Object(members))
}

/// That there are no words between the parts of a call, or a value would be cut short by its own text.
fn nothing_between(text: &str) -> Result<(), Problem> {
    // Before an element stands the beginning of its tag.
    if is_start(text) {
        return Ok(());
    }
    Err(Problem::new("", "json").expected("expected nothing between the arguments, but there are words"))
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
    /// What stands before it, with the beginning of its tag.
    before: &'t str,
    /// The name in its opening tag.
    name: &'t str,
    /// What stands behind the name in the tag.
    attributes: &'t str,
    inside: &'t str,
    /// What follows.
    next: &'t str,
}

impl Element<'_> {
    fn call(&self) -> Result<TextCall, Problem> {
        let body = self.inside.trim();
        let arguments = if body.starts_with('{') {
            nothing_between(json::end(body).and_then(|end| body.get(end..)).unwrap_or_default())?;
            json::arguments(body)?
        } else {
            parameters(self.inside)?
        };
        named(self.name, arguments)
    }
}

/// The next element.
fn element(text: &str, (open, close): Tag) -> Result<Option<Element<'_>>, Problem> {
    let Some((before, after)) = text.split_once(open) else { return Ok(None) };
    let (head, after) = after.split_once('>').ok_or_else(cut_off)?;
    let from = inner_end(after, open).unwrap_or(0);
    let (inside, next) = between_past(after, from, close);
    let next = next.ok_or_else(cut_off)?;
    // `</ns:invoke>`: the start of the closing tag is no part of what is inside.
    let inside =
        if close.starts_with('<') { inside } else { inside.rsplit_once("</").ok_or_else(cut_off)?.0 };
    let head = head.trim();
    let quoted = ['"', '\''].iter().find_map(|quote| head.strip_prefix(*quote)?.split_once(*quote));
    let (name, attributes) = quoted.unwrap_or((head, ""));
    Ok(Some(Element { before, name: name.trim(), attributes, inside, next }))
}

/// Where the arguments of a call end: its own end comes behind them.
fn inner_end(text: &str, open: &str) -> Option<usize> {
    let call = CALLS.iter().position(|tag| tag.0 == open)?;
    if let Some(end) = json::end(text) {
        return Some(end);
    }
    let close = CALLS.get(call)?.1;
    let parameter = first(text, &PARAMETERS)?;
    let mut rest = text;
    while let Some(at) = rest.find(parameter.0)
        && rest.find(close).is_none_or(|end| at < end)
        && let Ok(Some(one)) = element(rest, parameter)
    {
        rest = one.next;
    }
    Some(text.len().saturating_sub(rest.len()))
}

fn named(name: &str, arguments: Value) -> Result<TextCall, Problem> {
    let name = name.trim();
    if name.is_empty() || name.contains(char::is_whitespace) || name.contains('<') {
        return Err(Problem::new("", "json").expected("expected the name of a tool"));
    }
    Ok(TextCall::new(name, arguments))
}
