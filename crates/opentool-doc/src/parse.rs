//! From text to a document, and to everything that is to say about it.

use opentool_core::{Diagnostic, Severity};
use opentool_text::{Expected, Notation};
use serde_json::Value;

use crate::lint::rules;
use crate::lint::{self, Culprit, Findings};
use crate::{DocError, Document, read};

const EXPECTED: Expected<'static> = Expected::new("an OpenTool document", "opentool: 1.1.0");

/// A document, and what is to say about it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Parsed {
    /// What was understood.
    pub document: Document,
    /// Every rule that is broken, in the order of the text. Where one is an error, something was left out of the
    /// document or read in another way than it was written.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Whether the document breaks a rule that is not just advice.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|found| found.severity == Severity::Error)
    }
}

/// Reads a document from JSON or YAML. Pure: nothing is fetched. The file (or address) is for messages, and its ending
/// says which notation to expect; it may be empty.
///
/// Reading does not stop at a fault: what is wrong is a diagnostic with its place, and the rest is understood.
///
/// ```
/// let text = r#"{"opentool": "1.0.0", "info": {"title": "Clock", "version": "1.0.0"}, "functions": [
///     {"name": "now", "description": "The time.", "parameters": [],
///      "return": {"name": "time", "schema": {"type": "string"}}}]}"#;
/// let parsed = opentool_doc::parse(text, "clock.json")?;
/// assert_eq!(parsed.document.functions[0].name, "now");
/// assert!(parsed.diagnostics.is_empty());
/// # Ok::<(), opentool_doc::DocError>(())
/// ```
///
/// # Errors
/// [`DocError`] if the text is not a document at all.
pub fn parse(text: impl AsRef<[u8]>, file: &str) -> Result<Parsed, DocError> {
    let with_file = |found: Box<Diagnostic>| if file.is_empty() { found } else { Box::new(found.file(file)) };
    let text = opentool_text::decode(text.as_ref()).map_err(|found| DocError::Syntax(with_file(found)))?;
    let expected = EXPECTED.notation(notation(file));
    let parsed = opentool_text::parse(text, &expected).map_err(|found| DocError::Syntax(with_file(found)))?;
    let mut result = understand(&parsed.value, |mut findings| {
        for found in parsed.findings {
            findings.take(found, Culprit::Key);
        }
        findings.located(text, parsed.notation)
    });
    match &mut result {
        Ok(parsed) if !file.is_empty() => {
            parsed.diagnostics.iter_mut().for_each(|found| found.file = Some(file.to_owned()));
        }
        Err(DocError::Syntax(found) | DocError::NotOpenTool(found)) if !file.is_empty() => {
            found.file = Some(file.to_owned());
        }
        _ => {}
    }
    result
}

/// Reads a value, unless it is something else altogether.
fn understand(
    value: &Value,
    diagnostics: impl FnOnce(Findings) -> Vec<Diagnostic>,
) -> Result<Parsed, DocError> {
    let findings = lint::check(value);
    match read::document(value).filter(|_| !findings.is_not_opentool()) {
        Some(document) => Ok(Parsed { document, diagnostics: diagnostics(findings) }),
        None => {
            let whole =
                || Diagnostic::error(rules::NOT_OPENTOOL.code, "", "this is not an OpenTool document");
            let found =
                diagnostics(findings).into_iter().find(|found| found.code == rules::NOT_OPENTOOL.code);
            Err(DocError::NotOpenTool(Box::new(found.unwrap_or_else(whole))))
        }
    }
}

/// Everything that is wrong with a text, in the order of the text; empty if nothing is. See [`parse`].
pub fn lint(text: impl AsRef<[u8]>, file: &str) -> Vec<Diagnostic> {
    match parse(text, file) {
        Ok(parsed) => parsed.diagnostics,
        Err(error) => vec![error.diagnostic().clone()],
    }
}

impl Document {
    /// Reads a document from a value, for example the answer of a server. The diagnostics have pointers and no places.
    ///
    /// # Errors
    /// [`DocError::NotOpenTool`] if the value is something else.
    pub fn read(value: &Value) -> Result<Parsed, DocError> {
        understand(value, Findings::into_list)
    }

    /// Every rule that the document breaks, in its order.
    pub fn lint(&self) -> Vec<Diagnostic> {
        lint::check(&self.to_value()).into_list()
    }
}

/// What the ending of a file name, or of an address, says.
fn notation(file: &str) -> Option<Notation> {
    let path = file.split(['?', '#']).next().unwrap_or(file);
    Notation::of_extension(path.rsplit_once('.')?.1)
}
