//! Everything that is wrong with a document, whatever kind it is.

use opentool::doc;
use opentool::openapi::{self, Address, OpenApiError};
use opentool::schema::parse_definitions;
use opentool::{Diagnostic, Severity};
use opentool_text::{Expected, Spot, locate};

use crate::source::{Kind, recognise};

/// A document that has been looked at.
pub(crate) struct Checked {
    /// What it was taken for.
    pub(crate) kind: Kind,
    /// Its text, as far as it is one.
    pub(crate) text: String,
    /// What there is to say about it, in the order in which it was found.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Checked {
    /// How many findings of this severity there are.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|found| found.severity == severity).count()
    }
}

/// Checks a document: an OpenTool document by every rule of its format, the others by what the reader makes of them.
/// What is nothing known is taken for an OpenTool document, and told what it lacks.
pub(crate) fn check(kind: Option<Kind>, bytes: &[u8], place: &str, address: Address) -> Checked {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let kind = kind.or_else(|| recognise(&text)).unwrap_or(Kind::OpenTool);
    let diagnostics = match kind {
        Kind::OpenTool => doc::lint(bytes, place),
        Kind::OpenApi => openapi(bytes, place, address),
        Kind::Definitions => definitions(bytes, place),
    };
    Checked { kind, text, diagnostics }
}

fn openapi(bytes: &[u8], place: &str, address: Address) -> Vec<Diagnostic> {
    match openapi::parse(bytes, address) {
        Ok(api) => api.diagnostics().to_vec(),
        Err(OpenApiError::Syntax(found) | OpenApiError::NotOpenApi(found)) => vec![*found],
        Err(error) => vec![Diagnostic::error("not-usable", "", error.to_string()).file(place)],
    }
}

fn definitions(bytes: &[u8], place: &str) -> Vec<Diagnostic> {
    let read = opentool_text::decode(bytes).and_then(|text| {
        let expected = Expected::new("a list of tool definitions", "[{\"name\": …");
        let parsed = opentool_text::parse(text, &expected)?;
        let definitions = parse_definitions(&parsed.value)
            .map_err(|error| Diagnostic::error("not-definitions", "", error.to_string()))?;
        let mut found = definitions.diagnostics;
        found.extend(parsed.findings);
        let places = locate(text, parsed.notation, found.iter().map(|found| Spot::Value(&found.pointer)));
        for (found, place) in found.iter_mut().zip(places) {
            found.location = place;
        }
        Ok(found)
    });
    let found = read.unwrap_or_else(|fault| vec![*fault]);
    found.into_iter().map(|found| found.file(place)).collect()
}
