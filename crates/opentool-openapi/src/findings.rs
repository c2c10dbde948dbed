//! The list of diagnostics while a document is read: each finding once, and not without end.
//!
//! It knows nothing of files and lines; those are added when the reading is over.

use std::collections::HashSet;

use opentool_core::Diagnostic;

/// The longest message in bytes. Messages quote names, which can have megabytes.
const MAX_MESSAGE: usize = 400;

/// A hostile document could hold a fault a byte.
const LIMIT: usize = 5_000;

/// Diagnostics in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Diagnostic>,
    seen: HashSet<(&'static str, String)>,
    left_out: usize,
}

impl Findings {
    /// Adds a finding. The same rule at the same place counts once: shared parts are read many times.
    pub(crate) fn add(&mut self, mut finding: Diagnostic) {
        shorten(&mut finding.message);
        if !self.seen.insert((finding.code, finding.pointer.clone())) {
            return;
        }
        if self.list.len() < LIMIT {
            self.list.push(finding);
        } else {
            self.left_out = self.left_out.saturating_add(1);
        }
    }

    /// The diagnostics, the last one saying how many more there are.
    pub(crate) fn into_list(mut self) -> Vec<Diagnostic> {
        if self.left_out > 0 {
            let message = format!("{} more findings are not listed", self.left_out);
            self.list.push(Diagnostic::note("too-many-findings", "", message));
        }
        self.list
    }
}

/// Takes out the middle of a message that is too long: its end says what was done.
fn shorten(message: &mut String) {
    if message.len() <= MAX_MESSAGE {
        return;
    }
    let start = message.floor_char_boundary(MAX_MESSAGE / 2);
    let end = message.ceil_char_boundary(message.len().saturating_sub(MAX_MESSAGE / 2));
    message.replace_range(start..end, "…");
}
