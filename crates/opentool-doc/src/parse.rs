//! From text to a document, and to everything that is to say about it.

use opentool_core::{Diagnostic, Severity};
use opentool_text::{Decoded, Expected, Notation, Tree};
use serde_json::Value;

use crate::lint::rules;
use crate::lint::{self, Culprit};
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
    let decoded = decode(text.as_ref(), file)?;
    let Checked { value, diagnostics } = check(&decoded, file)?;
    let document = read::document(&value).ok_or_else(|| not_opentool(&diagnostics))?;
    Ok(Parsed { document, diagnostics })
}

/// Everything that is wrong with a text, in the order of the text; empty if nothing is. It says what [`parse()`] says, and
/// takes half the time.
pub fn lint(text: impl AsRef<[u8]>, file: &str) -> Vec<Diagnostic> {
    let checked = decode(text.as_ref(), file).and_then(|decoded| Ok(check(&decoded, file)?.diagnostics));
    checked.unwrap_or_else(|error| vec![error.diagnostic().clone()])
}

fn decode<'t>(text: &'t [u8], file: &str) -> Result<Decoded<'t>, DocError> {
    opentool_text::decode(text).map_err(|found| DocError::Syntax(Box::new(with_file(*found, file))))
}

fn with_file(mut found: Diagnostic, file: &str) -> Diagnostic {
    found.file = (!file.is_empty()).then(|| file.to_owned());
    found
}

/// What a text holds, and what is wrong with it.
struct Checked<'t> {
    value: Tree<'t>,
    diagnostics: Vec<Diagnostic>,
}

fn check<'t>(decoded: &'t Decoded<'_>, file: &str) -> Result<Checked<'t>, DocError> {
    let with_file = |found| with_file(found, file);
    let syntax = |found: Box<Diagnostic>| DocError::Syntax(Box::new(with_file(*found)));
    let text = &*decoded.text;
    let parsed = opentool_text::parse_tree(text, &EXPECTED.notation(notation(file))).map_err(syntax)?;
    let mut findings = lint::check(&parsed.value);
    let not_a_document = findings.is_not_opentool();
    if !not_a_document {
        lint::number::check(&parsed.value, text, parsed.notation, &mut findings);
    }
    for found in decoded.findings.iter().cloned().chain(parsed.findings) {
        let culprit = match found.code {
            "number-range" => {
                // Of JSON: nobody wrote the number that stands in its place.
                if found.severity == Severity::Error {
                    findings.forget(&found.pointer);
                }
                Culprit::Value
            }
            _ => Culprit::Key,
        };
        findings.take(found, culprit);
    }
    let diagnostics: Vec<_> = findings.located(text, parsed.notation).into_iter().map(with_file).collect();
    if not_a_document {
        Err(not_opentool(&diagnostics))
    } else {
        Ok(Checked { value: parsed.value, diagnostics })
    }
}

fn not_opentool(diagnostics: &[Diagnostic]) -> DocError {
    let code = rules::NOT_OPENTOOL.code;
    let found = diagnostics.iter().find(|found| found.code == code).cloned();
    let found = found.unwrap_or_else(|| Diagnostic::error(code, "", "this is not an OpenTool document"));
    DocError::NotOpenTool(Box::new(found))
}

impl Document {
    /// Reads a document from a value, for example the answer of a server. The diagnostics have pointers and no places.
    ///
    /// # Errors
    /// [`DocError::NotOpenTool`] if the value is something else.
    pub fn read(value: &Value) -> Result<Parsed, DocError> {
        let value = Tree::from(value);
        let findings = lint::check(&value);
        let document = read::document(&value).filter(|_| !findings.is_not_opentool());
        let diagnostics = findings.into_list();
        match document {
            Some(document) => Ok(Parsed { document, diagnostics }),
            None => Err(not_opentool(&diagnostics)),
        }
    }

    /// Every rule that the document breaks, in its order.
    pub fn lint(&self) -> Vec<Diagnostic> {
        lint::check(&Tree::from(&self.to_value())).into_list()
    }
}

/// What the ending of a file name, or of an address, says.
fn notation(file: &str) -> Option<Notation> {
    let path = file.split(['?', '#']).next().unwrap_or(file);
    Notation::of_extension(path.rsplit_once('.')?.1)
}
