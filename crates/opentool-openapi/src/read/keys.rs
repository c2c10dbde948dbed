//! Keys of paths and operations that mean nothing there. They are ignored, and what was meant is lost with them, so each
//! is told.
//!
//! It does not look into parameters, bodies and schemas.

use opentool_core::Diagnostic;
use opentool_text::pointer;
use serde_json::{Map, Value};

use super::operation::{METHODS, method};
use crate::findings::Findings;

/// What else than methods a path item has.
const OF_A_PATH: [&str; 6] =
    ["$ref", "summary", "description", "servers", "parameters", "additionalOperations"];

/// What an operation has, in any version.
const OF_AN_OPERATION: [&str; 15] = [
    "tags",
    "summary",
    "description",
    "externalDocs",
    "operationId",
    "parameters",
    "requestBody",
    "responses",
    "callbacks",
    "deprecated",
    "security",
    "servers",
    "consumes",
    "produces",
    "schemes",
];

/// Looks at the keys of a path item. Returns how many of them want to be operations.
pub(super) fn of_path(members: &Map<String, Value>, at: &str, findings: &mut Findings) -> usize {
    let mut lost = 0_usize;
    for (key, value) in unknown(members, &OF_A_PATH).filter(|(key, _)| method(key).is_none()) {
        let at = pointer::join(at, key);
        let key = shown(key);
        let meant = meant(&key, &METHODS);
        let is_operation = value.as_object().is_some_and(|members| {
            meant.is_some() || ["responses", "operationId"].iter().any(|member| members.contains_key(*member))
        });
        let found = if is_operation {
            lost = lost.saturating_add(1);
            let question = meant.map(|meant| format!(" (did you mean `{meant}`?)")).unwrap_or_default();
            let message = format!("`{key}` is no method{question}; what it describes is no tool");
            Diagnostic::warning("unknown-key", at, message)
                .help("the methods are get, put, post, delete, options, head, patch, trace; others go into `additionalOperations` of OpenAPI 3.2")
        } else {
            ignored("a path", at, &key, self::meant(&key, &OF_A_PATH))
        };
        findings.add(found);
    }
    lost
}

/// Looks at the keys of an operation.
pub(super) fn of_operation(members: &Map<String, Value>, at: &str, findings: &mut Findings) {
    for (key, _) in unknown(members, &OF_AN_OPERATION) {
        let at = pointer::join(at, key);
        let key = shown(key);
        findings.add(ignored("an operation", at, &key, meant(&key, &OF_AN_OPERATION)));
    }
}

fn unknown<'m>(
    members: &'m Map<String, Value>,
    known: &'m [&str],
) -> impl Iterator<Item = (&'m String, &'m Value)> {
    members.iter().filter(|(key, _)| !known.contains(&key.as_str()) && !key.starts_with("x-"))
}

fn ignored(holder: &str, at: String, key: &str, meant: Option<&str>) -> Diagnostic {
    let question = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
    let message = format!("{holder} has no member `{key}`, which is ignored{question}");
    Diagnostic::warning("unknown-key", at, message)
        .help("correct it, take it out, or let its name begin with `x-`")
}

/// The key, as long as a key may sensibly be.
fn shown(key: &str) -> String {
    key.chars().take(40).collect::<String>().escape_debug().to_string()
}

/// The word that was meant, if one is near.
fn meant<'k>(written: &str, known: &[&'k str]) -> Option<&'k str> {
    let written = written.to_lowercase();
    let far = |known: &str| strsim::osa_distance(&written, &known.to_lowercase());
    let nearest = known.iter().copied().min_by_key(|known| far(known))?;
    // In a short word, two letters make another word.
    let allowed = if written.len() > 5 { 2 } else { 1 };
    (far(nearest) <= allowed).then_some(nearest)
}
