//! One thing that is wrong with the arguments of a call.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A broken rule of an input schema, written so that a model can mend its call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Problem {
    /// The JSON Pointer of the argument; empty for the whole.
    pub pointer: String,
    /// The rule: a JSON Schema keyword (`type`, `required`, `additionalProperties`, …), `json` for text that
    /// is not JSON, or `deserialize` where only the tool's own type refused.
    pub rule: String,
    /// What would be accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What was there, shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// The likeliest correction: a name or value that exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
}

impl Problem {
    /// The rule broken at `pointer`.
    pub fn new(pointer: impl Into<String>, rule: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), rule: rule.into(), expected: None, found: None, did_you_mean: None }
    }

    /// What would be accepted.
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// What was there.
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.found = Some(found.into());
        self
    }

    /// The likeliest correction.
    pub fn did_you_mean(mut self, suggestion: impl Into<String>) -> Self {
        self.did_you_mean = Some(suggestion.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.pointer.is_empty() { "arguments" } else { &self.pointer })?;
        match &self.expected {
            Some(expected) => write!(f, ": {expected}")?,
            None => write!(f, ": breaks the rule `{}`", self.rule)?,
        }
        if let Some(found) = &self.found {
            write!(f, ", found {found}")?;
        }
        if let Some(suggestion) = &self.did_you_mean {
            write!(f, "; did you mean `{suggestion}`?")?;
        }
        Ok(())
    }
}
