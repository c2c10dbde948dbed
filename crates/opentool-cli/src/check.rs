//! Everything that is wrong with a document, whatever kind it is.

use std::collections::BTreeMap;

use opentool::doc;
use opentool::openapi::{self, Address, Api, LoadOptions};
use opentool::schema::parse_definitions;
use opentool::{Diagnostic, Severity};
use opentool_text::{Expected, Spot, locate};
use serde_json::Value;

use crate::error::CliError;
use crate::runtime;
use crate::source::{Kind, recognise, with_option};

/// A document that has been looked at.
pub(crate) struct Checked {
    /// What it was taken for.
    pub(crate) kind: Kind,
    /// The texts that were read, as far as they are texts, by the files that the findings name.
    pub(crate) texts: BTreeMap<String, String>,
    /// The documents that it consists of, itself the first.
    pub(crate) documents: Vec<String>,
    /// What there is to say about it, in the order in which it was found.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The API, where it is one that can be used.
    pub(crate) api: Option<Api>,
}

impl Checked {
    /// How many findings of this severity there are.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|found| found.severity == severity).count()
    }
}

/// Checks a document: an OpenTool document by every rule of its format, the others by what the reader makes of them.
/// What is nothing known is taken for an OpenTool document, and told what it lacks. The options say which other documents
/// an OpenAPI document may consist of.
///
/// # Errors
/// [`CliError::Output`] if the system has no room for a runtime.
pub(crate) fn check(
    kind: Option<Kind>,
    bytes: Vec<u8>,
    place: &str,
    address: Address,
    options: &LoadOptions,
) -> Result<Checked, CliError> {
    let text = match opentool_text::decode(&bytes) {
        Ok(decoded) => decoded.text.into_owned(),
        Err(_) => String::from_utf8_lossy(&bytes).into_owned(),
    };
    let kind = kind.or_else(|| recognise(&text)).unwrap_or(Kind::OpenTool);
    let diagnostics = match kind {
        Kind::OpenTool => doc::lint(&bytes, place),
        Kind::OpenApi => {
            let checked = runtime::wait_for(async { Ok(options.check(bytes, address).await) })?;
            let openapi::Checked { api, diagnostics, texts, documents, .. } = checked;
            let diagnostics = diagnostics.into_iter().map(with_option).collect();
            return Ok(Checked { kind, texts, documents, diagnostics, api: api.ok() });
        }
        Kind::Definitions => definitions(&bytes, place),
    };
    let texts = BTreeMap::from([(place.to_owned(), text)]);
    Ok(Checked { kind, texts, documents: vec![place.to_owned()], diagnostics, api: None })
}

/// What is said of a list without definitions. One that is called so may be empty; a bare list may be anything.
fn nothing(value: &Value) -> Diagnostic {
    let help = "a list of definitions has objects with a `name`; an OpenTool document is an object with `opentool`, an \
                OpenAPI document one with `openapi`";
    if value.is_array() {
        let message = "this is an empty list, which is no document of any kind";
        return Diagnostic::error("no-definitions", "", message).help(help);
    }
    Diagnostic::warning("no-definitions", "", "this holds no tool definition").help(help)
}

fn definitions(bytes: &[u8], place: &str) -> Vec<Diagnostic> {
    let read = opentool_text::decode(bytes).and_then(|decoded| {
        let text = &*decoded.text;
        let expected = Expected::new("a list of tool definitions", "[{\"name\": …");
        let parsed = opentool_text::parse(text, &expected)?;
        let definitions = parse_definitions(&parsed.value)
            .map_err(|error| Diagnostic::error("not-definitions", "", error.to_string()))?;
        let mut found = definitions.diagnostics;
        if definitions.tools.is_empty() && found.is_empty() {
            found.push(nothing(&parsed.value));
        }
        found.extend(decoded.findings);
        found.extend(parsed.findings);
        let places = locate(text, parsed.notation, found.iter().map(|found| Spot::Value(&found.pointer)));
        for (found, place) in found.iter_mut().zip(places) {
            found.location = found.location.or(place);
        }
        Ok(found)
    });
    let found = read.unwrap_or_else(|fault| vec![*fault]);
    found.into_iter().map(|found| found.file(place)).collect()
}
