//! Marks that a document makes for readers like this one: `x-opentool` and `x-mcp`.

use serde_json::{Map, Value};

use super::operation::text;
use crate::plan::Marks;

/// The extensions, the one that counts more first.
const NAMES: [&str; 2] = ["x-opentool", "x-mcp"];

/// The marks of an operation; the holders are the operation, its path and the document.
pub(super) fn read(holders: [Option<&Map<String, Value>>; 3]) -> Marks {
    let mut marks = Marks::default();
    for (level, holder) in holders.into_iter().enumerate() {
        for mark in NAMES.iter().filter_map(|name| holder?.get(*name)) {
            marks.enabled = marks.enabled.or_else(|| enabled(mark));
            // The rest is about one operation, and so stands on it.
            let Some(members) = mark.as_object().filter(|_| level == 0) else { continue };
            let fill = |slot: &mut Option<String>, member: &str| {
                if slot.is_none() {
                    *slot = text(members, member);
                }
            };
            fill(&mut marks.name, "name");
            fill(&mut marks.title, "title");
            fill(&mut marks.description, "description");
            let hints = members.get("annotations").and_then(Value::as_object).unwrap_or(members);
            let hint = |member: &str| hints.get(member).and_then(Value::as_bool);
            // A document may say that something is more dangerous than its method, not that it is less.
            marks.writes |= hint("readOnlyHint") == Some(false);
            marks.destroys |= hint("destructiveHint") == Some(true);
        }
    }
    marks
}

fn enabled(mark: &Value) -> Option<bool> {
    if let Some(flag) = mark.as_bool() {
        return Some(flag);
    }
    let flag = |member: &str| mark.get(member).and_then(Value::as_bool);
    let not = |member: &str| flag(member).map(|flag| !flag);
    flag("enabled").or_else(|| not("disabled")).or_else(|| not("exclude")).or_else(|| not("hidden"))
}
