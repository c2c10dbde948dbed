//! The document as a tree of values: recognised, and ready to be asked for its parts.
//!
//! No part of OpenAPI is turned into a struct here. Real documents break every rule of the specification somewhere, and
//! a value tree is the only reading that all of them survive.

use std::collections::HashMap;
use std::sync::OnceLock;

use opentool_core::Diagnostic;
use serde_json::{Map, Value};

use crate::locate::{Notation, locate};
use crate::{Address, OpenApiError, json, yaml};

/// Why a text is not a document.
type Fault = Box<Diagnostic>;

/// Which rules a document follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// 3.0.x: schemas are OpenAPI's own dialect.
    V3_0,
    /// 3.1.x and later: schemas are JSON Schema 2020-12.
    V3_1,
}

/// A parsed document.
#[derive(Debug)]
pub(crate) struct Document {
    root: Value,
    pub(crate) version: Version,
    pub(crate) address: Address,
    /// Pointers of the schemas that have an `$anchor`, found when first asked for.
    pub(crate) anchors: OnceLock<HashMap<String, String>>,
}

/// What comes out of reading a text.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) document: Document,
    pub(crate) notation: Notation,
    pub(crate) findings: Vec<Diagnostic>,
}

impl Document {
    /// Reads a text and makes sure that it is an OpenAPI document of a version that can be read.
    pub(crate) fn open(text: &[u8], address: Address) -> Result<Opened, OpenApiError> {
        let name = address.to_string();
        let text = decode(text, &name)?;
        let (root, notation, mut findings) = parse(text, &address)
            .map_err(|diagnostic| OpenApiError::syntax(diagnostic.file(name.clone())))?;
        let version = recognise(&root, text, &mut findings).map_err(|found| {
            let place = locate(text, notation, [found.pointer.as_str()]).into_iter().next().flatten();
            let found = found.file(name);
            OpenApiError::not_openapi(match place {
                Some(place) => found.location(place),
                None => found,
            })
        })?;
        let document = Self { root, version, address, anchors: OnceLock::new() };
        Ok(Opened { document, notation, findings })
    }

    /// The whole tree.
    pub(crate) fn root(&self) -> &Value {
        &self.root
    }

    /// The value at a JSON Pointer.
    pub(crate) fn at(&self, pointer: &str) -> Option<&Value> {
        self.root.pointer(pointer)
    }

    /// A text of the `info` object.
    pub(crate) fn info(&self, member: &str) -> Option<&str> {
        self.root.get("info")?.get(member)?.as_str()
    }
}

fn decode<'t>(bytes: &'t [u8], name: &str) -> Result<&'t str, OpenApiError> {
    if bytes.starts_with(&[0xFE, 0xFF]) || bytes.starts_with(&[0xFF, 0xFE]) {
        let found =
            Diagnostic::error("encoding", "", "the text is UTF-16").help("save it as UTF-8").file(name);
        return Err(OpenApiError::syntax(found));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let message = format!(
                "the text is not UTF-8 (byte {}), so it is neither JSON nor YAML",
                error.valid_up_to()
            );
            Err(OpenApiError::syntax(Diagnostic::error("encoding", "", message).file(name)))
        }
    }
}

