//! Calls as elements: `<function=name>…</function>`, `<invoke name="name">…</invoke>`, with the prefixes of several
//! vendors (`<｜DSML｜invoke name="…">`).
//!
//! Values are text as it stands: nothing in them is escaped. A value ends with its own closing tag; what it opens itself
//! it has to close before. Which values are numbers or lists, the schema knows.

use opentool_core::Problem;
use serde_json::{Map, Value};

use super::tag::{Opening, Tag, enclosed};
use super::{TextCall, cut_off, json, put};
use crate::exact::Look;

/// A call, and whether its values are text as it stands.
pub(super) struct Element {
    pub(super) call: Result<TextCall, Problem>,
    pub(super) is_raw: bool,
}

/// The element with which the text begins, and what follows it.
pub(super) fn read(text: &str) -> Result<(Element, &str), Problem> {
    let tag = Tag::at(text).ok_or_else(cut_off)?;
    let Opening { name, attributes, is_closed, rest } = tag.open()?;
    if !attributes.trim().is_empty() {
        return Err(nothing_else());
    }
    if is_closed {
        return Ok((Element { call: TextCall::new(name, Map::new()), is_raw: false }, rest));
    }
    let close = tag.close();
    let body = rest.trim_start();
    if body.starts_with(['{', '`']) {
        let (arguments, after) = json::value(body).ok_or_else(|| json::fault(body))?;
        let next = closed_by(after, &close)?;
        let call = json::arguments(arguments).and_then(|arguments| TextCall::new(name, arguments));
        return Ok((Element { call, is_raw: false }, next));
    }
    let mut members = Ok(Map::new());
    let mut rest = body;
    while let Some(tag) = Tag::at(rest).filter(|tag| tag.name == "parameter" && !tag.is_closing) {
        let opening = tag.open()?;
        let (inside, after) = if opening.is_closed {
            ("", opening.rest)
        } else {
            enclosed(opening.rest, &tag).ok_or_else(cut_off)?
        };
        // Two values for one key are this call's problem only: where it ends is clear.
        members = members.and_then(|mut members| {
            put(&mut members, opening.name, value(inside, opening.attributes)).map(|()| members)
        });
        rest = after.trim_start();
    }
    let next = closed_by(rest, &close)?;
    let is_raw = members.as_ref().map_or(true, |members| !members.is_empty());
    Ok((Element { call: members.and_then(|members| TextCall::new(name, members)), is_raw }, next))
}

/// What follows a closing tag, which has to come next.
fn closed_by<'t>(text: &'t str, close: &str) -> Result<&'t str, Problem> {
    let rest = text.trim_start();
    match rest.strip_prefix(close) {
        Some(next) => Ok(next),
        None if close.starts_with(rest) => Err(cut_off()),
        None => Err(nothing_else()),
    }
}

/// There are words between the parts of a call: a value may have been cut short by its own text.
pub(super) fn nothing_else() -> Problem {
    Problem::new("", "call")
        .expected("expected nothing between the arguments of a call, but there is something")
}

fn value(inside: &str, attributes: &str) -> Value {
    // The line ends next to the tags belong to the template.
    let value = inside.strip_prefix('\n').unwrap_or(inside);
    let value = value.strip_suffix('\n').unwrap_or(value);
    if attributes.contains("string=\"false\"") { told(value) } else { value.into() }
}

/// A value of which is said that it is JSON; text where it is none, or would lose something as a value.
fn told(text: &str) -> Value {
    match serde_json::from_str::<Value>(text) {
        Ok(value) if Look::at(text).tells_all(text, &value) => value,
        _ => text.into(),
    }
}
