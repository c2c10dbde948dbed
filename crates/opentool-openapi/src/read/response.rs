//! The schema of what an operation answers when it succeeds.

use opentool_core::Diagnostic;
use opentool_text::{kind, pointer};
use serde_json::{Map, Value};

use super::swagger;
use crate::document::Document;
use crate::plan;
use crate::reference::Found;
use crate::version::Version;

/// The schema of the lowest successful status that answers with JSON, else of `2XX`, else of `default` where no success
/// is described at all.
pub(crate) fn success<'d>(
    document: &'d Document,
    responses: &'d Value,
    pointer: &str,
) -> Result<Option<Found<'d>>, Box<Diagnostic>> {
    let Some(members) = responses.as_object() else {
        if responses.is_null() {
            return Ok(None);
        }
        let message = format!("`responses` is {}, not an object; the result has no schema", kind(responses));
        let finding =
            Diagnostic::warning("responses", pointer, message).help("write `responses: {\"200\": {…}}`");
        return Err(Box::new(finding));
    };
    let mut broken = None;
    for status in statuses(members) {
        let Some(response) = members.get(status) else { continue };
        match json_schema(document, response, &pointer::join(pointer, status)) {
            Ok(Some(found)) => return Ok(Some(found)),
            Ok(None) => {}
            Err(finding) => broken = broken.or(Some(finding)),
        }
    }
    broken.map_or(Ok(None), Err)
}

/// The statuses that mean success, the likeliest first.
fn statuses(members: &Map<String, Value>) -> Vec<&str> {
    let mut statuses: Vec<&str> = members
        .keys()
        .map(String::as_str)
        .filter(|status| {
            let mut chars = status.chars();
            chars.next() == Some('2')
                && status.len() == 3
                && chars.all(|c| c.is_ascii_digit() || matches!(c, 'x' | 'X'))
        })
        .collect();
    // Digits sort before `X`.
    statuses.sort_unstable();
    if statuses.is_empty() {
        statuses.extend(members.keys().map(String::as_str).find(|status| *status == "default"));
    }
    statuses
}

fn json_schema<'d>(
    document: &'d Document,
    response: &'d Value,
    pointer: &str,
) -> Result<Option<Found<'d>>, Box<Diagnostic>> {
    let broken = |broken: crate::reference::Broken, at: &str| {
        let mut finding = broken.finding(at, "the result has no schema");
        finding.severity = opentool_core::Severity::Warning;
        Box::new(finding)
    };
    let found = document.follow(response, pointer).map_err(|error| broken(error, pointer))?;
    if document.version_at(&found.pointer) == Version::V2 {
        let operation = pointer.rsplit_once("/responses").and_then(|(operation, _)| document.at(operation));
        let schema = swagger::response_schema(document.root(), operation, found.value);
        let at = pointer::join(&found.pointer, "schema");
        return Ok(schema.map(|value| Found { value, pointer: at.into() }));
    }
    let Some(content) = found.value.get("content").and_then(Value::as_object) else { return Ok(None) };
    let at = pointer::join(&found.pointer, "content");
    let Some((media_type, media)) = content.iter().find(|(media_type, _)| plan::is_json(media_type)) else {
        return Ok(None);
    };
    let at = pointer::join(&at, media_type);
    let media = document.follow(media, &at).map_err(|error| broken(error, &at))?;
    let Some(schema) = media.value.get("schema") else { return Ok(None) };
    Ok(Some(Found { value: schema, pointer: pointer::join(&media.pointer, "schema").into() }))
}
