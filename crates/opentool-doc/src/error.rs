//! Why a text gave no document at all.
//!
//! What is wrong with a part of a document is never one of these: it is a [`Diagnostic`] beside what was understood.

use opentool_core::Diagnostic;

/// Why a text is not an OpenTool document.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocError {
    /// The text is neither JSON nor YAML, or is broken at a place.
    #[error("{0}")]
    Syntax(Box<Diagnostic>),
    /// It was read, but it is something else.
    #[error("{0}")]
    NotOpenTool(Box<Diagnostic>),
}

impl DocError {
    /// What is wrong, where, and what to do.
    pub fn diagnostic(&self) -> &Diagnostic {
        match self {
            Self::Syntax(diagnostic) | Self::NotOpenTool(diagnostic) => diagnostic,
        }
    }
}

const _: () = assert!(size_of::<DocError>() <= 64);
