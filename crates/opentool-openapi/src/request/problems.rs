//! What is wrong with the arguments, collected, so that one answer names it all.

use opentool_core::{InvalidArguments, Problem, ToolError};

/// Problems with the arguments found so far.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<Problem>);

impl Problems {
    /// Adds one.
    pub(super) fn add(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Nothing, if there is no problem.
    pub(super) fn finish(self) -> Result<(), ToolError> {
        if self.0.is_empty() { Ok(()) } else { Err(InvalidArguments::new(self.0).into()) }
    }
}

/// The JSON Pointer that names members one below the other.
pub(super) fn pointer<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut pointer = String::new();
    for name in names {
        pointer.push('/');
        for c in name.chars() {
            match c {
                '~' => pointer.push_str("~0"),
                '/' => pointer.push_str("~1"),
                c => pointer.push(c),
            }
        }
    }
    pointer
}

/// A text shortened for a message, with control characters escaped.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}
