//! What comes of reading texts: an API or why there is none, all that was found, and the texts to show it in.
//!
//! Whoever wants tools takes the API; whoever checks a document wants the rest too, and most where there is no API.

use opentool_core::{Diagnostic, Severity};

use crate::document::{Document, Opened, Text};
use crate::findings::Findings;
use crate::{Api, OpenApiError, hidden, read};

/// What came of it.
#[derive(Debug)]
pub(crate) struct Outcome<'t> {
    pub(crate) api: Result<Api, OpenApiError>,
    /// All that was found, also where there is no API.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The text of each document, by the name that findings have for it.
    pub(crate) texts: Vec<(String, Text<'t>)>,
}

impl<'t> Outcome<'t> {
    /// Makes an API of documents that were opened.
    pub(crate) fn of(mut opened: Opened<'t>) -> Self {
        let mut findings = Findings::default();
        for finding in std::mem::take(&mut opened.findings) {
            findings.add(finding);
        }
        for finding in opened.document.taken_from_main() {
            findings.add(finding);
        }
        let reading = read::read(&opened.document, &mut findings);
        if reading.seen == 0 && opened.document.at("/webhooks").is_none() {
            // Allowed, and published now and then.
            findings.add(
                Diagnostic::warning(
                    "no-operations",
                    "/paths",
                    "`paths` holds no operation, so there is nothing to call",
                )
                .help("add a path with a method: `/pets: {get: {…}}`"),
            );
        }
        hidden::look(&opened, &mut findings);
        let off =
            reading.operations.iter().filter(|operation| operation.marks.enabled == Some(false)).count();
        if off > 0 {
            let message = format!("{off} operations are marked as no tools (`x-opentool`, `x-mcp`)");
            let note = Diagnostic::note("marked-off", "", message);
            findings.add(note.help("configure `marked: ignore` to have them all the same"));
        }
        let mut diagnostics = findings.into_list();
        if !diagnostics.is_empty() {
            opened.locate(&mut diagnostics);
        }
        let Opened { document, texts, .. } = opened;
        let names = document.parts().iter().map(|part| part.shown.to_string());
        let texts = names.zip(texts).collect();
        let api = if reading.operations.is_empty() && reading.seen > 0 {
            Err(no_operations(&document, &diagnostics, reading.seen))
        } else {
            Api::new(document, reading, diagnostics.clone())
        };
        Self { api, diagnostics, texts }
    }
}

fn no_operations(document: &Document, diagnostics: &[Diagnostic], seen: usize) -> OpenApiError {
    let worst = diagnostics.iter().find(|found| found.severity == Severity::Error).or(diagnostics.first());
    let first = worst.map(ToString::to_string).unwrap_or_default();
    let reason = format!("it has {seen}, and none can be used; the first fault: {first}");
    OpenApiError::NoOperations { address: document.address.to_string().into(), reason: reason.into() }
}
