//! Schemas as OpenAPI documents have them, to JSON Schema 2020-12 that always compiles.
//!
//! The result holds only keywords of 2020-12 with values of the right type. `$ref`s point to `#/$defs/NAME`; what stands
//! there is added once per tool, by [`definitions`]. Nothing is inlined, so recursion stays recursion and shared parts
//! stay shared. What had to be mended is a finding; what cannot be understood allows everything, since a schema that
//! is too open costs a refused call and one that is too narrow makes a tool useless.

mod convert;
mod cycle;
pub(crate) mod definitions;
mod discriminator;
mod enumeration;
mod fold;
mod keyword;
pub(crate) mod merge_patch;
mod nullable;
pub(crate) mod reach;
mod reduce;
mod types;
mod visibility;

pub(crate) use convert::{Converter, Direction, Position};
pub(crate) use definitions::definition_name;
pub(crate) use keyword::{is_note, is_plain};
pub(crate) use reduce::reduce;

use std::collections::{HashMap, HashSet};

use opentool_core::Schema;
use serde_json::{Value, json};

/// What was learnt about the schemas of a document while it was read, for building tools later.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    /// The pointer of every referenced schema, by its name in `$defs`.
    pub(crate) definitions: HashMap<String, String>,
    /// References that would make a schema mean nothing but itself: from the schema at a pointer, to others.
    pub(crate) cuts: HashMap<String, HashSet<String>>,
    /// How large each referenced schema is, and to which others it refers, by its name in `$defs`.
    reach: HashMap<String, (usize, Vec<String>)>,
    /// Regular expressions, and whether they compile.
    patterns: HashMap<String, bool>,
    /// In-place references between referenced schemas, in the order in which they were met.
    edges: Vec<(String, String)>,
    /// Referenced schemas that were not looked at yet.
    waiting: Vec<String>,
}

impl Knowledge {
    /// Whether the validator takes this regular expression.
    pub(crate) fn is_pattern(&mut self, pattern: &str) -> bool {
        if let Some(known) = self.patterns.get(pattern) {
            return *known;
        }
        let valid = compiles(pattern);
        self.patterns.insert(pattern.to_owned(), valid);
        valid
    }

    /// Notes that the schema at a pointer is referred to.
    pub(crate) fn refer(&mut self, name: &str, pointer: &str) {
        if !self.definitions.contains_key(name) {
            self.definitions.insert(name.to_owned(), pointer.to_owned());
            self.waiting.push(pointer.to_owned());
        }
    }

    /// Notes what the schema at a pointer costs, and to which others it refers.
    pub(crate) fn note_reach(&mut self, name: String, schema: &Value, converted: &Value) {
        let mut names = Vec::new();
        definitions::collect(converted, &mut names);
        self.reach.insert(name, (reach::bare_size(schema), names));
    }

    /// Forgets what only the reader needs.
    pub(crate) fn settle(&mut self) {
        self.reach = HashMap::new();
    }

    /// The next referenced schema to look at.
    pub(crate) fn next(&mut self) -> Option<String> {
        self.waiting.pop()
    }

    /// Finds the references that have to be cut.
    pub(crate) fn cut_cycles(&mut self) -> Vec<(String, String)> {
        let cut = cycle::closing_edges(&self.edges);
        for (from, to) in &cut {
            self.cuts.entry(from.clone()).or_default().insert(to.clone());
        }
        self.edges = Vec::new();
        cut
    }
}

/// The validator itself is asked: no second opinion can differ from it.
fn compiles(pattern: &str) -> bool {
    // A text that means itself needs no compiling; most patterns are not of this kind, but keys of enums are.
    if pattern.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b' ')) {
        return true;
    }
    opentool_schema::Validator::new(&Schema::new(json!({ "pattern": pattern }))).is_ok()
}
