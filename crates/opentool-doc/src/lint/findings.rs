//! The list of findings while a document is checked, each with the place that it is about.

use opentool_core::{Diagnostic, Severity};
use opentool_text::{Notation, Spot, locate};

use super::rules::Rule;
use super::yaml;

/// A hostile document could break a rule in every byte.
const LIMIT: usize = 1_000;

/// What of a member is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Culprit {
    /// That it is there, or its name.
    Key,
    /// Its value.
    Value,
}

/// Findings in the order in which they were made.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<(Diagnostic, Culprit)>,
    left_out: usize,
    /// The worst of those.
    worst: Option<Severity>,
}

impl Findings {
    /// Adds a broken rule.
    pub(crate) fn add(
        &mut self,
        rule: Rule,
        culprit: Culprit,
        pointer: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let found = match rule.severity {
            Severity::Error => Diagnostic::error(rule.code, pointer, message),
            Severity::Warning => Diagnostic::warning(rule.code, pointer, message),
            _ => Diagnostic::note(rule.code, pointer, message),
        };
        self.take(found.help(help), culprit);
    }

    /// Adds what the reader of the text found.
    pub(crate) fn take(&mut self, found: Diagnostic, culprit: Culprit) {
        if self.list.len() < LIMIT {
            self.list.push((found, culprit));
        } else {
            self.left_out = self.left_out.saturating_add(1);
            self.worst = self.worst.max(Some(found.severity));
        }
    }

    /// Takes back what was said of this place.
    pub(crate) fn forget(&mut self, pointer: &str) {
        self.list.retain(|(found, _)| found.pointer != pointer);
    }

    /// Whether further findings are only counted.
    pub(crate) fn are_full(&self) -> bool {
        self.list.len() >= LIMIT
    }

    /// Whether the value is something else than a document.
    pub(crate) fn is_not_opentool(&self) -> bool {
        self.list.iter().any(|(found, _)| found.code == super::rules::NOT_OPENTOOL.code)
    }

    /// The diagnostics in the order of the check, without places.
    pub(crate) fn into_list(self) -> Vec<Diagnostic> {
        let more = self.more();
        self.list.into_iter().map(|(found, _)| found).chain(more).collect()
    }

    /// The diagnostics with their places, in the order of the text.
    pub(crate) fn located(mut self, text: &str, notation: Notation) -> Vec<Diagnostic> {
        let spots = self.list.iter().map(|(found, culprit)| match culprit {
            Culprit::Key => Spot::Key(&found.pointer),
            Culprit::Value => Spot::Value(&found.pointer),
        });
        let places = locate(text, notation, spots);
        for ((found, _), place) in self.list.iter_mut().zip(places) {
            // What the reading of the text found knows its place.
            found.location = found.location.or(place);
        }
        if notation == Notation::Yaml {
            for (found, _) in &mut self.list {
                found.help = found.help.as_deref().map(yaml::fix);
            }
        }
        self.list.sort_by_key(|(found, _)| found.location.map(|place| (place.line, place.column)));
        self.into_list()
    }

    fn more(&self) -> Option<Diagnostic> {
        const CODE: &str = "too-many-findings";
        (self.left_out > 0).then(|| {
            let message = format!("{} more findings are not listed", self.left_out);
            // As bad as what it stands for: a document with an error must not pass for one without.
            match self.worst {
                Some(Severity::Error) => Diagnostic::error(CODE, "", message),
                Some(Severity::Warning) => Diagnostic::warning(CODE, "", message),
                _ => Diagnostic::note(CODE, "", message),
            }
        })
    }
}