/// The tree, and how it was written. JSON goes first where the text looks like it: it is a hundred times faster, and
/// its errors are clearer.
fn parse(text: &str, address: &Address) -> Result<(Value, Notation, Vec<Diagnostic>), Fault> {
    let first = text.trim_start().chars().next();
    if first.is_none() {
        return Err(Diagnostic::error("empty", "", "the document is empty").into());
    }
    // `<<` is how YAML merges.
    if first == Some('<') && !text.trim_start().starts_with("<<") {
        let message = "this is an HTML or XML page, not an OpenAPI document";
        return Err(Diagnostic::error("html", "", message)
            .help("give the address of the JSON or YAML text itself; documentation pages link to it")
            .into());
    }
    let looks_like_json = matches!(first, Some('{' | '['));
    if looks_like_json || address.says_json() {
        match json::parse(text) {
            Ok(parsed) => return Ok((parsed.value, Notation::Json, parsed.findings)),
            // YAML can begin with a brace too, and files have wrong names.
            Err(error) if looks_like_json && !address.says_yaml() => return Err(error),
            Err(error) => {
                return match yaml::parse(text) {
                    Ok(value) if value.is_object() => Ok((value, Notation::Yaml, Vec::new())),
                    Err(yaml_error) if address.says_yaml() => Err(yaml_error),
                    _ => Err(error),
                };
            }
        }
    }
    match yaml::parse(text) {
        Ok(Value::String(_)) => Err(Diagnostic::error(
            "not-a-document",
            "",
            "this is plain text, neither JSON nor YAML with keys",
        )
        .help("an OpenAPI document begins with `openapi: 3.1.0`")
        .into()),
        Ok(Value::Null) => {
            Err(Diagnostic::error("empty", "", "the document is empty but for comments").into())
        }
        Ok(value) => Ok((value, Notation::Yaml, Vec::new())),
        Err(error) if address.says_yaml() => Err(error),
        Err(error) => {
            let message = format!("this is neither JSON nor YAML; as YAML: {}", error.message);
            let mut found = Diagnostic::error(error.code, "", message);
            found.help = error.help;
            found.location = error.location;
            Err(found.into())
        }
    }
}

fn recognise(root: &Value, text: &str, findings: &mut Vec<Diagnostic>) -> Result<Version, Fault> {
    let Value::Object(members) = root else {
        let kind = kind(root);
        let message = format!("this is {kind}, not an OpenAPI document");
        return Err(Diagnostic::error("not-openapi", "", message)
            .help("an OpenAPI document is an object with `openapi`, `info` and `paths`")
            .into());
    };
    let version = version(members, text, findings)?;
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

fn version(
    members: &Map<String, Value>,
    text: &str,
    findings: &mut Vec<Diagnostic>,
) -> Result<Version, Fault> {
    if let Some(swagger) = members.get("swagger") {
        let swagger = scalar(swagger).unwrap_or_default();
        let message = format!("this is a Swagger {swagger} document; OpenAPI 3.0 and 3.1 can be read");
        return Err(Diagnostic::error("swagger-2", "/swagger", message)
            .help("convert it, for example with `npx swagger2openapi FILE`")
            .into());
    }
    let Some(value) = members.get("openapi") else {
        let message = "this is not an OpenAPI document: it has no `openapi` member";
        // A document that is otherwise whole was meant to be one.
        let help = if members.contains_key("paths") || text.contains("openapi") {
            "add `openapi: 3.1.0` at its top"
        } else {
            "an OpenAPI document is an object with `openapi`, `info` and `paths`"
        };
        return Err(Diagnostic::error("not-openapi", "", message).help(help).into());
    };
    // YAML reads an unquoted `3.0` as a number.
    let Some(version) = scalar(value) else {
        let message = format!("`openapi` is {}, not a version", kind(value));
        return Err(Diagnostic::error("version", "/openapi", message).help("write `openapi: 3.1.0`").into());
    };
    let mut parts = version.trim().trim_start_matches('v').split('.');
    match (parts.next(), parts.next()) {
        (Some("3"), Some("0") | None) => Ok(Version::V3_0),
        (Some("3"), Some("1")) => Ok(Version::V3_1),
        (Some("3"), Some(_)) => {
            let message = format!("OpenAPI {version} is read by the rules of 3.1");
            findings.push(Diagnostic::note("version", "/openapi", message));
            Ok(Version::V3_1)
        }
        _ => {
            let message = format!("OpenAPI version `{version}` is not known");
            Err(Diagnostic::error("version", "/openapi", message).help("3.0 and 3.1 can be read").into())
        }
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// What a value is, in words for a message.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
