//! What a reader says about a document that it did not fully understand.
//!
//! Readers never stop at the first bad thing: they return what they understood and a list of these.

use std::fmt;

use serde::Serialize;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// Worth knowing; nothing was lost.
    Note,
    /// Something was read in another way than it was written.
    Warning,
    /// Something was left out.
    Error,
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Location {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl Location {
    /// The place at `line` and `column`, both from 1.
    pub fn new(line: usize, column: usize) -> Self {
        Self { line, column }
    }
}

/// One finding about a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The rule in short, for programs and for searching: `ref-not-found`.
    pub code: &'static str,
    /// The JSON Pointer of the culprit; empty for the whole document.
    pub pointer: String,
    /// What is wrong and what was done about it.
    pub message: String,
    /// What to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The file or address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The place in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

impl Diagnostic {
    /// Something was left out.
    pub fn error(code: &'static str, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, pointer, message)
    }

    /// Something was read in another way than it was written.
    pub fn warning(code: &'static str, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, pointer, message)
    }

    /// Worth knowing.
    pub fn note(code: &'static str, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, pointer, message)
    }

    fn new(
        severity: Severity,
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            code,
            pointer: pointer.into(),
            message: message.into(),
            help: None,
            file: None,
            location: None,
        }
    }

    /// What to write instead.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The file or address.
    pub fn file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// The place in the file.
    pub fn location(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }
}

/// One line, the way compilers write it: `file:line:column: error[code]: message (at /pointer)`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
            if let Some(Location { line, column }) = self.location {
                write!(f, "{line}:{column}:")?;
            }
            f.write_str(" ")?;
        }
        let severity = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}[{}]: {}", self.code, self.message)?;
        if !self.pointer.is_empty() {
            write!(f, " (at {})", self.pointer)?;
        }
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}
