//! Which rules a document follows, and whether it is an OpenAPI document at all.

use opentool_core::Diagnostic;
use opentool_text::kind;
use serde_json::{Map, Value};

/// Why a text is not a document.
pub(crate) type Fault = Box<Diagnostic>;

/// Which rules a document follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// Swagger 2.0: bodies are parameters, types stand on parameters.
    V2,
    /// 3.0.x: schemas are OpenAPI's own dialect.
    V3_0,
    /// 3.1.x and later: schemas are JSON Schema 2020-12.
    V3_1,
}

/// The version of a document that has to be one.
pub(crate) fn recognise(root: &Value, text: &str, findings: &mut Vec<Diagnostic>) -> Result<Version, Fault> {
    let Value::Object(members) = root else {
        let kind = kind(root);
        let message = format!("this is {kind}, not an OpenAPI document");
        return Err(Diagnostic::error("not-openapi", "", message)
            .help("an OpenAPI document is an object with `openapi`, `info` and `paths`")
            .into());
    };
    let version = match presumed(members) {
        Some((version, rules)) => {
            let message = format!(
                "the document does not say of which version it is; it is read by the rules of {rules}"
            );
            let help = match version {
                Version::V2 => "add `swagger: \"2.0\"` at its top",
                _ => "add `openapi: 3.1.0` at its top",
            };
            findings.push(Diagnostic::warning("version", "", message).help(help));
            version
        }
        None => version(members, text, findings)?,
    };
    match members.get("paths") {
        Some(Value::Object(_)) => {}
        Some(other) => {
            let message = format!("`paths` is {}, not an object of paths", kind(other));
            return Err(Diagnostic::error("paths-not-object", "/paths", message)
                .help("write `paths: {\"/pets\": {\"get\": {…}}}`")
                .into());
        }
        None if members.get("webhooks").is_some_and(Value::is_object) => findings.push(Diagnostic::warning(
            "only-webhooks",
            "/webhooks",
            "the document describes only webhooks: requests that it receives, so there is nothing to call",
        )),
        // Allowed since 3.1: a library of parts for other documents.
        None if members.get("components").is_some_and(Value::is_object) && version == Version::V3_1 => {
            findings.push(Diagnostic::warning(
                "only-components",
                "/components",
                "the document describes only parts for other documents, so there is nothing to call",
            ))
        }
        None => {
            return Err(Diagnostic::error(
                "no-paths",
                "",
                "the document has no `paths`, so it describes no operation",
            )
            .help("add `paths`; if the operations are in other files, bundle them into one document first")
            .into());
        }
    }
    Ok(version)
}

/// The rules by which a document is read that has paths and does not say of which version it is.
fn presumed(members: &Map<String, Value>) -> Option<(Version, &'static str)> {
    let says_nothing = |member: &str| match members.get(member) {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.trim().is_empty(),
        Some(_) => false,
    };
    if !says_nothing("openapi") || !says_nothing("swagger") || !members.get("paths")?.is_object() {
        return None;
    }
    let is_swagger =
        ["swagger", "definitions", "basePath", "host", "consumes", "produces", "securityDefinitions"];
    Some(match is_swagger.iter().any(|member| members.contains_key(*member)) {
        true => (Version::V2, "2.0"),
        false => (Version::V3_1, "3.1"),
    })
}

/// The version that a text says that it has, if it is an OpenAPI document.
pub(crate) fn of(root: &Value) -> Option<Version> {
    version(root.as_object()?, "", &mut Vec::new()).ok()
}

fn version(
    members: &Map<String, Value>,
    text: &str,
    findings: &mut Vec<Diagnostic>,
) -> Result<Version, Fault> {
    let (member, value) = match (members.get("openapi"), members.get("swagger")) {
        (Some(value), _) => ("openapi", value),
        (None, Some(value)) => ("swagger", value),
        (None, None) => return Err(no_version(members, text)),
    };
    // YAML reads an unquoted `3.0` as a number.
    let Some(version) = scalar(value) else {
        let message = format!("`{member}` is {}, not a version", kind(value));
        let at = format!("/{member}");
        return Err(Diagnostic::error("version", at, message).help("write `openapi: 3.1.0`").into());
    };
    let mut parts = version.trim().trim_start_matches('v').split('.');
    match (parts.next(), parts.next()) {
        // Some writers say `openapi: 2.0`, others `swagger: 3.0`.
        (Some("2"), _) => Ok(Version::V2),
        (Some("3"), Some("0") | None) => Ok(Version::V3_0),
        (Some("3"), Some("1" | "2")) => Ok(Version::V3_1),
        (Some("3"), Some(_)) => {
            let message = format!("OpenAPI {version} is read by the rules of 3.2");
            findings.push(Diagnostic::note("version", format!("/{member}"), message));
            Ok(Version::V3_1)
        }
        (Some("1"), _) => {
            let message = format!("this is a Swagger {version} document; 2.0 and OpenAPI 3 can be read");
            Err(Diagnostic::error("version", format!("/{member}"), message)
                .help("convert it, for example with `npx api-spec-converter`")
                .into())
        }
        _ => {
            let message = format!("OpenAPI version `{version}` is not known");
            Err(Diagnostic::error("version", format!("/{member}"), message)
                .help("Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2 can be read")
                .into())
        }
    }
}

fn no_version(members: &Map<String, Value>, text: &str) -> Fault {
    let message = "this is not an OpenAPI document: it has no `openapi` member";
    // A document that is otherwise whole was meant to be one.
    let help = if members.contains_key("paths") || text.contains("openapi") {
        "add `openapi: 3.1.0` at its top"
    } else {
        "an OpenAPI document is an object with `openapi`, `info` and `paths`"
    };
    Diagnostic::error("not-openapi", "", message).help(help).into()
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
