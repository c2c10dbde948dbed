//! What follows the value: fences, tags, brackets too many and plain prose say nothing; a second value, or what could be
//! more of the first, says that it is not clear what was meant.

use serde_json::Value;

use super::parse::{Opening, parse};
use super::scan::{Comment, blanks, is_colon, is_comma, is_quote, opens_object};
use super::{Fault, Tolerance, Written};

/// Bytes of a tag.
const TAG: usize = 64;

/// The value, if what follows `end` does not speak against it.
pub(super) fn settle(
    text: &str,
    first: Written,
    first_end: usize,
    tolerance: Tolerance,
) -> Result<Written, Fault> {
    if tolerance == Tolerance::Prefix {
        return Ok(first);
    }
    let mut rest = text.get(first_end..).unwrap_or_default();
    loop {
        let (bytes, comment) = blanks(rest);
        if comment == Some(Comment::Block) {
            return Err(Fault::Truncated);
        }
        let plain = rest.get(bytes..).unwrap_or_default();
        match plain.strip_prefix(['}', ']', ';']) {
            Some(after) => rest = after,
            None => {
                rest = plain;
                break;
            }
        }
    }
    let at = text.len().saturating_sub(rest.len());
    let goes_on = |at| Err(Fault::NotJson { at, why: "it goes on after the value has ended" });
    let mut letters = rest.trim_end().chars();
    if letters.next().is_some_and(|c| is_comma(c) || is_quote(c)) && letters.next().is_some() {
        return goes_on(at);
    }
    let Some(second) = rest.find(opens_object) else {
        return match structure(rest) {
            Some(more) => goes_on(at.saturating_add(more)),
            None => Ok(first),
        };
    };
    let at = at.saturating_add(second);
    let several = Err(Fault::NotJson { at, why: "there is more than one value" });
    let Ok((other, end)) = parse(text, at, Opening::Written, tolerance) else { return several };
    let last = !text.get(end..).unwrap_or_default().contains(opens_object);
    // `{}{"city": …}` is how some services send a stream: an empty start, then the arguments.
    // With words between, the object behind them is something else: a result, an example.
    let begun = first.value.as_object().is_some_and(serde_json::Map::is_empty)
        && text.get(first_end..at).is_some_and(|between| between.trim().is_empty());
    match other.value {
        Value::Object(_) if last && (begun || first == other) => Ok(other),
        _ => several,
    }
}

/// Where in the prose behind a value something stands that members and lists are made of. Behind a fence nothing does.
fn structure(prose: &str) -> Option<usize> {
    if prose.starts_with("```") {
        return None;
    }
    let mut rest = prose;
    loop {
        let at = rest.find(|c| is_structure(c) || c == '<')?;
        let found = rest.get(at..)?;
        match tag(found) {
            Some(tag) => rest = found.get(tag..)?,
            None if found.starts_with('<') => rest = found.get(1..)?,
            // At the end it announces something else: `Observation:`.
            None if found.chars().next().is_some_and(is_colon)
                && found.trim_end().chars().nth(1).is_none() =>
            {
                return None;
            }
            None => return Some(prose.len().saturating_sub(found.len())),
        }
    }
}

fn is_structure(c: char) -> bool {
    is_colon(c) || matches!(c, '=' | '"' | '“' | '”' | '[' | ']' | '{' | '}')
}

/// The bytes of a tag without attributes at the start of a text.
fn tag(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('<')?;
    let end = inside.find(|c: char| c == '>' || c.is_whitespace()).filter(|end| *end <= TAG)?;
    inside.get(end..)?.starts_with('>').then(|| end.saturating_add(2))
}
