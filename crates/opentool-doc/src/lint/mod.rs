//! The linter: every rule of the format, all problems in one pass, each with its place and its fix.
//!
//! It looks at the value that the text holds, not at the types: what a type cannot hold is just what has to be told
//! apart. Each file holds the rules of one part; the rules themselves are listed in [`rules`].

mod document;
mod enumeration;
mod findings;
mod function;
mod graph;
mod keyword;
mod members;
pub(crate) mod name;
pub(crate) mod number;
mod reference;
pub(crate) mod rules;
mod schema;
mod version;
mod yaml;

use std::collections::HashMap;

use indexmap::IndexMap;
use opentool_text::Pointer;
use opentool_text::{Members, Tree};

pub(crate) use findings::{Culprit, Findings};
pub use rules::{RULES, Rule};

use crate::Version;
use crate::words::Guesses;
use rules as rule;

/// Checks a document.
pub(crate) fn check(value: &Tree<'_>) -> Findings {
    let mut lint = Lint::new(value);
    lint.document(value);
    lint.findings
}

/// A check in progress.
struct Lint<'d> {
    at: Pointer,
    findings: Findings,
    guesses: Guesses,
    version: Version,
    /// `schemas` of the document.
    schemas: Option<&'d Members<'d>>,
    /// Which schemas each schema refers to; the functions together are the one without a name.
    uses: IndexMap<Option<&'d str>, Vec<&'d str>>,
    /// The schemas that are only a reference, and where that leads.
    aliases: HashMap<&'d str, &'d str>,
    /// The schemas that every value of a schema holds a value of.
    needs: HashMap<&'d str, Vec<&'d str>>,
    /// The schema that is being checked.
    inside: Option<&'d str>,
    /// Whether every value of that schema has what is being checked.
    needed: bool,
}

impl<'d> Lint<'d> {
    fn new(document: &'d Tree<'d>) -> Self {
        let version = document.get("opentool").and_then(Tree::as_str).and_then(Version::rules_for);
        Self {
            at: Pointer::default(),
            findings: Findings::default(),
            guesses: Guesses::default(),
            version: version.unwrap_or(Version::V2_0_0),
            schemas: document.get("schemas").and_then(Tree::as_object),
            uses: IndexMap::new(),
            aliases: HashMap::new(),
            needs: HashMap::new(),
            inside: None,
            needed: true,
        }
    }

    /// A finding about the place where the check is.
    fn found(&mut self, rule: Rule, culprit: Culprit, message: impl Into<String>, help: impl Into<String>) {
        self.findings.add(rule, culprit, self.at.as_str(), message, help);
    }

    /// Checks something inside a member.
    fn within<T>(&mut self, member: &str, check: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.at.enter(member);
        let result = check(self);
        self.at.back(mark);
        result
    }

    /// Checks something inside an item of a list.
    fn within_item<T>(&mut self, index: usize, check: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.at.enter_item(index);
        let result = check(self);
        self.at.back(mark);
        result
    }
}
