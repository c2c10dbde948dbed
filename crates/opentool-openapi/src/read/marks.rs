//! Marks that a document makes for readers like this one: `x-opentool` and `x-mcp`.

use opentool_core::Diagnostic;
use opentool_text::{kind, pointer};
use serde_json::{Map, Value};

use super::operation::text;
use crate::findings::Findings;
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

/// What decides whether an operation is a tool.
const SWITCHES: [&str; 4] = ["enabled", "disabled", "exclude", "hidden"];

/// What else is understood. `x-mcp` has other members for other readers.
const KNOWN: [&str; 8] = [
    "name",
    "title",
    "description",
    "annotations",
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
];

/// Tells what is wrong with the marks of an operation. Where somebody meant to say whether it is a tool, and it cannot be
/// understood, it is none: what was to be kept from models must not reach them by a slip of the pen.
pub(super) fn check(members: &Map<String, Value>, at: &str, marks: &mut Marks, findings: &mut Findings) {
    for name in NAMES {
        let Some(mark) = members.get(name).filter(|mark| !mark.is_boolean()) else { continue };
        let at = pointer::join(at, name);
        let mut unclear = |findings: &mut Findings, at: String, problem: String| {
            let message = format!("{problem}; the operation is no tool");
            let help = "write `enabled: true`, `enabled: false`, or nothing";
            findings.add(Diagnostic::warning("mark", at, message).help(help));
            marks.enabled = Some(false);
        };
        let Some(said) = mark.as_object() else {
            unclear(findings, at, format!("`{name}` is {}, not true, false or an object", kind(mark)));
            continue;
        };
        for (member, value) in said {
            let at = pointer::join(&at, member);
            if SWITCHES.contains(&member.as_str()) {
                if !value.is_boolean() {
                    unclear(findings, at, format!("`{member}` is {}, not true or false", kind(value)));
                }
                continue;
            }
            if KNOWN.contains(&member.as_str()) || member.starts_with("x-") {
                continue;
            }
            let near = |known: &&&str| is_slip(member, known);
            if let Some(meant) = SWITCHES.iter().find(near) {
                unclear(findings, at, format!("`{name}` has no member `{member}` (did you mean `{meant}`?)"));
            } else if let Some(meant) = KNOWN.iter().find(near) {
                let message =
                    format!("`{name}` has no member `{member}`, which is ignored; did you mean `{meant}`?");
                findings.add(Diagnostic::warning("mark", at, message).help("correct it, or take it out"));
            } else if name == "x-opentool" {
                let message = format!("`{name}` has no member `{member}`, which is ignored");
                findings.add(Diagnostic::warning("mark", at, message).help("take it out"));
            }
        }
    }
}

/// Whether one word is the other with a letter or two too much, too few, wrong or in another place.
fn is_slip(written: &str, meant: &str) -> bool {
    strsim::osa_distance(&written.to_lowercase(), meant) <= 2
}

fn enabled(mark: &Value) -> Option<bool> {
    if let Some(flag) = mark.as_bool() {
        return Some(flag);
    }
    let flag = |member: &str| mark.get(member).and_then(Value::as_bool);
    let not = |member: &str| flag(member).map(|flag| !flag);
    flag("enabled").or_else(|| not("disabled")).or_else(|| not("exclude")).or_else(|| not("hidden"))
}
