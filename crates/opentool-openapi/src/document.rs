//! The document as a tree of values: recognised, and ready to be asked for its parts.
//!
//! No part of OpenAPI is turned into a struct here. Real documents break every rule of the specification somewhere, and
//! a value tree is the only reading that all of them survive.

use std::collections::HashMap;
use std::sync::OnceLock;

use opentool_core::Diagnostic;
use opentool_text::{Expected, Notation, Parsed, Spot, decode, kind, locate};
use serde_json::{Map, Value};

use crate::{Address, OpenApiError};

const EXPECTED: Expected<'static> = Expected::new("an OpenAPI document", "openapi: 3.1.0");

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
        let syntax = |found: Box<Diagnostic>| OpenApiError::syntax(found.file(name.clone()));
        let text = decode(text).map_err(syntax)?;
        let expected = EXPECTED.notation(address.notation());
        let Parsed { value: root, notation, mut findings, .. } =
            opentool_text::parse(text, &expected).map_err(syntax)?;
        let version = recognise(&root, text, &mut findings).map_err(|found| {
            let place = locate(text, notation, [Spot::Key(&found.pointer)]).into_iter().next().flatten();
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
