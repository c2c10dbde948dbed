//! What follows the value: prose, fences and brackets too many say nothing; a second value says that it is not
//! clear which was meant.

use serde_json::Value;

use super::parse::{Opening, parse};
use super::scan::{blank, is_quote, opens_object};
use super::{Fault, Tolerance, Written};

/// The value, if what follows `end` does not speak against it.
pub(super) fn settle(text: &str, first: Written, end: usize, tolerance: Tolerance) -> Result<Written, Fault> {
    if tolerance == Tolerance::Prefix {
        return Ok(first);
    }
    let mut rest = text.get(end..).unwrap_or_default();
    loop {
        let plain = rest.get(blank(rest)..).unwrap_or_default();
        match plain.strip_prefix(['}', ']', ';']) {
            Some(after) => rest = after,
            None => {
                rest = plain;
                break;
            }
        }
    }
    let at = text.len().saturating_sub(rest.len());
    let more = rest.strip_prefix(',').is_some_and(|after| !after.trim().is_empty());
    if more || rest.starts_with(':') || (rest.starts_with(is_quote) && rest.trim().chars().nth(1).is_some()) {
        return Err(Fault::NotJson { at, why: "it goes on after the value has ended" });
    }
    let Some(second) = rest.find(opens_object) else { return Ok(first) };
    let at = at.saturating_add(second);
    let several = Err(Fault::NotJson { at, why: "there is more than one value" });
    let Ok((other, end)) = parse(text, at, Opening::Written, tolerance) else { return several };
    let last = !text.get(end..).unwrap_or_default().contains(opens_object);
    // `{}{"city": …}` is how some services send a stream: an empty start, then the arguments.
    let begun = first.value.as_object().is_some_and(serde_json::Map::is_empty);
    match other.value {
        Value::Object(_) if last && (begun || first == other) => Ok(other),
        _ => several,
    }
}
